import type { IndexedPath } from './pathSearch';
import { indexPath, normalQuery, PathPrefix, searchPaths } from './pathSearch';

/** Fuzzy index of files and their folders. A folder exists as long as it contains something. */
export class WorkspacePathIndex {
  /** By label. */
  readonly #paths = new Map<string, IndexedPath>();
  /** Labels of the direct children, by label of the folder. */
  readonly #children = new Map<string, Set<string>>();
  /** By label of the folder, with its slash. */
  readonly #prefixes = new Map<string, PathPrefix>();
  /** What may match each prefix of the last query: a longer query can only match fewer. */
  #steps: { readonly query: string; readonly possible: readonly IndexedPath[] }[] = [];

  get size(): number {
    return this.#paths.size;
  }

  /** @param label display path with `/` */
  addFile(uri: string, label: string): void {
    if (this.#paths.has(label)) return;
    this.#resetSteps();
    this.#paths.set(label, indexPath(uri, label, false, this.#prefixOf(label)));
    this.#addFolder(uri, label);
  }

  /** Removes a file, or a folder with its content. */
  remove(label: string): void {
    if (!this.#paths.has(label)) return;
    this.#resetSteps();
    this.#removeInside(label);
    this.#releaseFolder(label);
  }

  /** URIs of the folders. */
  folders(): readonly string[] {
    return Array.from(this.#paths.values()).flatMap(({ isFolder, uri }) => (isFolder ? [uri] : []));
  }

  /** Best first. */
  search(query: string, limit: number): readonly IndexedPath[] {
    const normalized = normalQuery(query);
    while (!normalized.startsWith(this.#steps.at(-1)?.query ?? '')) this.#steps.pop();
    const last = this.#steps.at(-1) ?? { query: '', possible: [...this.#paths.values()] };
    if (this.#steps.length === 0) this.#steps.push(last);
    const { possible, best } = searchPaths(last.possible, normalized, limit);
    if (last.query !== normalized) this.#steps.push({ query: normalized, possible });
    return best;
  }

  /**
   * Files whose path ends with whole segments of each ending, found in one pass.
   * @returns URIs by ending
   */
  findByEndings(endings: readonly string[]): Map<string, string[]> {
    const found = new Map<string, string[]>(endings.map((ending) => [ending, []]));
    const byName = new Map<string, { readonly ending: string; readonly tail: string }[]>();
    for (const ending of found.keys()) {
      const tail = ending.replaceAll('\\', '/');
      const name = tail.slice(tail.lastIndexOf('/') + 1);
      byName.set(name, [...(byName.get(name) ?? []), { ending, tail }]);
    }
    for (const { label, nameAt, isFolder, uri } of this.#paths.values()) {
      const target = isFolder ? undefined : byName.get(label.slice(nameAt));
      for (const { ending, tail } of target ?? []) {
        if (label === tail || label.endsWith(`/${tail}`)) found.get(ending)?.push(uri);
      }
    }
    return found;
  }

  #prefixOf(label: string): PathPrefix {
    const folder = label.slice(0, label.lastIndexOf('/') + 1);
    const known = this.#prefixes.get(folder) ?? new PathPrefix(folder);
    this.#prefixes.set(folder, known);
    return known;
  }

  #forgetChildren(folder: string): void {
    this.#children.delete(folder);
    this.#prefixes.delete(`${folder}/`);
  }

  #resetSteps(): void {
    this.#steps = [];
  }

  #removeInside(label: string): void {
    for (const child of this.#children.get(label) ?? []) this.#removeInside(child);
    this.#forgetChildren(label);
    this.#paths.delete(label);
  }

  #addFolder(uri: string, label: string): void {
    const end = label.lastIndexOf('/');
    if (end <= 0) return;
    const folder = label.slice(0, end);
    const children = this.#children.get(folder);
    if (children) {
      children.add(label);
      return;
    }
    this.#children.set(folder, new Set([label]));
    const folderUri = uri.slice(0, uri.lastIndexOf('/'));
    this.#paths.set(folder, indexPath(folderUri, folder, true, this.#prefixOf(folder)));
    this.#addFolder(folderUri, folder);
  }

  #releaseFolder(label: string): void {
    const end = label.lastIndexOf('/');
    if (end <= 0) return;
    const folder = label.slice(0, end);
    const children = this.#children.get(folder);
    children?.delete(label);
    if (children && children.size > 0) return;
    this.#forgetChildren(folder);
    if (this.#paths.delete(folder)) this.#releaseFolder(folder);
  }
}
