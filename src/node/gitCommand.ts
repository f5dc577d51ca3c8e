import { isUtf8 } from 'node:buffer';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CanceledError, isCancellation, ParleyError, systemErrorCode, withDiskAdvice } from '../base/errors';
import { t } from '../base/l10n';
import { explainSpawnError } from './process/spawnError';

export interface GitCall {
  readonly cwd: string;
  /** Our own repository; undefined when locating the user's. */
  readonly gitDir?: string;
  /** `gitDir` belongs to the user's repository, so that its configuration may define hooks. */
  readonly isUserRepository?: true;
  readonly workTree?: string;
  /** Replaces the repository's index; absolute. */
  readonly index?: string;
  /** A folder with further objects; absolute. */
  readonly objects?: string;
  readonly input?: string | Uint8Array;
  /** `check-ignore` takes literal paths, and rejects the option for them. */
  readonly hasPlainPaths?: true;
  /** Cancels the call; replaces the deadline. After `AbortSignal.timeout` the error says so. */
  readonly signal?: AbortSignal;
  /** Successful exit codes; defaults to 0. */
  readonly accept?: readonly number[];
}

/** A git process that exited successfully. */
interface FinishedGit {
  /** Standard output. */
  readonly out: Buffer;
  readonly code: number;
  /** Standard error, without its beginning if it is long. */
  readonly warnings: string;
}

/** Names of `-z` output. */
interface GitNames {
  readonly names: readonly string[];
  /** Those that are not UTF-8, with one character for each byte. */
  readonly odd: readonly string[];
  /** As in {@link FinishedGit}. */
  readonly warnings: string;
}

const MAX_STDERR_CHARS = 64 * 1024;
/** In the details of an error. */
const MAX_DETAIL_CHARS = 2_000;
/** Default milliseconds: a pipe in place of a repository file blocks git forever. */
const GIT_TIMEOUT_MS = 30_000;
/** Milliseconds that a canceled git has for deleting its lock files. */
const EXIT_WAIT_MS = 5_000;
/** Commands that only read, or create a repository of ours: none of them runs a hook (githooks). */
const WITHOUT_HOOKS: ReadonlySet<string> = new Set([
  'cat-file',
  'check-attr',
  'check-ignore',
  'config',
  'diff-files',
  'diff-index',
  'diff-tree',
  'for-each-ref',
  'init',
  'log',
  'ls-files',
  'ls-tree',
  'reflog',
  'rev-parse',
  'version',
  'worktree list',
]);
const NO_GIT = t('Git was not found: only files that the agent changes through Parley are covered');
const UNTRUSTED = t(
  'Git is not used because the workspace is not trusted: only files that the agent changes through Parley are covered',
);

/**
 * Runs git without the user's configuration, hooks, filters and file system monitor, so that neither settings nor a hostile repository can
 * make it run programs, and stored bytes equal the file's.
 */
export class Git {
  readonly #none: string;
  #ready: Promise<boolean> | undefined;

  /**
   * @param program a name on PATH, or a path
   * @param folder absolute; for empty files that replace the user's configuration
   * @param permitted false in an untrusted workspace, where nothing runs (like VS Code's git)
   * @param deadline milliseconds for a call without a signal
   */
  constructor(
    private readonly program: string,
    folder: string,
    private readonly permitted: () => boolean = () => true,
    private readonly deadline = GIT_TIMEOUT_MS,
  ) {
    this.#none = join(folder, 'empty');
  }

