import type { DemoToolCall } from '../demoToolCall';
import { runDemoTool } from '../demoToolCall';
import { withTerminal } from '../clientTerminal';
import type { Turn } from '../demoTurn';
import type { Scene } from './scene';

/** Runs a harmless command in a client terminal with live output. */
export const run: Scene = {
  step: 'Run a harmless command',
  how: '`terminal/create`, `terminal/wait_for_exit`',
  needs: 'terminal',
  acts: true,
  async play(turn) {
    const command = process.execPath;
    const args = ['-e', listing(turn.pace.ms * 6)];
    const start = { title: 'List the files of this folder', kind: 'execute', rawInput: { command, args } } as const;
    return runDemoTool(turn, start, (tool) => execute(turn, tool, command, args));
  },
};

async function execute(turn: Turn, tool: DemoToolCall, command: string, args: string[]): Promise<string> {
  // Uses our own executable, so that node need not be on PATH; the variable makes Electron run as Node.
  const env = [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }];
  const params = { sessionId: turn.session.id, command, args, env, cwd: turn.session.cwd, outputByteLimit: 65_536 };
  return withTerminal(turn, params, async ({ terminalId, finish }) => {
    await tool.change({ status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
    const { exit, succeeded, output } = await finish();
    await tool.change({ status: succeeded ? 'completed' : 'failed', rawOutput: { exit } });
    const lines = output.split('\n').filter((line) => line.trim() !== '').length;
    await turn.say(`The command ended with ${exit} after ${lines} ${lines === 1 ? 'line' : 'lines'} of output.`);
    return exit;
  });
}

/** A program that lists up to eight files of its folder, one every `ms` milliseconds, in color. */
function listing(ms: number): string {
  return [
    `const names = require('node:fs').readdirSync('.').sort();`,
    `let next = 0;`,
    `const timer = setInterval(() => {`,
    `  const name = next < 8 ? names[next++] : undefined;`,
    `  if (name !== undefined) return console.log('\\x1b[32m✔\\x1b[0m ' + name);`,
    `  console.log('\\x1b[1m' + names.length + '\\x1b[0m entries, seen by Node ' + process.version);`,
    `  clearInterval(timer);`,
    `}, ${Math.round(ms)});`,
  ].join('\n');
}
