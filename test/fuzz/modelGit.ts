import { rebaseChanges, splitLines } from '../../src/history/diff/lineDiff';
import type { GitMove, GitMoves, TurnChange } from '../../src/review/git/gitMoves';
import type { FileContent } from '../../src/review/storage/fileContent';
import { isSameContent } from '../../src/review/storage/fileContent';

type Side = FileContent | undefined;
type Tree = Map<string, FileContent>;

/**
 * A repository as far as the review asks for it, in memory: a branch that the agent is on, and one of colleagues. `gitMoves.test.ts` and
 * `gitSiblings.test.ts` run the real one.
 */
export class ModelGit implements GitMoves {
  #head: Tree = new Map();
  /** HEAD at the start of the turn. */
  #start: Tree = new Map();
  #colleagues: Tree = new Map();
  readonly #stored = new Set<string>();
  /** Merges of the turn; `at` counts the contents that HEAD has had before. */
  readonly #merges: { readonly path: string; readonly at: number; readonly ours: Side; readonly merged: Side }[] = [];
  /** Contents at HEAD in the turn, by path. */
  readonly #visited = new Map<string, (FileContent | undefined)[]>();

  startTurn(): void {
    this.#start = new Map(this.#head);
    this.#colleagues = new Map(this.#head);
    this.#visited.clear();
    this.#merges.length = 0;
    for (const [path, content] of this.#head) this.#visited.set(path, [content]);
  }

  commit(path: string, content: FileContent | undefined): void {
    if (content) this.#stored.add(content.bytes);
    set(this.#head, path, content);
    this.#visited.set(path, [...this.#visitedBy(path), content]);
  }

  isClean(path: string, content: FileContent | undefined): boolean {
    return isSameContent(this.#head.get(path), content);
  }

  /** Whether a content was at HEAD when the turn started. */
  isAtStart(path: string, content: Side): boolean {
    return isSameContent(this.#start.get(path), content);
  }

  /** Whether a content was at HEAD in this turn: of others only the review has a copy. */
  hasHad(path: string, content: FileContent | undefined): boolean {
    return this.#visitedBy(path).some((each) => isSameContent(each, content));
  }

  /**
   * Colleagues change a file, and git merges that.
   * @returns what git writes; undefined for a conflict
   */
  merge(
    path: string,
    change: (theirs: FileContent | undefined) => FileContent | undefined,
  ): { readonly content: FileContent | undefined } | undefined {
    const [common, ours] = [this.#colleagues.get(path), this.#head.get(path)];
    const theirs = change(common);
    const merged = isSameContent(common, ours) ? { content: theirs } : merge(common, ours, theirs);
    if (!merged) return undefined;
    set(this.#colleagues, path, theirs);
    this.#merges.push({ path, at: this.#visitedBy(path).length, ours, merged: merged.content });
    this.commit(path, merged.content);
    return merged;
  }

  async isStored(_path: string, { bytes }: FileContent): Promise<boolean> {
    return this.#stored.has(bytes);
  }

  async atHead(contents: ReadonlyMap<string, FileContent | undefined>): Promise<ReadonlySet<string>> {
    return new Set([...contents.keys()].filter((path) => this.isClean(path, contents.get(path))));
  }

  async find(_start: unknown, changes: ReadonlyMap<string, TurnChange>): Promise<ReadonlyMap<string, GitMove>> {
    const found = new Map<string, GitMove>();
    for (const [path, { before, after }] of changes) {
      if (!this.hasHad(path, before)) continue;
      const moved = this.#replayed(path, before) ?? this.#moved(path, before, after);
      if (moved) found.set(path, { content: moved.content, from: 'upstream' });
    }
    return found;
  }

  /** The merges applied to what was there before. */
  #replayed(path: string, before: Side): { readonly content: Side } | undefined {
    let found: { readonly content: Side } | undefined;
    for (const { ours, merged } of this.#mergesSince(path, before)) {
      const content = found ? found.content : before;
      const next = isSameContent(content, ours) ? { content: merged } : merge(ours, content, merged);
      found = next ?? found;
    }
    return found;
  }

  /** All that colleagues have changed, merged with what was there before. */
  #moved(path: string, before: Side, after: Side): { readonly content: Side } | undefined {
    const [common, theirs] = [this.#start.get(path), this.#colleagues.get(path)];
    if (this.#mergesSince(path, before).length === 0) return undefined;
    if (isSameContent(theirs, before) || isSameContent(theirs, common)) return undefined;
    if (isSameContent(theirs, after)) return { content: after };
    return isSameContent(common, before) ? { content: theirs } : merge(common, before, theirs);
  }

  /** Not those that a commit of the turn has taken back. */
  #mergesSince(path: string, before: Side): { readonly ours: Side; readonly merged: Side }[] {
    const first = this.#visitedBy(path).findIndex((each) => isSameContent(each, before));
    return this.#merges.filter((each) => each.path === path && each.at > first);
  }

  #visitedBy(path: string): readonly (FileContent | undefined)[] {
    return this.#visited.get(path) ?? [this.#start.get(path)];
  }
}

function set(tree: Tree, path: string, content: FileContent | undefined): void {
  if (content) tree.set(path, content);
  else tree.delete(path);
}

function merge(
  common: FileContent | undefined,
  ours: FileContent | undefined,
  theirs: FileContent | undefined,
): { readonly content: FileContent } | undefined {
  if (!common || !ours || !theirs || [common, ours, theirs].some(({ bytes }) => bytes.includes('\0'))) return undefined;
  const { lines, refused } = rebaseChanges(splitLines(ours.bytes), splitLines(common.bytes), splitLines(theirs.bytes));
  return refused.length > 0 ? undefined : { content: { mode: ours.mode, bytes: lines.join('') } };
}
