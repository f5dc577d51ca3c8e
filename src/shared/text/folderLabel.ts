/** A workspace folder: its absolute path, and its name in VS Code. */
export interface WorkspaceRoot {
  readonly path: string;
  readonly name: string;
}

/** The names of the workspace folders; those with the same name are followed by their parent's. */
export function rootLabel({ path, name }: WorkspaceRoot, roots: readonly WorkspaceRoot[]): string {
  const same = roots.filter((other) => other.name === name && other.path !== path);
  if (same.length === 0) return name;
  const parent = parentName(path);
  return same.every((other) => parentName(other.path) !== parent) ? `${name} (${parent})` : `${name} (${path})`;
}

/** A folder for display: "app", "app/packages/a"; in a workspace with one folder "packages/a". Outside the workspace: its path. */
export function folderLabel(folder: string, roots: readonly WorkspaceRoot[]): string {
  const around = roots.filter(({ path }) => restOf(folder, path) !== undefined);
  const [root] = around.toSorted((a, b) => b.path.length - a.path.length);
  const rest = root && restOf(folder, root.path);
  if (root === undefined || rest === undefined) return folder;
  if (rest === '') return rootLabel(root, roots);
  return roots.length === 1 ? rest : `${rootLabel(root, roots)}/${rest}`;
}

/** The folder relative to `root`, with forward slashes; empty for `root` itself, undefined outside. */
function restOf(folder: string, root: string): string | undefined {
  const [names, whole] = [toSlashes(root), toSlashes(folder)];
  if (whole === names) return '';
  return whole.startsWith(`${names}/`) ? whole.slice(names.length + 1) : undefined;
}

function parentName(path: string): string {
  return toSlashes(path).split('/').at(-2) ?? '';
}

function toSlashes(path: string): string {
  const plain = /^(?:[A-Za-z]:|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
  return plain.replace(/(?<!\/)\/+$/, '');
}
