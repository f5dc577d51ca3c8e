import { lstat, readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { MAX_OPEN_FILES, mapLimited } from '../../base/async';
import { Batch } from '../../base/batch';
import { isCancellation, isMissingPath, errorMessage } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { fileVersion, isSameVersion } from '../../node/fs/fileVersion';
import type { FileVersion } from '../../node/fs/fileVersion';
import { undamagedName } from '../../node/fs/moveAside';
import { innermostFolder, isInside, isInsideAny, outermostFolders } from '../../node/fs/realPaths';
import type { Git } from '../../node/gitCommand';
import { createdBefore } from '../storage/fileAge';
import { contentInTree } from '../storage/fileContent';
import type { FileContent } from '../storage/fileContent';
import type { FileModes } from './fileModes';
import { bitsIn } from './fileModes';
import { ShadowRepository, shadowName } from './shadowRepository';
import type { FolderTree, TreePlace } from './treeFiles';
import type { UserRepository } from './userRepository';

export interface RootTree extends FolderTree {
  readonly folder: string;
  /** Undefined where they are not known. */
  readonly modes?: FileModes;
}

interface WorkspaceSnapshot {
  readonly roots: readonly RootTree[];
  /** Absolute paths of files that are too large. */
  readonly omitted: readonly string[];
  /** Sentences about missing folders. */
  readonly problems: readonly string[];
}

/** What a recording knows beside its tree. */
interface Recording {
  modes: FileModes | undefined;
  place: TreePlace;
  /** A git process for one file takes as long as for hundreds, so look-ups share processes. One batch for each tree. */
  lookUps: Batch<string, FileBefore>;
}

interface Root extends Recording {
  readonly shadowRepository: ShadowRepository;
  tree: Promise<string> | undefined;
  /** Absolute paths of files that are too large or unreadable and of unreadable folders, and their version at the start of agents that still work. */
  omitted: ReadonlyMap<string, FileVersion | 'none'>;
  /** Start of the recording: milliseconds since 1970. */
  recordedAt: number;
  /** The first recording of agents that still work: what they have changed since is not part of the files before. */
  earlier: EarlierRecording | undefined;
  /** Why changes since the last recording may be missing. */
  failure: string | undefined;
}

interface EarlierRecording extends Recording {
  readonly tree: Promise<string>;
}

/** A file in the last recording. */
interface FileBefore {
  readonly content: FileContent | undefined;
}

/** Milliseconds for a scan, which the next prompt waits for. */
const SCAN_TIMEOUT_MS = 10_000;
const NOTHING: ReadonlyMap<string, FileBefore> = new Map();

/** Where agents work. */
export interface FolderWork {
  /** An agent works in the folder: a new recording does not replace its baseline. */
  isWorkedIn(folder: string): boolean;
  /** As {@link isWorkedIn}, also while a turn is being started: other folders are not scanned. */
  mayChange(folder: string): boolean;
}

const ANYWHERE: FolderWork = { isWorkedIn: () => false, mayChange: () => true };

/** Snapshots of all workspace folders and nested repositories, one shadow repository each. */
export class WorkspaceSnapshots {
  readonly #roots = new Map<string, Root>();

  /** @param storage absolute; parent folder of the repositories */
  constructor(
    private readonly git: Git,
    private readonly log: Logger,
    private readonly storage: string,
    /** Absolute; of the workspace, and git worktrees. */
    private readonly folders: () => readonly string[],
    private readonly work: FolderWork = ANYWHERE,
  ) {}

  /** Finds the user's repositories, so that commits are noticed without a snapshot. Never rejects. */
  async locate(): Promise<void> {
    if (!(await this.git.available())) return;
    for (const folder of await outermostFolders(this.folders())) {
      const root = this.#root(folder);
      await root.shadowRepository.locate().catch((error: unknown) => {
        this.log.warn('review', `Failed to locate the repository of ${folder}: ${errorMessage(error)}`);
      });
    }
  }

  /**
   * Records the files of these folders as the baseline, and reports what was not recorded in time. The baseline of other folders stays.
   * Never rejects.
   * @param now milliseconds since 1970, as far as the caller knows: the clock may be behind
   */
  async record(signal: AbortSignal, folders = this.folders(), now = 0): Promise<Omit<WorkspaceSnapshot, 'roots'>> {
    const problem = await this.git.problem();
    if (problem !== undefined) return { omitted: [], problems: [problem] };
    if (folders.length === 0) return { omitted: [], problems: [t('No folder is open')] };
    const problems: string[] = [];
    const done = await this.#recordEach(await outermostFolders(folders), { signal, now, problems });
    const open = this.folders();
    for (const folder of this.#roots.keys()) {
      const isStale = isInsideAny(folders, folder) || !isInsideAny(open, folder);
      if (isStale && !done.has(folder)) this.#roots.delete(folder);
    }
    const roots = [...done].flatMap((folder) => this.#roots.get(folder) ?? []);
    return { omitted: roots.flatMap(({ omitted }) => Array.from(omitted.keys())), problems };
  }

  /** The trees of the last recording of these folders. */
  async trees(folders = this.folders()): Promise<readonly RootTree[]> {
    const trees: RootTree[] = [];
    for (const root of this.#roots.values()) {
      const { modes, place } = root;
      const { folder } = root.shadowRepository;
      if (!isInsideAny(folders, folder)) continue;
      const tree = await this.#tree(root);
      if (tree !== undefined) trees.push({ folder, tree, ...place, ...omitUndefined({ modes }) });
    }
    return trees;
  }

  /** Never rejects. */
  async snapshot(signal: AbortSignal, folders?: readonly string[]): Promise<WorkspaceSnapshot> {
    const recorded = await this.record(signal, folders);
    return { ...recorded, roots: await this.trees(folders) };
  }

  /** Omits files that the baseline does not know. */
  async lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, FileBefore>> {
    const found = new Map<string, FileBefore>();
    for (const [root, own] of this.#byRoot(paths)) {
      const { lookUps } = root.earlier ?? root;
      const files = await lookUps.get(own).catch((error: unknown) => this.#fail(root, error));
      // A git worktree may have been discarded meanwhile.
      if (this.#isOpen(root)) for (const [path, file] of files) found.set(path, file);
    }
    return found;
  }

  /**
   * Omits the changes of a folder that cannot be scanned.
   * @param how `modes` also finds files of which only the permissions differ that git does not know: it takes longer
   */
  async changedPaths(how?: 'modes'): Promise<readonly string[]> {
    const found: string[] = [];
    for (const root of this.#roots.values()) {
      const { folder } = root.shadowRepository;
      if (root.tree === undefined || !this.#isOpen(root) || !this.work.mayChange(folder)) continue;
      try {
        const { shadowRepository } = root;
        const isRemoved = await this.#isRemoved(folder);
        const paths = isRemoved
          ? await shadowRepository.paths({ ...root.place, tree: await root.tree })
          : (await shadowRepository.changedPaths(AbortSignal.timeout(SCAN_TIMEOUT_MS))).paths;
        const { modes } = root.earlier ?? root;
        const ofMode = how && modes && !isRemoved ? await shadowRepository.changedModes(modes) : [];
        const all = [...paths, ...ofMode, ...(await this.#recordedSince(root))];
        found.push(...new Set(all.filter((path) => isInsideAny(this.folders(), path) && !isOmitted(root, path))));
      } catch (error) {
        this.#fail(root, error);
      }
    }
    return found;
  }

  /** Why changes since the last recording of these folders may be missing; undefined if all are known. */
  failureIn(folders: readonly string[]): string | undefined {
    const roots = [...this.#roots.values()].filter((root) => overlaps(folders, root.shadowRepository.folder));
    return roots.find(({ failure }) => failure !== undefined)?.failure;
  }

  /** Files of these folders that changed, and whose names are not UTF-8: see {@link ShadowRepository.changedOddNames}. */
  async changedOddNames(folders: readonly string[]): Promise<readonly string[]> {
    const own = this.repositories().filter(({ folder }) => isInsideAny(folders, folder));
    return (await Promise.all(own.map((each) => each.changedOddNames()))).flat();
  }

  /** Files of these folders that have no copy in the baseline, and that were changed or deleted since. */
  async changedOmitted(folders: readonly string[]): Promise<readonly string[]> {
    const before = [...this.#roots.values()].flatMap(({ tree, omitted }) => (tree ? Array.from(omitted) : []));
    const own = before.filter(([path]) => isInsideAny(folders, path));
    const now = new Map(await versionsOf(own.map(([path]) => path)));
    return own.flatMap(([path, version]) => (isSameVersion(now.get(path) ?? 'none', version) ? [] : path));
  }

  /** Drops the baseline until the next snapshot. */
  dropBaseline(): void {
    for (const root of this.#roots.values()) {
      root.earlier = undefined;
      this.#setTree(root, undefined);
    }
  }

  /** The shadow repository of a present or former workspace folder. */
  shadowRepository(folder: string): ShadowRepository {
    return this.#roots.get(folder)?.shadowRepository ?? new ShadowRepository(this.git, this.log, this.storage, folder);
  }

  repositories(): readonly ShadowRepository[] {
    return [...this.#roots.values()].map(({ shadowRepository }) => shadowRepository);
  }

  /** Deletes repositories of folders that are neither open nor in a checkpoint. */
  async removeUnused(inCheckpoints: ReadonlySet<string>): Promise<void> {
    const used = new Set([...inCheckpoints, ...this.#roots.keys(), ...this.folders()].map(shadowName));
    for (const name of await readdir(this.storage).catch(() => [])) {
      if (!used.has(undamagedName(name))) await rm(join(this.storage, name), { recursive: true, force: true });
    }
  }

  /** Paths by their names in the user's repositories around them. */
  namesInRepositories(paths: readonly string[]): [UserRepository, ReadonlyMap<string, string>][] {
    return [...this.#byRoot(paths)].flatMap(([{ shadowRepository }, own]) => {
      const { repository, folder } = shadowRepository;
      if (!repository) return [];
      const nameOf = (path: string): string => repository.prefix + relative(folder, path).replaceAll(sep, '/');
      return [[repository, new Map(own.map((path) => [nameOf(path), path]))]];
    });
  }

  async #recordEach(
    folders: readonly string[],
    how: { readonly signal: AbortSignal; readonly now: number; readonly problems: string[] },
  ): Promise<Set<string>> {
    const { signal, now, problems } = how;
    const done = new Set<string>();
    for (const folder of folders) {
      const root = this.#root(folder);
      const recordedAt = Math.max(Date.now(), now);
      done.add(folder);
      try {
        const { tree, prefix, rules, omitted, nested, modes } = await root.shadowRepository.record(signal);
        if (!this.work.isWorkedIn(folder)) root.earlier = undefined;
        else if (root.tree)
          root.earlier ??= { tree: root.tree, modes: root.modes, place: root.place, lookUps: root.lookUps };
        root.modes = modes;
        root.place = { prefix, ...omitUndefined({ rules }) };
        this.#setTree(root, tree);
        root.failure = undefined;
        root.omitted = new Map([...(await versionsOf(omitted)), ...(root.earlier ? root.omitted : [])]);
        root.recordedAt = recordedAt;
        for (const inner of await this.#recordEach(nested, how)) done.add(inner);
      } catch (error) {
        this.#setTree(root, undefined);
        const why = isCancellation(error) ? t('recording the folder took too long') : errorMessage(error);
        this.log.warn('review', `Omitted ${folder} from the checkpoint: ${why}`);
        if (this.work.isWorkedIn(folder)) root.failure = t('{0}: {1}', folder, why);
        problems.push(t('{0} is not included in the checkpoint: {1}', folder, why));
      }
    }
    return done;
  }

  /** What the last recording has otherwise than the baseline of working agents. */
  async #recordedSince(root: Root): Promise<readonly string[]> {
    const { shadowRepository, earlier, tree } = root;
    if (!earlier || !tree) return [];
    try {
      const before = { ...earlier, tree: await earlier.tree };
      return (await shadowRepository.compare(before, { ...root, tree: await tree })).map(({ path }) => path);
    } catch (error) {
      root.earlier = undefined;
      this.#fail(root, error);
      return [];
    }
  }

  /** Undefined when it could not be created. */
  async #tree(root: Root, tree = root.tree): Promise<string | undefined> {
    try {
      return await tree;
    } catch (error) {
      this.log.warn('review', `Omitted ${root.shadowRepository.folder} from the checkpoint: ${errorMessage(error)}`);
      if (root.tree === tree) this.#setTree(root, undefined);
      return undefined;
    }
  }

  #fail(root: Root, error: unknown): ReadonlyMap<string, FileBefore> {
    const { folder } = root.shadowRepository;
    root.failure = t('{0}: {1}', folder, errorMessage(error));
    this.log.warn('review', `Failed to compare ${folder} with its last recording: ${errorMessage(error)}`);
    return NOTHING;
  }

  #setTree(root: Root, tree: Promise<string> | undefined): void {
    root.tree = tree;
    // A look-up is answered from the tree that was current when it was requested.
    const { modes, place } = root;
    root.lookUps = new Batch(async (paths) => {
      const id = await this.#tree(root, tree);
      return id === undefined ? NOTHING : lookUpIn(root, { ...place, tree: id }, modes, paths);
    });
  }

  #root(folder: string): Root {
    const existing = this.#roots.get(folder);
    if (existing) return existing;
    const shadowRepository = this.shadowRepository(folder);
    const root: Root = {
      shadowRepository,
      tree: undefined,
      modes: undefined,
      place: {},
      omitted: new Map(),
      recordedAt: 0,
      failure: undefined,
      earlier: undefined,
      lookUps: new Batch(async () => NOTHING),
    };
    this.#roots.set(folder, root);
    return root;
  }

  /**
   * Whether a nested repository was deleted with its folder, or something else is in its place. A workspace folder may be on a
   * disk that is not connected.
   */
  async #isRemoved(folder: string): Promise<boolean> {
    const isNested = [...this.#roots.keys()].some((other) => folder.startsWith(other + sep));
    return isNested && lstat(folder).then((found) => !found.isDirectory(), isMissingPath);
  }

  /** False for a folder that was closed since it was recorded, or a discarded git worktree, unless a folder in it is open. */
  #isOpen({ shadowRepository }: Root): boolean {
    return overlaps(this.folders(), shadowRepository.folder);
  }

  /** Groups paths by their innermost root. */
  #byRoot(paths: readonly string[]): Map<Root, string[]> {
    const found = new Map<Root, string[]>();
    for (const path of paths) {
      let best: Root | undefined;
      for (const root of this.#roots.values()) {
        if (!path.startsWith(root.shadowRepository.folder + sep)) continue;
        if (!best || root.shadowRepository.folder.length > best.shadowRepository.folder.length) best = root;
      }
      if (best) found.set(best, [...(found.get(best) ?? []), path]);
    }
    return found;
  }
}

async function lookUpIn(
  root: Root,
  tree: FolderTree,
  modes: FileModes | undefined,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileBefore>> {
  const found = new Map<string, FileBefore>();
  const files = await root.shadowRepository.contents(tree, paths);
  const rest = paths.filter((path) => !files.has(path));
  const ignored = await root.shadowRepository.findIgnored(rest);
  const older = await createdBefore(root.shadowRepository.maybeOlder(rest), root.recordedAt);
  for (const path of rest) {
    if (!ignored.has(path) && !older.has(path) && !isOmitted(root, path)) found.set(path, { content: undefined });
  }
  for (const [path, { mode, bytes }] of files) {
    const permissions = bitsIn(modes, root.shadowRepository.folder, path, mode);
    if (bytes) found.set(path, { content: contentInTree(path, mode, bytes, permissions) });
    else root.failure ??= t('{0}: the recorded content is lost', path);
  }
  return found;
}

/** Whether the baseline has no copy of a file that may have been there, possibly in a folder that cannot be read. */
function isOmitted({ omitted }: Root, path: string): boolean {
  if (omitted.size === 0 || omitted.has(path)) return omitted.has(path);
  const folders = [...omitted].flatMap(([each, version]) => (version === 'none' ? each : []));
  return innermostFolder(folders, path) !== undefined;
}

function versionsOf(paths: readonly string[]): Promise<(readonly [path: string, version: FileVersion | 'none'])[]> {
  return mapLimited(
    paths,
    MAX_OPEN_FILES,
    async (path) => [path, await fileVersion(path).catch((): 'none' => 'none')] as const,
  );
}

function overlaps(folders: readonly string[], folder: string): boolean {
  return isInsideAny(folders, folder) || folders.some((each) => isInside(folder, each));
}
