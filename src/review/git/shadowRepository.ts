import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SerialQueue } from '../../base/async';
import { errorMessage, isCancellation } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { hasModes, setHasModes } from '../../node/fs/permissions';
import { beyondLinks } from '../../node/fs/pinnedFolder';
import { isThere } from '../../node/fs/readIfThere';
import { reportDataLoss } from '../../node/fs/storedFile';
import { globalExcludes } from '../../node/gitCommand';
import type { Git, GitCall } from '../../node/gitCommand';
import { readGitObjects } from '../../node/readGitObjects';
import { folderSize } from '../storage/blobStore';
import { includesGitignore } from '../storage/fileAge';
import { compareWithIndex } from './compareWithIndex';
import type { Comparison } from './compareWithIndex';
import type { FileModes, RecordedModes } from './fileModes';
import type { TreeDifference } from './rawDiff';
import type { FolderTree, Snapshot, TreeFile } from './treeFiles';
import { compareTrees, treeFiles } from './treeFiles';
import { updateIndexWith } from './updateIndex';
import { UserIndex } from './userIndex';
import type { UserRepository } from './userRepository';
import { findUserRepository, outerRules, setFoldsCase, writeRules } from './userRepository';

/**
 * A git repository of our own whose work tree is a user folder. The user's repository is only read: its ignore rules, objects and a copy of
 * its index.
 */
export class ShadowRepository {
  readonly #gitDir: string;
  readonly #queue = new SerialQueue();
  #repository: UserRepository | undefined;
  #userIndex: UserIndex | undefined;
  /** Absolute: the top of the user's repository, or the folder itself without one. Empty before {@link locate}. */
  #workTreeRoot = '';
  #isReady = false;
  /** Undefined while the folder is empty. */
  #foldsCase: boolean | undefined;
  #globalExcludes: string | undefined;
  #haveRulesChanged = false;
  /** {@link outerRules} at the last recording. */
  #rules: string | undefined;
  /** At the last recording. */
  #modes: RecordedModes | undefined;
  /** Files without a name in UTF-8: at the last recording, and now. */
  #oddStates: readonly [ReadonlyMap<string, string>, ReadonlyMap<string, string>] = [new Map(), new Map()];

  /** Absolute; the work tree. */
  readonly folder: string;

  /** @param storage absolute; parent folder of the repositories */
  constructor(
    private readonly git: Git,
    private readonly log: Logger,
    private readonly storage: string,
    folder: string,
  ) {
    this.folder = folder;
    this.#gitDir = join(storage, shadowName(folder));
  }

  /** The user's repository around the folder; known after the first snapshot. */
  get repository(): UserRepository | undefined {
    return this.#repository;
  }

  /**
   * Of files that the last record lacks, those that may be older: all built files, for example, once .gitignore has no line `dist/` any more,
   * or a file that was added to git although a rule matches it.
   * @param paths absolute
   */
  maybeOlder(paths: readonly string[]): readonly string[] {
    if (this.#haveRulesChanged) return paths;
    return paths.filter((path) => this.#userIndex?.isNew(this.#relative(path)));
  }

  locate(): Promise<void> {
    return this.#queue.run(() => this.#locate());
  }

  /** Records the files as the baseline of {@link changedPaths}; the tree is created afterwards. */
  record(signal?: AbortSignal): Promise<Omit<Snapshot, 'tree'> & { readonly tree: Promise<string> }> {
    return this.#queue.run(async () => {
      const { changed, nested, known, odd, unread } = await this.#healing(() => this.#compare(signal));
      const earlier = this.#modes;
      this.#modes = undefined;
      const omitted = await updateIndexWith(this.git, this.#call(signal), this.folder, changed);
      const { recordModes } = await import('./fileModes');
      const all = this.#allInFolder([...new Set([...known, ...changed])]);
      // Afterwards: git finds a file whose permissions change meanwhile the next time.
      this.#modes = await recordModes(this.folder, earlier, this.#allInFolder(changed), all);
      this.#haveRulesChanged = false;
      const oddNow = await this.#odd(odd);
      this.#oddStates = [oddNow, oddNow];
      const tree = this.#queue.run(async () => {
        const { ownObjects } = await import('../../node/ownGitObjects');
        await ownObjects(this.git, this.#call()).catch((error: unknown) => {
          this.log.info('review', `Failed to copy the objects of ${this.folder}: ${errorMessage(error)}`);
        });
        // Writes the folders that were borrowed, too.
        return this.#text(['write-tree', '--missing-ok']);
      });
      // Callers of `tree` get the error.
      tree.catch(() => undefined);
      const alone = omitted.filter((name) => !unread.some((folder) => name.startsWith(`${folder}/`)));
      return {
        tree,
        prefix: this.#prefix,
        omitted: this.#allAbsolute([...unread, ...alone]),
        nested: this.#allAbsolute(nested),
        ...omitUndefined({ modes: this.#modes, rules: this.#rules }),
      };
    });
  }

