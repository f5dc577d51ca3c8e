import { readdirSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nullLogger } from '../../../src/base/logger';
import { Git } from '../../../src/node/gitCommand';
import type { NewWorktree } from '../../../src/worktrees/createWorktree';
import { RepositoryWorktrees } from '../../../src/worktrees/repositoryWorktrees';
import type { WorktreeRecord } from '../../../src/worktrees/worktreeRecord';
import { makeTemporaryFolder, removeFolder } from '../../host/workspace.mjs';
import { folderTemplate } from '../../kit/folderTemplate';
import { runGit } from '../../kit/runGit';

const repository = folderTemplate(async (folder) => {
  runGit(folder, 'init', '-q', '-b', 'main');
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
  await writeFile(join(folder, '.gitignore'), '.env*\nbuild/\n');
  runGit(folder, 'add', '-A');
  runGit(folder, 'commit', '-qm', 'first');
});

/** A repository with one commit, and its worktrees, with real git. */
export class WorktreeBench {
  readonly base: string;
  readonly folder: string;
  readonly storage: string;
  #worktrees: RepositoryWorktrees | undefined;

  private constructor(base: string) {
    this.base = base;
    this.folder = join(base, 'project');
    this.storage = join(base, 'storage');
  }

  /** Process id of another window. */
  static of(base: string): WorktreeBench {
    return new WorktreeBench(base);
  }

  /** @param base A new folder for all data; default: a temporary one. */
  static async open(base?: string): Promise<WorktreeBench> {
    const bench = new WorktreeBench(base ?? (await realpath(await makeTemporaryFolder('worktrees'))));
    await repository(bench.folder);
    // Git takes a copied file for a changed one until it has read it.
    bench.git('update-index', '--refresh');
    bench.#worktrees = await bench.window();
    return bench;
  }

  get worktrees(): RepositoryWorktrees {
    if (!this.#worktrees) throw new Error('not open');
    return this.#worktrees;
  }

  /** The worktrees as another window opens them. */
  window(
    program = 'git',
    storage = this.storage,
    owner = 'workspace',
    folder = this.folder,
  ): Promise<RepositoryWorktrees> {
    const git = new Git(program, join(this.base, 'git'));
    return RepositoryWorktrees.open(git, nullLogger, storage, owner, [folder]);
  }

  git(...args: string[]): string {
    return runGit(this.folder, ...args);
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-qm', message, '--allow-empty');
  }

  async write(name: string, text: string | Buffer, at = this.folder): Promise<void> {
    await mkdir(dirname(join(at, name)), { recursive: true });
    await writeFile(join(at, name), text);
  }

  async create(more: Partial<NewWorktree> = {}): Promise<WorktreeRecord> {
    const wanted = { folder: this.folder, text: 'Fix the login', include: [], ...more };
    return (await this.worktrees.create(wanted)).worktree;
  }

  async changes(record: WorktreeRecord): Promise<string[]> {
    return (await this.worktrees.changes(record)).map(({ name, status }) => `${status} ${name}`);
  }

  /** Worktrees and branches that git and the disk still have. */
  left(storage = this.storage): unknown {
    return {
      worktrees: this.git('worktree', 'list', '--porcelain').match(/^worktree .*/gm)?.length,
      branches: this.git('branch', '--format=%(refname:short)').trim().split('\n'),
      folders: readdirSync(storage).filter((name) => name !== '.locks'),
    };
  }

  close(): Promise<void> {
    this.#worktrees?.dispose();
    return removeFolder(this.base);
  }
}

export const NOTHING_LEFT = { worktrees: 1, branches: ['main'], folders: [] };

/** A test whose git is a shell script, which Windows cannot start. */
export function onlyWithSh(title: string, test: () => Promise<void>): void {
  (process.platform === 'win32' ? it.skip : it)(title, test);
}
