import { execFile } from 'node:child_process';
import type { ChildProcess, ExecFileOptions } from 'node:child_process';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { findOnPath } from '../../agent/registry/findOnPath';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment, withSafePath } from '../../node/process/processEnvironment';
import type { NotificationHost } from './notificationCommand';
import { CLICKED, NOTIFY_SEND, notificationCommand } from './notificationCommand';
import type { SystemNotificationText } from '../uiTypes';

/** Milliseconds; later a program that has shown nothing counts as failed and is ended. */
const DEADLINE_MS = 10_000;
/** Milliseconds that a program waits for a click, and how many wait: the oldest is ended first. */
const CLICK_TIMEOUT_MS = 10 * 60_000;
const MAX_WAITING = 5;

/** What a click on a notification does. */
interface NotificationClick {
  /** Opens the session from outside. */
  readonly link: string;
  /** The program reports the click itself. */
  onDidClick(): void;
}

/** Shows notifications by a program of the operating system. */
export class PlatformNotifier implements Disposable {
  /** Programs that wait for a click, oldest first. */
  readonly #waiting = new Set<ChildProcess>();
  /** Whether a program, by its path, reports clicks. */
  readonly #actions = new Map<string, Promise<boolean>>();
  #hasLogged = false;

  constructor(
    private readonly host: NotificationHost,
    private readonly env: NodeJS.ProcessEnv,
    /** Whether a folder of PATH may contain programs of the workspace. */
    private readonly isExcluded: (folder: string) => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  /** False if the program is missing or fails, which is logged once. Never rejects. */
  async show(text: SystemNotificationText, click: NotificationClick): Promise<boolean> {
    const problem = await this.#show(text, click);
    if (problem !== undefined && !this.#hasLogged) {
      this.#hasLogged = true;
      this.log.info('ui', `Failed to show a system notification: ${problem}`);
    }
    return problem === undefined;
  }

  dispose(): void {
    for (const child of this.#waiting) child.kill('SIGKILL');
    this.#waiting.clear();
  }

  /** @returns why it failed */
  async #show(text: SystemNotificationText, click: NotificationClick): Promise<string | undefined> {
    const isWindows = this.host.platform === 'win32';
    const { file, env: added } = notificationCommand(text, this.host, { ...click, hasActions: false });
    const env = await withSafePath(processEnvironment(this.env, added, isWindows), (folder) => this.isExcluded(folder));
    const program = isAbsolute(file) ? file : findOnPath(file, env);
    if (program === undefined) return `${file} was not found`;
    const hasActions = file === NOTIFY_SEND && (await this.#hasActions(program, env));
    const { args } = notificationCommand(text, this.host, { ...click, hasActions });
    return hasActions ? this.#waitForClick(program, args, env, click) : run(program, args, optionsOf(env));
  }

  /** notify-send 0.8 (2022) and later. */
  #hasActions(program: string, env: Env): Promise<boolean> {
    let found = this.#actions.get(program);
    found ??= new Promise((resolve) => {
      const child = execFile(program, ['--help'], optionsOf(env), (error, output) =>
        resolve(!error && output.includes('--action') && output.includes('--print-id')),
      );
      child.stdin?.end();
    });
    this.#actions.set(program, found);
    return found;
  }

  /** Settles as soon as the notification is shown; the program goes on. */
  #waitForClick(
    program: string,
    args: readonly string[],
    env: Env,
    click: NotificationClick,
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      let output = '';
      const deadline = setTimeout(() => child?.kill('SIGKILL'), DEADLINE_MS);
      const settle = (problem?: string): void => {
        clearTimeout(deadline);
        resolve(problem);
      };
      const child = start(program, args, { ...optionsOf(env), timeout: CLICK_TIMEOUT_MS }, (problem) => {
        if (child) this.#waiting.delete(child);
        // A desktop without actions: the notification was shown, and the program fails.
        settle(hasId(output) ? undefined : (problem ?? `${program} has shown nothing`));
        if (output.split(/\r?\n/).includes(CLICKED)) click.onDidClick();
      });
      child?.stdout?.on('data', (chunk: string) => {
        output += chunk;
        if (hasId(output)) settle();
      });
      if (child) this.#track(child);
    });
  }

  #track(child: ChildProcess): void {
    this.#waiting.add(child);
    const [oldest] = this.#waiting;
    if (this.#waiting.size > MAX_WAITING) oldest?.kill('SIGKILL');
  }
}

/** Without a notification service, the id is 0. */
function hasId(output: string): boolean {
  return /^[1-9]\d*\r?\n/.test(output);
}

function optionsOf(env: Env): ExecFileOptions & { readonly encoding: 'utf8' } {
  return { timeout: DEADLINE_MS, killSignal: 'SIGKILL', cwd: homedir(), env, windowsHide: true, encoding: 'utf8' };
}

/** @returns why it failed */
function run(
  program: string,
  args: readonly string[],
  options: ReturnType<typeof optionsOf>,
): Promise<string | undefined> {
  return new Promise((resolve) => void start(program, args, options, resolve));
}

/** @param onDidEnd gets why it failed */
function start(
  program: string,
  args: readonly string[],
  options: ReturnType<typeof optionsOf>,
  onDidEnd: (problem: string | undefined) => void,
): ChildProcess | undefined {
  try {
    const child = execFile(program, args, options, (error) => {
      // The message of the error contains the arguments.
      onDidEnd(error ? `${program} ended with ${error.code ?? error.signal ?? 'an error'}` : undefined);
    });
    child.stdin?.end();
    return child;
  } catch (error) {
    // Node throws for arguments that no program can get, such as one with a NUL character.
    onDidEnd(String(error));
    return undefined;
  }
}
