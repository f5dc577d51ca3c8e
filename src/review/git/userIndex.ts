// Protected by test/unit/review/ignoredTracked.test.ts: tracked files that an ignore rule matches are under review.
import { stat } from 'node:fs/promises';
import { errorMessage, isCancellation } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { Git } from '../../node/gitCommand';
import { indexNames, namesOnDisk } from '../../node/indexNames';
import type { UserRepository } from './userRepository';

/**
 * The files that the index of the user's repository has and ours lacks: git lists those that are new to ours, except for those that an ignore
 * rule matches. Names are relative to the top, with forward slashes.
 */
export class UserIndex {
  /** Of the index when it was read; empty before. */
  #state = '';
  /** Those that ours lacks, also of missing files. */
  #names: readonly string[] = [];
  #odd: readonly string[] = [];
  #recorded: ReadonlySet<string> = new Set();
  #found: ReadonlySet<string> = new Set();

  constructor(
    private readonly git: Git,
    private readonly log: Logger,
    private readonly repository: UserRepository,
  ) {}

  /** See {@link Git.names}. */
  get odd(): readonly string[] {
    return this.#odd;
  }

  /** Reads the index if it has changed. @param scope arguments that limit the files */
  async read(scope: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { top, gitDir, index } = this.repository;
    const info = await stat(index, { bigint: true }).catch(() => undefined);
    // Reading a pipe would never end.
    if (!info?.isFile()) return;
    const state = [info.ino, info.size, info.mtimeNs].join(' ');
    if (state === this.#state) return;
    const call = { cwd: top, gitDir, workTree: top, isUserRepository: true, ...(signal && { signal }) } as const;
    try {
      const { names, odd } = await indexNames(this.git, call, scope);
      [this.#names, this.#odd, this.#state] = [names, odd, state];
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.log.info('review', `Failed to read the git index of ${top}: ${errorMessage(error)}`);
    }
  }

  /**
   * The files on disk that git does not list, and nested repositories with a slash at the end.
   * @param known names in our index, which stays as it is until {@link record}
   * @param listed what git lists
   * @param findMatched finds names that an ignore rule matches
   */
  async find(
    known: readonly string[],
    listed: readonly string[],
    findMatched: (names: readonly string[]) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const ours = new Set(this.#names.length > 0 ? known : []);
    // In a large repository, all names would take much memory.
    this.#names = this.#names.filter((name) => !ours.has(name));
    const others = new Set(listed.map((name) => name.replace(/\/$/, '')));
    const lacked = this.#names.filter((name) => !others.has(name));
    const { files, nested } = await namesOnDisk(this.repository.top, lacked);
    // Without a match, ours has the file by another name, such as one in lower case.
    const matched = new Set(await findMatched([...files, ...nested]));
    this.#found = new Set(files.filter((name) => matched.has(name)));
    return [...this.#found, ...nested.flatMap((name) => (matched.has(name) ? `${name}/` : []))];
  }

  /** The files that were found are recorded. @param isChanged our index changes, so that it may lack more */
  record(isChanged: boolean): void {
    this.#recorded = new Set(this.#names);
    if (isChanged) this.#state = '';
  }

  /** Whether git does not ignore a file although a rule matches it. */
  has(name: string): boolean {
    return this.#recorded.has(name) || this.#found.has(name);
  }

  /** Whether git has ignored the file at the last record. */
  isNew(name: string): boolean {
    return this.#found.has(name) && !this.#recorded.has(name);
  }
}
