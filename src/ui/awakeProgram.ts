import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { join } from 'node:path/win32';
import type { Writable } from 'node:stream';
import { findOnPath } from '../agent/registry/findOnPath';
import { errorMessage } from '../base/errors';
import type { Logger } from '../base/logger';
import { processEnvironment, withSafePath } from '../node/process/processEnvironment';

interface AwakeCommand {
  /** Absolute, or a name to look up on PATH. */
  readonly file: string;
  readonly args: readonly string[];
}

/** Keeps the computer awake by a program of the operating system, which ends with its stdin: also when this process is killed. */
export class AwakeProgram {
  #hasLogged = false;

  /** @param isExcluded whether a folder of PATH may contain programs of the workspace */
  constructor(
    private readonly command: AwakeCommand,
    private readonly env: NodeJS.ProcessEnv,
    private readonly isExcluded: (folder: string) => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  /** Runs it until the signal aborts. A failure is logged once. Never rejects. */
  async hold(signal: AbortSignal): Promise<void> {
    try {
      await this.#run(signal);
    } catch (error) {
      this.#logOnce(errorMessage(error));
    }
  }

  async #run(ending: AbortSignal): Promise<void> {
    const child = await this.#spawn();
    const end = (): void => void child.stdin.end();
    if (ending.aborted) end();
    else ending.addEventListener('abort', end, { once: true });
    child.once('exit', (code) => {
      if (!ending.aborted) this.#logOnce(`it ended with ${code}`);
    });
  }

  async #spawn(): Promise<ChildProcessByStdio<Writable, null, null>> {
    const { file, args } = this.command;
    const inherited = processEnvironment(this.env, {}, process.platform === 'win32');
    const env = await withSafePath(inherited, (folder) => this.isExcluded(folder));
    const program = isAbsolute(file) ? file : findOnPath(file, env);
    if (program === undefined) throw new Error(`${file} was not found`);
    const child = spawn(program, args, { cwd: homedir(), env, windowsHide: true, stdio: ['pipe', 'ignore', 'ignore'] });
    // It may have ended before its stdin is closed.
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => this.#logOnce(error.message));
    return child;
  }

  #logOnce(problem: string): void {
    if (this.#hasLogged) return;
    this.#hasLogged = true;
    this.log.info('ui', `Failed to keep the computer awake: ${problem}`);
  }
}

/** ES_CONTINUOUS | ES_SYSTEM_REQUIRED; holds until the process ends. */
const POWERSHELL = `
$kernel = Add-Type -PassThru -Name Kernel -MemberDefinition '[DllImport("kernel32.dll")] public static extern uint SetThreadExecutionState(uint state);'
[void]$kernel::SetThreadExecutionState([uint32]'0x80000001')
[void][Console]::In.ReadToEnd()
`;

/** A program that keeps the computer, not the screen, awake until its stdin ends. */
export function awakeCommand(platform: NodeJS.Platform, systemRoot = 'C:\\Windows'): AwakeCommand {
  if (platform === 'darwin') return { file: '/usr/bin/caffeinate', args: ['-i', '/bin/cat'] };
  if (platform === 'win32') {
    const folder = join(systemRoot, 'System32', 'WindowsPowerShell', 'v1.0');
    const script = Buffer.from(POWERSHELL, 'utf16le').toString('base64');
    const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', script];
    return { file: join(folder, 'powershell.exe'), args };
  }
  return { file: 'systemd-inhibit', args: ['--what=idle:sleep', '--who=Parley', '--why=An agent works', 'cat'] };
}
