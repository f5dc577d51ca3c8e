import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { findOnPath } from '../../agent/registry/findOnPath';
import type { Logger } from '../../base/logger';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment, withSafePath } from '../../node/process/processEnvironment';
import type { SystemNotificationText } from './attentionText';
import type { NotificationHost } from './notificationCommand';
import { notificationCommand } from './notificationCommand';

/** Milliseconds; later the program counts as failed and is ended. */
const DEADLINE_MS = 10_000;

/** Shows notifications by a program of the operating system. */
export class PlatformNotifier {
  readonly #host: NotificationHost;
  readonly #env: NodeJS.ProcessEnv;
  /** Whether a folder of PATH may contain programs of the workspace. */
  readonly #isExcluded: (folder: string) => Promise<boolean>;
  readonly #log: Logger;
  #hasLogged = false;

  constructor(
    host: NotificationHost,
    env: NodeJS.ProcessEnv,
    isExcluded: (folder: string) => Promise<boolean>,
    log: Logger,
  ) {
    this.#host = host;
    this.#env = env;
    this.#isExcluded = isExcluded;
    this.#log = log;
  }

  /** False if the program is missing or fails, which is logged once. Never rejects. */
  async show(text: SystemNotificationText): Promise<boolean> {
    const { file, args, env: added } = notificationCommand(text, this.#host);
    const env = await withSafePath(processEnvironment(this.#env, added, this.#host.platform === 'win32'), (folder) =>
      this.#isExcluded(folder),
    );
    const program = isAbsolute(file) ? file : findOnPath(file, env);
    const problem = program === undefined ? `${file} was not found` : await run(program, args, env);
    if (problem !== undefined && !this.#hasLogged) {
      this.#hasLogged = true;
      this.#log.info('view', `System notifications are not available: ${problem}`);
    }
    return problem === undefined;
  }
}

/** @returns why it failed */
function run(program: string, args: readonly string[], env: Env): Promise<string | undefined> {
  const options = { timeout: DEADLINE_MS, killSignal: 'SIGKILL' as const, cwd: homedir(), env, windowsHide: true };
  return new Promise((resolve) => {
    try {
      const child = execFile(program, args, options, (error) => {
        // The message of the error contains the arguments.
        resolve(error ? `${program} ended with ${error.code ?? error.signal ?? 'an error'}` : undefined);
      });
      child.stdin?.end();
    } catch (error) {
      // Node throws for arguments that no program can get, such as one with a NUL character.
      resolve(String(error));
    }
  });
}
