// Protected by test/unit/review/git/gitSiblings.test.ts: what git does in a turn is not the agent’s edit.
import { rebaseChanges, splitLines } from '../../history/diff/lineDiff';
import type { Git } from '../../node/gitCommand';
import { readGitObjects } from '../../node/readGitObjects';
import { toByteString, isSameContent, isText } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import { isGitObject, objectIds } from './gitObject';
import type { HeadHistory, Replay, RepositoryStart } from './headHistory';
import { isAncestor, readHistory, recordRepository } from './headHistory';
import { toDifferences } from './rawDiff';
import type { UserRepository } from './userRepository';
import type { WorkspaceSnapshots } from './workspaceSnapshots';

/** A file that has changed in a turn. */
export interface TurnChange {
  /** At the start of the turn. */
  readonly before: FileContent | undefined;
  readonly after: FileContent | undefined;
  /** The agent has reported an edit of it. */
  readonly isReported: boolean;
}

/** What git has made of a file. */
export interface GitMove {
  readonly content: FileContent | undefined;
  /** A branch, tag or short commit id. */
  readonly from: string;
}

export type GitStart = readonly RepositoryStart[];

/** Commits per repository to which files are compared that HEAD has not been at. */
const MAX_TIPS = 40;
/** Files for which that is done. */
const MAX_COMPARED = 500;

/** What git brought into the files of a turn, as its repositories know it. `RepositoryMoves` implements it. */
export interface GitMoves {
  /** The files that git moved since the start of a turn, by path. */
  find(start: GitStart, changes: ReadonlyMap<string, TurnChange>): Promise<ReadonlyMap<string, GitMove>>;
  /** The files that are in the current commit as given, by path. */
  atHead(contents: ReadonlyMap<string, FileContent | undefined>): Promise<ReadonlySet<string>>;
  /** Whether the repository around a file has this content of it. */
  isStored(path: string, content: FileContent): Promise<boolean>;
}

/**
 * Tells what git brought into the work tree in a turn (merge, pull, checkout, rebase, stash, reset) from what the agent wrote. Only files
 * that were as in a commit before: of other files Parley has the only copy. The user's repositories are only read.
 */
export class RepositoryMoves implements GitMoves {
  constructor(
    private readonly git: Git,
    private readonly snapshots: WorkspaceSnapshots,
  ) {}

  /** Records where the repositories are before a turn. Never rejects. */
  async start(): Promise<GitStart> {
    const all = this.snapshots.repositories().flatMap(({ repository }) => repository ?? []);
    const each = new Map(all.map((repository) => [repository.gitDir, repository]));
    const starts = await Promise.all([...each.values()].map((one) => recordRepository(this.git, one)));
    return starts.flatMap((start) => start ?? []);
  }

  async atHead(contents: ReadonlyMap<string, FileContent | undefined>): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const [repository, names] of this.snapshots.namesInRepositories([...contents.keys()])) {
      const plain = new Map([...names].filter(([name]) => !name.includes('\n')));
      const versions = await versionsIn(this.git, repository, ['HEAD'], plain);
      for (const [path, [version]] of versions)
        if (isGitObject(version?.object, contents.get(path), repository.objectFormat)) found.add(path);
    }
    return found;
  }

  async isStored(path: string, content: FileContent): Promise<boolean> {
    for (const [repository] of this.snapshots.namesInRepositories([path])) {
      const input = objectIds(content, repository.objectFormat).map((id) => `${id}\n`);
      const call = { cwd: repository.top, input: input.join('') };
      const found = await this.git.text(['cat-file', '--batch-check'], call);
      if (/ blob \d+$/m.test(found)) return true;
    }
    return false;
  }

  async find(starts: GitStart, changes: ReadonlyMap<string, TurnChange>): Promise<ReadonlyMap<string, GitMove>> {
    const found = new Map<string, GitMove>();
    for (const [repository, names] of this.snapshots.namesInRepositories([...changes.keys()])) {
      const start = starts.find((each) => each.repository.gitDir === repository.gitDir);
      const plain = new Map([...names].filter(([name]) => !name.includes('\n')));
      if (!start || plain.size === 0) continue;
      const history = await readHistory(this.git, start);
      const search = new MoveSearch(this.git, start, history, plain, changes);
      for (const [path, move] of await search.run()) found.set(path, move);
    }
    return found;
  }
}

