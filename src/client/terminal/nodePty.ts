import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createDeferred, settlesWithin } from '../../base/async';
import { errorMessage } from '../../base/errors';
import { isObject } from '../../base/json';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';

/** The parts of a node-pty pseudo-terminal in use. */
export interface PtyHandle {
  readonly pid: number;
  /** Path of the device that the command opens (`/dev/pts/3`); absent on Windows. */
  readonly ptsName?: string;
  onData(listener: (data: string) => void): Disposable;
  /** `signal` is a number; 0 or absent when the program exited by itself. */
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): Disposable;
  write(data: string): void;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(): void;
  /** The stream of its output. */
  readonly _socket?: { destroy(): void };
  /** From streams: an `error` without a listener would end the extension host. */
  on?(event: 'error', listener: (error: unknown) => void): void;
}

interface PtyOptions {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The parts of node-pty in use. */
export interface PtyModule {
  /**
   * Arguments in one string are for Windows, already quoted.
   * @throws Error when the system provides no pseudo-terminal
   */
  spawn(file: string, args: readonly string[] | string, options: PtyOptions): PtyHandle;
}

/** Where commands get their pseudo-terminals. */
export interface PtySource {
  /** Undefined when commands must run on pipes. */
  get(): Promise<PtyModule | undefined>;
}

/**
 * Locations of VS Code's own node-pty below its application folder: plain (server, older desktops), in an archive
 * (1.130 and later).
 */
const LOCATIONS = ['node_modules', 'node_modules.asar', 'node_modules.asar.unpacked'];

/** Maximum milliseconds of a trivial command. */
const PROBE_MS = 5_000;

/** Loads a module by its absolute path. */
export type LoadModule = (path: string) => unknown;

/**
 * Loads VS Code's own node-pty. This is not an API of VS Code, so all known locations are tried, and the module is used
 * only after it has run a command (microsoft/vscode#84439). Loaded and tested once, for the first command.
 */
export class NodePtyLoader implements PtySource {
  readonly #found = new Lazy(() => this.#find());

  /** @param appRoot `vscode.env.appRoot` */
  constructor(
    private readonly appRoot: string,
    private readonly log: Logger,
    private readonly load: LoadModule = createRequire(__filename),
  ) {}

  /** Undefined when commands must run on pipes; the log says why. */
  get(): Promise<PtyModule | undefined> {
    return this.#found.load();
  }

  async #find(): Promise<PtyModule | undefined> {
    const reasons: string[] = [];
    for (const location of LOCATIONS) {
      const path = join(this.appRoot, location, 'node-pty');
      try {
        const module = requirePty(this.load(path));
        await probe(module);
        this.log.info('client', `Loaded node-pty of VS Code for commands of agents: ${path}`);
        return module;
      } catch (error) {
        reasons.push(`${path}: ${errorMessage(error).split('\n', 1)[0] ?? ''}`);
      }
    }
    const sentence = 'Failed to load node-pty of VS Code; commands of agents run on pipes, without a terminal';
    this.log.warn('client', `${sentence}: ${reasons.join('; ')}`);
    return undefined;
  }
}

function requirePty(found: unknown): PtyModule {
  if (isObject(found) && typeof found['spawn'] === 'function') return found as unknown as PtyModule;
  throw new Error('it has no function "spawn"');
}

const MARK = 'parley-pty';

/**
 * Runs a command that prints a word.
 * @throws Error when the word or the exit is missing, or the module fails
 */
async function probe(pty: PtyModule): Promise<void> {
  const isWindows = process.platform === 'win32';
  const [file, args] = isWindows
    ? [process.env['ComSpec'] ?? 'cmd.exe', ['/d', '/c', `echo ${MARK}`]]
    : ['/bin/sh', ['-c', `echo ${MARK}`]];
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const child = pty.spawn(file, args, { name: 'xterm-256color', cols: 80, rows: 24, cwd: process.cwd(), env });
  let output = '';
  const ended = createDeferred<number>();
  // Pseudo-terminals often end with EIO; the exit event has all information.
  child.on?.('error', () => undefined);
  child.onData((data) => (output += data));
  child.onExit(({ exitCode }) => ended.resolve(exitCode));
  if (!(await settlesWithin(ended.promise, PROBE_MS))) {
    child.kill();
    throw new Error(`a trial command did not end within ${PROBE_MS / 1000} s`);
  }
  const code = await ended.promise;
  if (code !== 0 || !output.includes(MARK)) throw new Error(`a trial command ended with ${code} and wrote "${output}"`);
}
