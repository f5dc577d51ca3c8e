import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import { AgentTerminal } from '../../src/client/terminal/agentTerminal';
import type { PtyModule } from '../../src/client/terminal/nodePty';
import { NodePtyLoader } from '../../src/client/terminal/nodePty';
import { startCommand } from '../../src/client/terminal/terminalFeature';
import type { SessionHandle } from '../../src/session/sessionHandle';
import { emptySession } from '../../src/shared/state/sessionState';
import { ms, table } from './measure';

const SERVER = join(process.cwd(), 'test/host/node_modules/code-server/lib/vscode');
const RUNS = 5;

interface Run {
  readonly wall: number;
  readonly cpu: number;
}

/** A session that stores nothing. */
function sink(): SessionHandle {
  const unused = (): never => assert.fail('not used here');
  const userRequests = { requestPermission: unused, authorize: unused, judge: unused, elicit: unused };
  return { id: 's', cwd: '/', folders: [], state: emptySession('s'), dispatch: () => undefined, userRequests };
}

/** Milliseconds until `work` is done, and CPU milliseconds of this process. */
async function timed(work: () => Promise<void>): Promise<Run> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - started, cpu: (user + system) / 1000 };
}

/** Lower bound: the same program on a pipe whose bytes are only counted. */
async function floor(file: string): Promise<void> {
  const child = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'ignore'] });
  let bytes = 0;
  child.stdout.on('data', (data: Buffer) => (bytes += data.length));
  await once(child, 'close');
  assert.ok(bytes > 0);
}

/** A command of an agent from its start until the agent has read all output. */
async function command(file: string, expected: string, pty: PtyModule | undefined): Promise<void> {
  const options = { terminalId: 't', agentSessionId: 'a', session: sink(), limit: 1 << 20, agentLimit: 1 << 20 };
  const terminal = new AgentTerminal({ ...options, isScreen: pty !== undefined });
  const plan = { file: 'cat', args: [file], isVerbatim: false };
  const place = { cwd: tmpdir(), env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color' } };
  const start = { plan, environment: place, command: 'cat', log: nullLogger, onData: terminal.onData };
  terminal.attach(await startCommand(start, pty), 'cat', place.cwd);
  await terminal.done;
  const { output } = terminal.read();
  terminal.dispose();
  assert.ok(output.length > 1000 && expected.endsWith(output), 'the agent got the end of the output');
}

async function best(work: () => Promise<void>): Promise<Run> {
  const runs: Run[] = [];
  for (let at = 0; at < RUNS; at++) runs.push(await timed(work));
  return { wall: Math.min(...runs.map(({ wall }) => wall)), cpu: Math.min(...runs.map(({ cpu }) => cpu)) };
}

/**
 * Cost of command output in the extension host: through a pseudo-terminal, where it is rendered, and through pipes. `outputOf` is
 * the output of the command, `textOf` the text that a terminal then shows.
 */
export async function measureHost(
  outputOf: (lines: number) => string,
  textOf: (lines: number) => string,
): Promise<void> {
  const pty = await new NodePtyLoader(SERVER, nullLogger).get();
  if (!pty) throw new Error('npm ci --prefix test/host brings the pseudo-terminals that are measured');
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const rows: string[][] = [];
  for (const lines of [8750, 17_500, 35_000]) {
    const file = join(folder, String(lines));
    await writeFile(file, outputOf(lines));
    const least = await best(() => floor(file));
    const piped = await best(() => command(file, outputOf(lines), undefined));
    const drawn = await best(() => command(file, textOf(lines), pty));
    const row = ({ wall, cpu }: Run): string[] => [
      ms(wall),
      ms(cpu),
      `${Math.round((cpu * 1000) / lines)} us`,
      `x ${(wall / least.wall).toFixed(1)}`,
    ];
    rows.push([lines.toLocaleString('en'), 'bytes counted', ...row(least)]);
    rows.push(['', 'pipes', ...row(piped)], ['', 'pseudo-terminal', ...row(drawn)]);
  }
  await rm(folder, { recursive: true });
  const head = ['lines', 'through', 'until the agent has it', 'our CPU', 'per line', 'to bytes counted'];
  table('Terminal output in the host (best of 5)', [head, ...rows]);
}