/** A version of a file in a commit. */
interface Version {
  readonly commit: string;
  readonly object: string | undefined;
}

class MoveSearch {
  constructor(
    private readonly git: Git,
    private readonly start: RepositoryStart,
    private readonly history: HeadHistory,
    /** Paths by name in the repository. */
    private readonly names: ReadonlyMap<string, string>,
    private readonly changes: ReadonlyMap<string, TurnChange>,
  ) {}

  async run(): Promise<ReadonlyMap<string, GitMove>> {
    const found = new Map<string, GitMove>();
    const { visited, merged, replays } = this.history;
    const modesOnly = new Set([...this.names.values()].filter((path) => isModeOnly(this.changes.get(path))));
    const paths = [...this.names.values()].filter((path) => !modesOnly.has(path));
    const visitedVersions = await this.#versions(visited, paths);
    /** Clean files by the commit that first had them so. */
    const groups = new Map<string | undefined, string[]>();
    for (const path of paths) {
      const before = this.changes.get(path)?.before;
      const versions = visitedVersions.get(path) ?? [];
      const same = versions.find(({ object }) => this.#is(object, before));
      const isClean = versions.length === 0 ? before === undefined : same !== undefined;
      if (isClean) groups.set(same?.commit, [...(groups.get(same?.commit) ?? []), path]);
    }
    const clean = [...groups.values()].flat();
    for (const [first, own] of groups)
      for (const replay of replays)
        if (await this.#isSince(first, replay.commit)) await this.#replay(replay, own, found);
    await this.#nameByBranch(found);
    for (const [first, own] of groups) {
      const unmoved = own.filter((path) => !found.has(path));
      for (const commit of unmoved.length > 0 ? merged : [])
        if (await this.#isSince(first, commit))
          for (const [path, move] of await this.#moveTo(commit, unmoved)) found.set(path, move);
    }
    const rest = clean.filter((path) => !found.has(path) && this.changes.get(path)?.isReported === false);
    if (rest.length > 0 && rest.length <= MAX_COMPARED) await this.#findCopied(rest, found);
    if (modesOnly.size > 0) await this.#findModes(modesOnly, found);
    return found;
  }

  /** Adds the files of which git brought the mode alone, which no object shows. */
  async #findModes(paths: ReadonlySet<string>, found: Map<string, GitMove>): Promise<void> {
    const { head } = this.start;
    const merged = this.history.merged.map((commit) => ({ base: head, commit, from: commit }));
    for (const { base, commit, from } of [...merged, ...this.history.replays]) {
      if (base === undefined) continue;
      const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', base, commit, '--'];
      const fields = await this.git.fields(args, { cwd: this.start.repository.top }).catch(() => []);
      for (const { path, ...modes } of toDifferences(fields, (name) => this.names.get(name) ?? '')) {
        const { before, after } = this.changes.get(path) ?? {};
        const isMoved = modes.before.mode === before?.mode && modes.after.mode === after?.mode;
        if (paths.has(path) && isMoved) found.set(path, { content: after, from: this.#nameOf(from) });
      }
    }
  }

  /** Whether git has brought a commit after HEAD was at another: that one may be a commit of the turn without what had been brought. */
  async #isSince(visited: string | undefined, commit: string): Promise<boolean> {
    const { head, repository } = this.start;
    return visited === head || !(await isAncestor(this.git, { cwd: repository.top }, commit, visited));
  }

  /** Adds the files that a change applies to, with what it makes of them. */
  async #replay({ base, commit, from }: Replay, paths: readonly string[], found: Map<string, GitMove>): Promise<void> {
    const versions = await this.#versions([commit, base], paths);
    const changed = paths.filter((path) => {
      const [theirs, common] = versions.get(path) ?? [];
      return theirs?.object !== common?.object;
    });
    const contents = await this.#contents(changed.flatMap((path) => versions.get(path) ?? []));
    for (const path of changed) {
      const change = this.changes.get(path);
      const [, earlier] = versions.get(path) ?? [];
      const [theirs, common] = (versions.get(path) ?? []).map(({ object }) =>
        asContent(object === undefined ? undefined : contents.get(object), change),
      );
      const ours = found.has(path) ? found.get(path)?.content : change?.before;
      const moved = this.#is(earlier?.object, ours) ? { content: theirs } : merge(common, ours, theirs);
      if (moved) found.set(path, { content: moved.content, from: this.#nameOf(from) });
    }
  }

  /** A pick is named after the branch that has all of its files so. */
  async #nameByBranch(found: Map<string, GitMove>): Promise<void> {
    const tips = found.size > 0 ? [...this.start.refs.keys()].slice(0, MAX_TIPS) : [];
    const versions = await this.#versions(tips, [...found.keys()]);
    for (const from of new Set([...found.values()].map((move) => move.from))) {
      const moves = [...found].filter(([, move]) => move.from === from);
      const tip = tips.find((_, at) =>
        moves.every(([path, { content }]) => this.#is(versions.get(path)?.[at]?.object, content)),
      );
      if (tip !== undefined) for (const [path, move] of moves) found.set(path, { ...move, from: this.#nameOf(tip) });
    }
  }

  /** Adds the files to which a stash was applied that had changed since it was made. */
  async #findUnstashed(paths: readonly string[], found: Map<string, GitMove>): Promise<void> {
    for (const commit of this.start.stashes.slice(-MAX_TIPS / 4)) {
      const applied = new Map<string, GitMove>();
      await this.#replay({ base: `${commit}^1`, commit, from: commit }, paths, applied);
      for (const [path, move] of applied)
        if (isSameContent(move.content, this.changes.get(path)?.after)) found.set(path, move);
    }
  }

  /** Adds the files that are as in a commit that HEAD has not been at, such as after a cherry-pick. */
  async #findCopied(paths: readonly string[], found: Map<string, GitMove>): Promise<void> {
    const commits = new Set<string>();
    for (const [path, versions] of await this.#versions(await this.#tips(), paths)) {
      const { after } = this.changes.get(path) ?? {};
      // Many files are empty.
      const same = after?.bytes ? versions.find(({ object }) => this.#is(object, after)) : undefined;
      if (!same) continue;
      commits.add(same.commit);
      found.set(path, { content: after, from: this.#nameOf(same.commit) });
    }
    const deleted = paths.filter((path) => !this.changes.get(path)?.after);
    for (const commit of deleted.length > 0 ? commits : []) {
      const base = await this.#mergeBase(commit, this.start.head);
      if (base === undefined) continue;
      // Many files are missing in a commit; it has deleted those of its base.
      for (const [path, [version, common]] of await this.#versions([commit, base], deleted)) {
        const isDeleted = version?.object === undefined && this.#is(common?.object, this.changes.get(path)?.before);
        if (isDeleted) found.set(path, { content: undefined, from: this.#nameOf(commit) });
      }
    }
    await this.#findUnstashed(
      paths.filter((path) => !found.has(path)),
      found,
    );
  }

  /** Of a stash, the third parent has the untracked files (git-stash). */
  async #tips(): Promise<readonly string[]> {
    const { stashes, refs, head, repository } = this.start;
    const stashed = stashes.slice(-MAX_TIPS / 4).flatMap((commit) => [commit, `${commit}^3`]);
    const tips = [...new Set([...stashed, ...this.history.fetched, ...refs.keys()])].slice(0, MAX_TIPS);
    const args = ['rev-list', `--max-count=${MAX_TIPS / 2}`, head ?? '', '--'];
    const log = head === undefined ? '' : await this.git.text(args, { cwd: repository.top }).catch(() => '');
    return [...new Set([...tips, ...log.split('\n').filter(Boolean)])];
  }

  /** The files that became, or were merged with, those of a commit. */
  async #moveTo(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, GitMove>> {
    const { head } = this.start;
    const base = this.history.isMerge ? await this.#mergeBase(commit, head) : undefined;
    const commits = [commit, ...(base === undefined ? [] : [base])];
    const versions = await this.#versions(commits, paths);
    const contents = await this.#contents([...versions.values()].flat());
    const found = new Map<string, GitMove>();
    for (const path of paths) {
      const change = this.changes.get(path);
      const [theirs, common] = versions.get(path) ?? [];
      // The commit has the file as it was, or its branch has not changed it.
      if (!change || !theirs || this.#is(theirs.object, change.before)) continue;
      if (common && common.object === theirs.object) continue;
      const content = (version: Version | undefined): FileContent | undefined =>
        asContent(version?.object === undefined ? undefined : contents.get(version.object), change);
      const from = this.#nameOf(commit);
      if (this.#is(theirs.object, change.after)) found.set(path, { content: change.after, from });
      else {
        const isOurs = !common || this.#is(common.object, change.before);
        const moved = isOurs ? { content: content(theirs) } : merge(content(common), change.before, content(theirs));
        if (moved && this.#isUnder(moved.content, change)) found.set(path, { content: moved.content, from });
      }
    }
    return found;
  }

  async #contents(versions: readonly Version[]): Promise<ReadonlyMap<string, Uint8Array | undefined>> {
    const objects = [...new Set(versions.flatMap(({ object }) => object ?? []))];
    const bytes = await readGitObjects(this.git, { cwd: this.start.repository.top }, objects);
    return new Map(objects.map((object, at) => [object, bytes[at]]));
  }

  /** Whether the file was at this content before the agent changed it: `git reset --soft` leaves files as they are. */
  #isUnder(content: FileContent | undefined, { before, after }: TurnChange): boolean {
    if (isSameContent(content, after) || !this.history.isReset || before === undefined) return true;
    return content !== undefined && after !== undefined && merge(content, before, after) !== undefined;
  }

  async #mergeBase(commit: string, head: string | undefined): Promise<string | undefined> {
    if (head === undefined) return undefined;
    const call = { cwd: this.start.repository.top };
    if (await isAncestor(this.git, call, head, commit)) return head;
    return this.git.text(['merge-base', head, commit], call).catch(() => undefined);
  }

  /** @returns one version for each commit, by path */
  #versions(commits: readonly string[], paths: readonly string[]): Promise<Map<string, Version[]>> {
    const wanted = new Set(paths);
    const names = new Map([...this.names].filter(([, path]) => wanted.has(path)));
    return versionsIn(this.git, this.start.repository, commits, names);
  }

  #is(object: string | undefined, content: FileContent | undefined): boolean {
    return isGitObject(object, content, this.start.repository.objectFormat);
  }

  #nameOf(commit: string): string {
    const { refs, stashes } = this.start;
    const [id = commit] = commit.split('^');
    return refs.get(id) ?? (stashes.includes(id) ? 'stash' : id.slice(0, 8));
  }
}

function isModeOnly({ before, after }: Partial<TurnChange> = {}): boolean {
  return before !== undefined && before.bytes === after?.bytes;
}

/**
 * @param names paths by name in the repository
 * @returns one version for each commit, by path
 */
async function versionsIn(
  git: Git,
  { top }: UserRepository,
  commits: readonly string[],
  names: ReadonlyMap<string, string>,
): Promise<Map<string, Version[]>> {
  const found = new Map<string, Version[]>(Array.from(names, ([, path]) => [path, []]));
  if (commits.length === 0 || names.size === 0) return found;
  const asked = [...names].flatMap(([name, path]) => commits.map((commit) => ({ commit, name, path })));
  const input = asked.map(({ commit, name }) => `${commit}:${name}\n`).join('');
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)', '--buffer'];
  const lines = (await git.text(args, { cwd: top, input })).split('\n');
  for (const [at, { commit, path }] of asked.entries()) {
    const blob = /^([0-9a-f]+) blob$/.exec(lines[at] ?? '');
    found.get(path)?.push({ commit, object: blob?.[1] });
  }
  return found;
}

/** With the mode and line ends of the file on disk. */
function asContent(bytes: Uint8Array | undefined, change: TurnChange | undefined): FileContent | undefined {
  if (!bytes) return undefined;
  const current = change?.after ?? change?.before ?? { mode: '100644', bytes: '' };
  const text = toByteString(bytes) ?? '';
  const hasCrlf = current.bytes.includes('\r\n') && !text.includes('\r\n');
  return { ...current, bytes: hasCrlf ? text.replaceAll('\n', '\r\n') : text };
}

/** Our content with the changes from `common` to `theirs`; undefined where they overlap ours. */
function merge(
  common: FileContent | undefined,
  ours: FileContent | undefined,
  theirs: FileContent | undefined,
): { readonly content: FileContent | undefined } | undefined {
  if (!common || !ours || !theirs || ![common, ours, theirs].every(isText)) return undefined;
  const { lines, refused } = rebaseChanges(splitLines(ours.bytes), splitLines(common.bytes), splitLines(theirs.bytes));
  return refused.length > 0 ? undefined : { content: { ...ours, bytes: lines.join('') } };
}
