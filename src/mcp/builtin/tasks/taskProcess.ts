import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { createDeferred } from '../../../base/async';
import { errorMessage } from '../../../base/errors';
import type { Logger } from '../../../base/logger';
import { lastChars } from '../../../base/text';
import { resolveWindowsCommand } from '../../../node/fs/resolveWindowsCommand';
import { END_DEADLINES, endProcess, killProcessGroup } from '../../../node/process/endProcess';
import { killOnExit } from '../../../node/process/killOnExit';
import type { Env } from '../../../node/process/processEnvironment';
import { processEnvironment, withLoginShellPath } from '../../../node/process/processEnvironment';
import { explainSpawnError } from '../../../node/process/spawnError';
import { batchCommandLine, isBatchFile } from '../../../node/process/windowsCommand';
import type { TaskPlan } from './taskCommand';

/** UTF-16 units of output that are kept. */
const MAX_OUTPUT_CHARS = 16_000;

export interface TaskResult {
  /** Undefined when the program was killed or could not be started. */
  readonly exitCode: number | undefined;
  /** Why there is no exit code, without a full stop. */
  readonly problem?: string;
}

/** The end of a program's output, as plain text. */
export class TaskOutputTail {
  #text = '';

  add(text: string): void {
    this.#text = lastChars(this.#text + text, MAX_OUTPUT_CHARS * 2);
  }

  read(): string {
    return lastChars(
      stripVTControlCharacters(this.#text).replaceAll('\r\n', '\n').replaceAll(/^.*\r/gm, ''),
      MAX_OUTPUT_CHARS,
    );
  }
}

/** The program of a task: a process in its own group, without stdin. */
export class TaskProcess {
  readonly #end = createDeferred<TaskResult>();
  #child: ChildProcess | undefined;
  #hasExited = false;
  #release = (): void => undefined;
  #isStopped = false;

  /** @param onData gets the output of both streams */
  constructor(
    private readonly log: Logger,
    private readonly onData: (text: string) => void,
  ) {}

  /** Settles when the process has ended and its output was read. Never rejects. */
  get done(): Promise<TaskResult> {
    return this.#end.promise;
  }

  /** Never rejects: a failure to start ends the process. */
  async start(plan: TaskPlan): Promise<void> {
    try {
      const own = processEnvironment(process.env, plan.env);
      const env = await withLoginShellPath(own, this.log);
      if (!this.#isStopped) this.#spawn(process.platform === 'win32' ? onWindows(plan, env) : plan, env);
    } catch (error) {
      this.#finish({ exitCode: undefined, problem: errorMessage(error) });
    }
  }

  #spawn({ file, args, cwd, isVerbatim }: TaskPlan, env: Env): void {
    const child: ChildProcess = spawn(file, [...args], {
      ...(cwd !== undefined && { cwd }),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: isVerbatim,
    });
    this.#child = child;
    this.#release = killOnExit(() => {
      if (child.pid !== undefined) killProcessGroup(child.pid);
    }, child.pid);
    child.on('error', (error) => this.#finish({ exitCode: undefined, problem: explainSpawnError(error, cwd).message }));
    child.once('exit', (code, signal) => this.#onExit(code, signal));
    // Without streams where the process may open no more files.
    for (const stream of [child.stdout, child.stderr]) {
      // One decoder per stream: a character may be split by output of the other stream.
      const decoder = new StringDecoder('utf8');
      stream?.on('data', (chunk: Buffer) => this.onData(decoder.write(chunk)));
      stream?.on('error', (error) =>
        this.log.trace('mcp', `Failed to read the output of a task: ${errorMessage(error)}`),
      );
    }
  }

  /** Ends the process tree. */
  stop(): void {
    if (this.#isStopped || this.#hasExited) return;
    this.#isStopped = true;
    const child = this.#child;
    if (child?.pid === undefined) {
      this.#finish({ exitCode: undefined, problem: 'it was stopped' });
      return;
    }
    void endProcess({
      pid: child.pid,
      log: this.log,
      deadlines: { ...END_DEADLINES, eof: 0 },
      closeInput: () => undefined,
      hasExited: () => this.#hasExited,
      exited: this.#end.promise,
    });
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    const problem = this.#isStopped ? 'it was stopped' : `it was ended by ${signal ?? 'the system'}`;
    const end = code === null || this.#isStopped ? { exitCode: undefined, problem } : { exitCode: code };
    // A background process of the task may hold the streams open forever.
    const late = setTimeout(() => this.#finish(end), 250);
    this.#child?.once('close', () => {
      clearTimeout(late);
      this.#finish(end);
    });
  }

  #finish(end: TaskResult): void {
    this.#hasExited = true;
    this.#release();
    this.#end.resolve(end);
  }
}

/** Windows cannot start scripts such as `npm` directly. The plan of a shell stays unchanged. */
function onWindows(plan: TaskPlan, env: Env): TaskPlan {
  if (plan.isVerbatim) return plan;
  const file = resolveWindowsCommand(plan.file, plan.cwd ?? process.cwd(), env);
  // A bare name would be searched in the current folder first.
  if (file === undefined) throw new Error(`${plan.file} was not found on PATH`);
  if (!isBatchFile(file)) return { ...plan, file };
  return { ...plan, file: env['ComSpec'] ?? 'cmd.exe', args: batchCommandLine(file, plan.args), isVerbatim: true };
}