  async snapshot(signal?: AbortSignal): Promise<Snapshot> {
    const recorded = await this.record(signal);
    return { ...recorded, tree: await recorded.tree };
  }

  /** Absolute paths of files that differ from the last snapshot, and of nested repositories. */
  changedPaths(
    signal?: AbortSignal,
  ): Promise<{ readonly paths: readonly string[]; readonly nested: readonly string[] }> {
    return this.#queue.run(async () => {
      // By the rules of the snapshot: what is ignored from now on stays under review.
      await this.#prepare(signal, 'recordedRules');
      const { isWholeIndex } = await import('./repairRepository');
      if (!(await isWholeIndex(join(this.#gitDir, 'index')))) throw new Error(t('the recording is damaged'));
      const { changed, nested, odd } = await this.#compareWithIndex(signal);
      this.#oddStates = [this.#oddStates[0], await this.#odd(odd)];
      const rules = await outerRules(this.#repository, this.#globalExcludes ?? '');
      this.#haveRulesChanged = includesGitignore(changed) || (this.#rules ?? rules) !== rules;
      return { paths: this.#allAbsolute(changed), nested: this.#allAbsolute(nested) };
    });
  }

  /**
   * Files that were created, changed or deleted between the last record and the last {@link changedPaths}, and that no review can have: their
   * names are not UTF-8.
   * @returns absolute paths for display
   */
  async changedOddNames(): Promise<readonly string[]> {
    const [before, now] = this.#oddStates;
    if (before.size + now.size === 0) return [];
    const { changedOdd, oddLabel } = await import('./oddNames');
    return changedOdd(before, now).map((name) => this.#absolute(oddLabel(name)));
  }

  /**
   * Absolute paths of recorded files whose permissions differ from earlier ones; git finds those that change who may execute a file. None
   * with `core.fileMode` false.
   */
  async changedModes(earlier: FileModes): Promise<readonly string[]> {
    if (!hasModes(this.folder)) return [];
    const { readModes, differingModes } = await import('./fileModes');
    const names = await this.#fields(['ls-files', '-z', ...this.#scope()]);
    const now = await readModes(this.folder, this.#allInFolder(names), earlier);
    return differingModes(earlier, now).map((name) => join(this.folder, name));
  }

  /**
   * Contents and modes of files in a tree; missing files are omitted.
   * @param paths absolute
   */
  async contents({ tree, prefix }: FolderTree, paths: readonly string[]): Promise<ReadonlyMap<string, TreeFile>> {
    const names = paths.map((path) => ({ path, name: this.#relative(path, prefix) }));
    const listed = await treeFiles(
      this.git,
      this.#storedCall(),
      tree,
      names.map(({ name }) => name),
    );
    const entries = names.flatMap(({ path, name }) => {
      const entry = listed.get(name);
      return entry ? [{ path, ...entry }] : [];
    });
    const bytes = await readGitObjects(
      this.git,
      this.#storedCall(),
      entries.map(({ object }) => object),
    );
    return new Map(entries.map(({ path, mode }, at) => [path, { mode, bytes: bytes[at] }]));
  }

  /** Absolute paths of all files of the folder in a tree. */
  async paths({ tree, prefix = this.#prefix }: FolderTree): Promise<readonly string[]> {
    const names = await this.git.fields(
      ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree],
      this.#storedCall(),
    );
    return names.flatMap((name) => (name.startsWith(prefix) ? join(this.folder, name.slice(prefix.length)) : []));
  }

  /**
   * The paths that git does not see: ignored, or beyond a link.
   * @param paths absolute
   */
  async findIgnored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const top = this.#workTreeRoot || (await realpath(this.folder));
    const beyond = await beyondLinks(paths, (path) => join(top, this.#relative(path)));
    // git rejects the whole call for such paths.
    const visible = paths.filter((path) => !beyond.has(path)).map((path) => this.#relative(path));
    const ignored = (await this.#findMatched(visible)).filter((name) => !this.#userIndex?.has(name));
    return new Set([...beyond, ...ignored.map((name) => this.#absolute(name))]);
  }

  /** The names that an ignore rule matches, also of files that git tracks. */
  async #findMatched(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    // Prevents pathspec magic in names that begin with a colon.
    const input = names.map((name) => `./${name}\0`).join('');
    const args = ['check-ignore', '-z', '--stdin', '--no-index'];
    const out = await this.git.fields(args, { ...this.#call(), input, hasPlainPaths: true, accept: [0, 1] });
    return out.map((name) => name.replace(/^\.\//, ''));
  }

  /** As {@link findIgnored}, by the `.gitignore` files of a tree. */
  async findIgnoredIn({ tree, prefix }: FolderTree, paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { ignoredIn } = await import('./treeRules');
    const top = this.#workTreeRoot || this.folder;
    const beyond = await beyondLinks(paths, (path) => join(top, this.#relative(path)));
    const names = new Map(
      paths.filter((path) => !beyond.has(path)).map((path) => [this.#relative(path, prefix), path]),
    );
    const ignored = await ignoredIn(this.git, this.#gitDir, tree, [...names.keys()]);
    return new Set([...beyond, ...ignored.flatMap((name) => names.get(name) ?? [])]);
  }

  /**
   * Differences of two trees inside the folder; paths are absolute.
   * @param from the repository that has the earlier tree
   */
  compare(earlier: FolderTree, later: FolderTree, from: ShadowRepository = this): Promise<TreeDifference[]> {
    const placed = ({ tree, prefix = this.#prefix }: FolderTree): FolderTree & { readonly prefix: string } => ({
      tree,
      prefix,
    });
    const call = { ...this.#call(), ...(from !== this && { objects: join(from.#gitDir, 'objects') }) };
    return compareTrees(this.git, call, placed(earlier), placed(later), (name) => join(this.folder, name));
  }

  /** Protects a tree from garbage collection until {@link drop}. */
  async retain(id: string, tree: string): Promise<void> {
    const commit = await this.#text(['commit-tree', tree, '-m', id]);
    await this.#text(['update-ref', `refs/parley/${id}`, commit]);
  }

  async drop(ids: readonly string[]): Promise<void> {
    const input = ids.map((id) => `delete refs/parley/${id}\n`).join('');
    await this.git.run(['update-ref', '--stdin'], { ...this.#call(), input });
  }

  /** Collects unreferenced objects older than an hour; a running snapshot may need younger ones. */
  collect(signal?: AbortSignal): Promise<void> {
    return this.#queue.run(async () => {
      await this.#text(['repack', '-d', '-l', '-q'], signal);
      await this.#text(['prune', '--expire=1.hour.ago'], signal);
    });
  }

  /** Bytes on disk. */
  size(): Promise<number> {
    return folderSize(this.#gitDir);
  }

  /** Tries again after a repair if ours is damaged. */
  async #healing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { repair } = await import('./repairRepository');
      const replaced = isCancellation(error) ? undefined : await repair(this.git, this.#gitDir);
      if (replaced === undefined) throw error;
      this.log.warn('review', `Created the damaged ${replaced} of ${this.folder} anew: ${errorMessage(error)}`);
      // Creating it may have failed, on a full disk.
      if (replaced === 'repository' && this.#isReady)
        reportDataLoss(this.#gitDir, t('earlier checkpoints of {0}', this.folder));
      [this.#isReady, this.#modes, this.#foldsCase] = [false, undefined, undefined];
      return work();
    }
  }

  async #prepare(signal: AbortSignal | undefined, rulesOf?: 'recordedRules'): Promise<void> {
    const { folder } = this;
    if (!this.#isReady) {
      await this.#locate(signal);
      const marker = join(this.#gitDir, 'parley');
      // What cannot be read is not replaced.
      if (!(await isThere(marker))) {
        const { createRepository } = await import('./createRepository');
        await createRepository(this.git, this.#call(signal), folder, this.log, this.#repository, marker);
      }
      this.#isReady = true;
    }
    if (this.#foldsCase === undefined) this.#foldsCase = await setFoldsCase(this.git, this.#call(signal));
    await rm(join(this.#gitDir, 'index.lock'), { force: true });
    if (rulesOf === 'recordedRules') return;
    // Once per window: another process per prompt would be noticeable.
    this.#globalExcludes ??= await globalExcludes(this.git, folder);
    const storage = relative(this.#workTreeRoot, this.storage);
    this.#rules = await writeRules(this.#gitDir, this.#repository, this.#globalExcludes, storage);
  }

  async #locate(signal?: AbortSignal): Promise<void> {
    const { folder } = this;
    this.#repository = await findUserRepository(this.git, folder, signal);
    this.#userIndex = this.#repository && new UserIndex(this.git, this.log, this.#repository);
    this.#workTreeRoot = this.#repository?.top ?? (await realpath(folder));
    for (const name of [folder, join(this.#workTreeRoot, this.#prefix)])
      setHasModes(name, this.#repository?.hasModes ?? true);
  }

  /** What to record. */
  async #compare(signal: AbortSignal | undefined): Promise<Comparison> {
    await this.#prepare(signal);
    const { lostEntries, dropEntries } = await import('./repairRepository');
    const call = this.#call(signal);
    const [entries, found] = await Promise.all([
      lostEntries(this.git, call, this.#scope()),
      this.#compareWithIndex(signal),
    ]);
    const lost = await dropEntries(this.git, call, entries);
    this.#userIndex?.record(found.changed.length + lost.length > 0);
    return { ...found, changed: [...new Set([...found.changed, ...lost])] };
  }

  #compareWithIndex(signal: AbortSignal | undefined): Promise<Comparison> {
    return compareWithIndex(this.git, this.#call(signal), this.#scope(), this.#userIndex, (names) =>
      this.#findMatched(names),
    );
  }

  async #odd(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    const { oddStates } = await import('./oddNames');
    return oddStates(this.#workTreeRoot, names);
  }

  /** The folder below the top of the user's repository. */
  get #prefix(): string {
    return this.#repository?.prefix ?? '';
  }

  #scope(): string[] {
    return this.#prefix === '' ? [] : ['--', this.#prefix];
  }

  #absolute(path: string): string {
    return join(this.folder, this.#inFolder(path));
  }

  #allAbsolute(names: readonly string[]): string[] {
    return names.map((name) => this.#absolute(name));
  }

  /** @param path relative to the top */
  #inFolder(path: string): string {
    return path.slice(this.#prefix.length);
  }

  #allInFolder(names: readonly string[]): string[] {
    return names.map((name) => this.#inFolder(name));
  }

  #relative(path: string, prefix = this.#prefix): string {
    return prefix + relative(this.folder, path).replaceAll(sep, '/');
  }

  /** Reads what is stored, also if the folder no longer exists. */
  #storedCall(): GitCall {
    return { cwd: this.#gitDir, gitDir: this.#gitDir };
  }

  #call(signal?: AbortSignal): GitCall & { readonly gitDir: string } {
    const gitDir = this.#gitDir;
    // Before the first snapshot, or without the folder, the repository itself still works.
    const workingFolder =
      this.#workTreeRoot === '' ? { cwd: gitDir } : { cwd: this.#workTreeRoot, workTree: this.#workTreeRoot };
    return { ...workingFolder, gitDir, ...(signal && { signal }) };
  }

  #text(args: readonly string[], signal?: AbortSignal): Promise<string> {
    return this.git.text(args, this.#call(signal));
  }

  #fields(args: readonly string[], signal?: AbortSignal): Promise<string[]> {
    return this.git.fields(args, this.#call(signal));
  }
}

export function shadowName(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 24);
}