  /** Why git cannot run, without a full stop: no trust, no git, or a version before 2.25. */
  async problem(): Promise<string | undefined> {
    if (!this.permitted()) return UNTRUSTED;
    return (await (this.#ready ??= this.#probe())) ? undefined : NO_GIT;
  }

  async available(): Promise<boolean> {
    return (await this.problem()) === undefined;
  }

  /**
   * Standard output of a git command.
   * @throws ParleyError with git's error, or that the workspace is not trusted
   */
  async run(args: readonly string[], call: GitCall): Promise<Buffer> {
    return (await this.finish(args, call)).out;
  }

  /**
   * Exit code of a git command, one of those in `call.accept`.
   * @throws ParleyError as {@link run}
   */
  async exitCode(args: readonly string[], call: GitCall): Promise<number> {
    return (await this.finish(args, call)).code;
  }

  async text(args: readonly string[], call: GitCall): Promise<string> {
    return (await this.run(args, call)).toString().trimEnd();
  }

  /** Fields of `-z` output. */
  async fields(args: readonly string[], call: GitCall): Promise<string[]> {
    return toFields((await this.run(args, call)).toString());
  }

  async names(args: readonly string[], call: GitCall): Promise<GitNames> {
    const { out, warnings } = await this.finish(args, call);
    if (isUtf8(out)) return { names: toFields(out.toString()), odd: [], warnings };
    const all = toFields(out.toString('latin1'));
    const isPlain = (bytes: string): boolean => isUtf8(Buffer.from(bytes, 'latin1'));
    const names = all.filter(isPlain).map((bytes) => Buffer.from(bytes, 'latin1').toString());
    return { names, odd: all.filter((bytes) => !isPlain(bytes)), warnings };
  }

  /**
   * Reads the user's configuration: values by lower-case key, the last one wins; `true` for a setting without a value.
   * @param type `path` expands `~`; then a setting without a value makes the result empty
   */
  async configuration(cwd: string, pattern: string, type?: 'path'): Promise<ReadonlyMap<string, string>> {
    if (!this.permitted()) return new Map();
    const env = withoutGit(process.env);
    const args = ['config', '--null', ...(type ? [`--type=${type}`] : []), '--get-regexp', pattern];
    const out = await this.#execute(args, env, { cwd, accept: [0, 1] }).then(
      (done) => done.out.toString(),
      () => '',
    );
    const entries = out.matchAll(/([^\n\0]+)(?:\n([^\0]*))?\0/g);
    return new Map(Array.from(entries, ([, key = '', value = 'true']) => [key, value]));
  }

  /** All that a git command leaves. @throws ParleyError as {@link run} */
  async finish(args: readonly string[], call: GitCall): Promise<FinishedGit> {
    if (!this.permitted()) throw new ParleyError('untrusted', `${UNTRUSTED}.`);
    const hooks = mayRunHooks(args, call) ? await this.#configuredHooks(call) : [];
    return this.#execute([...this.#settings(), ...args], this.#environment(call, hooks), call);
  }

  /** Names of the hooks in the configuration of a repository. Git 2.54 runs them whatever `core.hooksPath` is. */
  async #configuredHooks(call: GitCall): Promise<readonly string[]> {
    const list = ['config', '-z', '--name-only', '--get-regexp', '^hook\\.'];
    const keys = await this.fields(list, { ...call, input: '', accept: [0, 1] });
    // `hook.jobs` has no name, but `hook..event` has an empty one.
    const names = keys.flatMap((key) => /^hook\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []);
    return [...new Set(names)];
  }

