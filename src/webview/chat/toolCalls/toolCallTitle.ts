import type { ShownCall } from '../../../shared/state/toolCallState';

/** Splits a path for display; the folder is empty for a file at the top. A backslash separates only in absolute paths of Windows. */
export function splitPath(label: string): { readonly name: string; readonly folder: string } {
  const [, folder = '', name = label] = /^(?:(\w:.*|\\\\.*|.+(?=\/))[\\/])?([^/]+\/?)$/.exec(label) ?? [];
  return { name, folder };
}

/**
 * The title with paths relative to the workspace. A command stays as it runs.
 * @param cwd folder of the session, if known
 */
export function relativeTitle(entry: ShownCall, cwd?: string): string {
  if (entry.tool === 'execute') return entry.title;
  const files = filesOf(entry);
  const roots = new Map(cwd === undefined ? [] : [[cwd, '']]);
  let { title } = entry;
  for (const { path, label } of files) {
    title = replacePath(title, path, label);
    if (label === path || !path.endsWith(label)) continue;
    // Where labels begin with a workspace folder, what lies beside that folder is outside the workspace.
    const root = path.slice(0, -label.length - 1);
    roots.set(root, cwd === undefined || root === cwd ? '' : (/^[^\\/]+[\\/]/.exec(label)?.[0] ?? label));
  }
  for (const [root, top] of roots) title = withoutRoot(title, root, top);
  return title;
}

/** The title with the base name of its only file instead of the path; the folder is shown beside the title. */
export function namesFirst(title: string, entry: ShownCall): string {
  const [file, ...others] = filesOf(entry);
  if (entry.tool === 'execute' || !file || others.length > 0) return title;
  return replacePath(title, file.label, splitPath(file.label).name);
}

/** A command without the folder of a program that has an absolute path: in little room, the folder would hide the program. */
export function programFirst(command: string): string {
  return command.replace(
    /^(?:(["'])(?:\/|\w:[\\/])(?:[^"'`$\\/]+[\\/])*|(?:\/|\w:[\\/])(?:[^\s"'`$()<>|&;\\/]+[\\/])*)(?=[^\s\\/])/,
    '$1',
  );
}

/** Files that the call names, each once. */
function filesOf({ locations, content }: ShownCall): { readonly path: string; readonly label: string }[] {
  const diffs = content.flatMap((item) => (item.type === 'diff' ? [item] : []));
  const files = [...locations, ...diffs].map(({ path, label }) => [path, { path, label }] as const);
  return [...new Map(files).values()];
}

/** Characters that may stand before and after a path in a title. */
const BEFORE = /[\s"'`(=:<[,]/;
const PART_OF_PATH = /^(?:[\p{L}\p{N}_\\/-]|\.[\p{L}\p{N}])/u;

function replacePath(title: string, path: string, replacement: string): string {
  if (path === replacement || path === '') return title;
  return replaceAt(title, path, replacement, (after) => !PART_OF_PATH.test(after));
}

/** @param top the only part below the root that is shown relative to it; all if empty */
function withoutRoot(title: string, root: string, top: string): string {
  if (root.length < 2) return title;
  const separator = root.includes('\\') ? '\\' : '/';
  return replaceAt(title, `${root}${separator}${top}`, top, (after) => after.trim() !== '');
}

function replaceAt(title: string, text: string, replacement: string, fits: (after: string) => boolean): string {
  let result = '';
  let from = 0;
  for (let at = title.indexOf(text); at >= 0; at = title.indexOf(text, from)) {
    const isPath =
      (at === 0 || BEFORE.test(title.charAt(at - 1))) && fits(title.slice(at + text.length, at + text.length + 2));
    result += title.slice(from, at) + (isPath ? replacement : text);
    from = at + text.length;
  }
  return result + title.slice(from);
}
