import type { TestApi } from '../../src/app';

/** Log messages above level info that the scripts cause, each with its cause. */
const CAUSES: readonly RegExp[] = [
  // The scripts `noise` and `raw`.
  /^warn \[wire\] Received an invalid line: (?:\{"not":"json-rpc"|\[\])$/,
  // The scripts `die`, `dieLater` and `leave`; a Stop may come between the agent's exit and its detection.
  /^error \[agent\] Soak stopped unexpectedly \((?:signal SIGKILL|exit code 0)\)$/,
  /^warn \[(?:wire|agent)\] Failed to send .*: Soak (?:stopped reading input|stopped unexpectedly|is not running)/,
  // Undo, Restore Checkpoint and Edit and Resend change a file, and the agent writes it again without reading it.
  /has changes by the user at line 1 that overlap with this write\. Nothing was written\./,
];

/** Collects log messages above level info that no script causes. */
export class UnexplainedLog {
  readonly lines: string[] = [];
  readonly #log: TestApi['log'];

  constructor(log: TestApi['log']) {
    this.#log = log;
    for (const level of ['warn', 'error'] as const) {
      const write = log[level].bind(log);
      log[level] = (tag, message, ...details) => {
        write(tag, message, ...details);
        const line = `${level} [${tag}] ${message} ${details.map(String).join(' ')}`.trim();
        if (!CAUSES.some((cause) => cause.test(line))) this.lines.push(line);
      };
    }
  }

  dispose(): void {
    // Restores the methods of the class.
    for (const level of ['warn', 'error'] as const) delete (this.#log as Partial<TestApi['log']>)[level];
  }
}