  async #execute(args: readonly string[], env: NodeJS.ProcessEnv, call: GitCall): Promise<FinishedGit> {
    const signal = call.signal ?? AbortSignal.timeout(this.deadline);
    try {
      return await execute(this.program, args, env, { ...call, signal });
    } catch (error) {
      throw isCancellation(error) && isTimeout(signal.reason) ? gitError(args, t('timed out')) : error;
    }
  }

  async #probe(): Promise<boolean> {
    try {
      await mkdir(this.#none, { recursive: true });
      await writeFile(join(this.#none, 'config'), '');
      const version = (await this.text(['version'], { cwd: this.#none })).match(/(\d+)\.(\d+)/);
      const major = Number(version?.[1]);
      const minor = Number(version?.[2]);
      return major > 2 || (major === 2 && minor >= 25);
    } catch (error) {
      // Only a missing program stays missing: a busy machine or a full disk can recover before the next call.
      if (systemErrorCode(error) !== 'ENOENT') this.#ready = undefined;
      return false;
    }
  }

  #settings(): string[] {
    const empty = join(this.#none, 'config');
    const settings = {
      'core.hooksPath': this.#none,
      'core.fsmonitor': 'false',
      'core.untrackedCache': 'false',
      'core.attributesFile': empty,
      'core.excludesFile': empty,
      'core.autocrlf': 'false',
      'core.safecrlf': 'false',
      'core.quotePath': 'false',
      // Paths of more than 260 characters on Windows.
      'core.longPaths': 'true',
      'core.looseCompression': '1',
      'core.preloadIndex': 'true',
      'core.splitIndex': 'false',
      'protocol.allow': 'never',
      // A folder of ordinary files may pass for a repository (Git 2.38).
      'safe.bareRepository': 'explicit',
      'gc.auto': '0',
      // Would run `gpg.program`.
      'log.showSignature': 'false',
      'maintenance.auto': 'false',
      'user.name': 'Parley',
      'user.email': 'parley@localhost',
    };
    return Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  }

  /** @param hooks names of configured hooks to turn off; `-c` takes no names with `=` */
  #environment(
    { gitDir, workTree, index, objects, hasPlainPaths }: GitCall,
    hooks: readonly string[],
  ): NodeJS.ProcessEnv {
    const off = hooks.flatMap((name, at) => [
      [`GIT_CONFIG_KEY_${at}`, `hook.${name}.enabled`],
      [`GIT_CONFIG_VALUE_${at}`, 'false'],
    ]);
    return {
      ...withoutGit(process.env),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(this.#none, 'config'),
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...(hasPlainPaths !== true && { GIT_LITERAL_PATHSPECS: '1' }),
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      // Unlike `protocol.allow`, no `protocol.<name>.allow` of the repository overrides it.
      GIT_ALLOW_PROTOCOL: 'none',
      ...(hooks.length > 0 && { GIT_CONFIG_COUNT: String(hooks.length), ...Object.fromEntries(off) }),
      HOME: this.#none,
      XDG_CONFIG_HOME: this.#none,
      LC_ALL: 'C',
      ...(gitDir !== undefined && { GIT_DIR: gitDir }),
      ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
      // Quoted, because a path may contain the separator.
      ...(objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) }),
    };
  }
}

/** Fields of `-z` output. */
export function toFields(text: string): string[] {
  const fields = text.split('\0');
  if (fields.at(-1) === '') fields.pop();
  return fields;
}

function mayRunHooks(args: readonly string[], { gitDir, isUserRepository }: GitCall): boolean {
  const [command = '', ...rest] = args.slice(commandIndex(args));
  const isReader = WITHOUT_HOOKS.has(command) || WITHOUT_HOOKS.has(`${command} ${rest[0]}`);
  return !isReader && (gitDir === undefined || isUserRepository === true);
}

/** Index of the command, after settings. */
function commandIndex(args: readonly string[]): number {
  return args.findIndex((arg, at) => arg !== '-c' && args[at - 1] !== '-c');
}

/** Removes git's own variables, which would select another repository. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_/i.test(name)));
}

function execute(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  call: GitCall & { readonly signal: AbortSignal },
): Promise<FinishedGit> {
  return new Promise((resolve, reject) => {
    const { signal } = call;
    if (signal.aborted) return reject(new CanceledError());
    // Without streams where the process may open no more files.
    const child: ChildProcess = spawn(program, args, { cwd: call.cwd, env, windowsHide: true, signal });
    const out: Buffer[] = [];
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-MAX_STDERR_CHARS)));
    // If git ends early, its exit code is the error.
    child.stdin?.on('error', () => undefined);
    child.on('error', (error) => {
      if (!signal.aborted) return reject(explainSpawnError(error, call.cwd));
      const canceled = (): void => reject(new CanceledError());
      if (child.pid === undefined) return canceled();
      // The caller may delete what git writes.
      child.once('exit', canceled);
      setTimeout(canceled, EXIT_WAIT_MS).unref();
    });
    child.on('close', (code) => {
      if (code !== null && (call.accept ?? [0]).includes(code))
        resolve({ out: Buffer.concat(out), code, warnings: stderr });
      else reject(signal.aborted ? new CanceledError() : gitError(args, stderr));
    });
    child.stdin?.end(call.input ?? '');
  });
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

function gitError(args: readonly string[], stderr: string): ParleyError {
  const command = args[commandIndex(args)] ?? '';
  const message = stderr.trim().split('\n').at(-1) ?? '';
  return new ParleyError('internal', t('git {0} failed: {1}', command, withDiskAdvice(message)), {
    detail: stderr.slice(-MAX_DETAIL_CHARS),
  });
}

/** The user's global ignore file. */
export async function globalExcludes(git: Git, folder: string): Promise<string> {
  return excludesFile(await git.configuration(folder, '^core\\.excludesfile$', 'path'));
}

/** The user's global ignore file. @param configuration With `core.excludesfile`, if the user has set it. */
export function excludesFile(configuration: ReadonlyMap<string, string>): string {
  const config = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return configuration.get('core.excludesfile') ?? join(config, 'git', 'ignore');
}

/** Milliseconds for listing ignored files. */
const LIST_DEADLINE_MS = 10_000;

/**
 * What git ignores in a folder, with the user's global ignore file.
 * @param folder absolute
 * @returns names relative to the folder, with `/`, without those inside ignored folders; none where git cannot run
 * @throws ParleyError where there is no repository, or git takes too long
 */
export async function ignoredNames(git: Git, folder: string, deadline = LIST_DEADLINE_MS): Promise<string[]> {
  if (!(await git.available())) return [];
  const excludes = await globalExcludes(git, folder);
  const listing = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const call = { cwd: folder, signal: AbortSignal.timeout(deadline) };
  const names = await git.fields(['-c', `core.excludesFile=${excludes}`, ...listing], call);
  return names.map((name) => name.replace(/\/$/, ''));
}
