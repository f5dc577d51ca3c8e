// From New Chat to an open session of real agents in the real window, compared with the agent's own start by a client that only writes and
// reads lines, as in a terminal of the same window: VS Code needs the same cores. Cold: a new home folder, and the files of the agent are
// not in the memory of the system (where `dd` can release them). Warm: the next start with the same home folder. Each Parley start is the
// first of its window, so it includes loading Parley's code. `npm run bench agents claude` measures one agent. ROUNDS: how often (default 3).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import type { TestAgent } from '../agents/catalog';
import { AGENTS } from '../agents/catalog';
import { endLeftovers } from '../agents/leftovers';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import { agentsFolder } from '../agents/places';
import { RawClient } from '../agents/rawClient';
import type { Workbench } from '../e2e/workbench';
import { openWorkbench } from '../e2e/workbench';
import { mochaHooks } from '../host/windowHost.mjs';
import { frameOf } from './clients';
import { recordGoal } from './goals';
import { ms, table } from './measure';

const NAMES = ['opencode', 'claude', 'codex', 'gemini', 'qwen'];
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
/** The most milliseconds that Parley may take beyond the agent's own start. */
const MOST_MS = 150;
const BOX = 'role=textbox[name="Message"]';
/** Milliseconds after which a window does nothing more of its own start. */
const WINDOW_START_MS = 5000;

const KINDS = ['cold', 'warm'] as const;
type Kind = (typeof KINDS)[number];

/** Milliseconds of each round. */
interface Times {
  readonly own: number[];
  readonly parley: number[];
}

/** Starts of one agent; each side has a home folder of its own in each round. */
class Starts {
  readonly #agent: TestAgent;
  readonly #model: ModelServer;
  readonly times: Record<Kind, Times> = { cold: { own: [], parley: [] }, warm: { own: [], parley: [] } };

  constructor(agent: TestAgent, model: ModelServer) {
    this.#agent = agent;
    this.#model = model;
  }

  /** @param isOwnFirst alternates, so that neither side has an advantage */
  async round(isOwnFirst: boolean): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-agents-'));
    try {
      for (const kind of KINDS) await this.#measure(kind, folder, isOwnFirst);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  async #measure(kind: Kind, folder: string, isOwnFirst: boolean): Promise<void> {
    const homes = [join(folder, 'own'), join(folder, 'parley')] as const;
    for (const home of homes) await mkdir(home, { recursive: true });
    const [own, parley] = [
      await this.#agent.definition(this.#model.url, homes[0]),
      await this.#agent.definition(this.#model.url, homes[1]),
    ];
    const workbench = await openWindow(parley);
    const sides = [
      { side: 'own', start: () => ownStart(own) },
      { side: 'parley', start: () => parleyStart(workbench) },
    ] as const;
    try {
      for (const { side, start } of isOwnFirst ? sides : sides.toReversed()) {
        if (kind === 'cold') await releaseFiles(this.#agent.name);
        this.times[kind][side].push(await start());
      }
    } finally {
      await workbench.close();
      for (const home of homes) await endLeftovers(home);
    }
  }
}

/** Milliseconds until the agent has opened a session. */
async function ownStart(definition: AgentDefinition): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'parley-agents-work-'));
  // As in the window: settings of this machine's own agents must not apply.
  const env = { PATH: process.env['PATH'] ?? '' };
  const started = performance.now();
  const client = new RawClient(definition, { cwd, env, onRequest: async () => Promise.resolve({}) });
  try {
    const fs = { readTextFile: true, writeTextFile: true };
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: { fs, terminal: true } });
    await client.request('session/new', { cwd, mcpServers: [] });
    return performance.now() - started;
  } finally {
    await client.close();
    await rm(cwd, { recursive: true, force: true });
  }
}

async function openWindow({ title, command, args, env }: AgentDefinition): Promise<Workbench> {
  const workbench = await openWorkbench({
    settings: { 'parley.agents': { [title]: { command, args, env } }, 'parley.defaultAgent': title },
  });
  await workbench.focusChat();
  await new Promise((resolve) => setTimeout(resolve, WINDOW_START_MS));
  return workbench;
}

/** Milliseconds until the page shows the selectors of the session. */
async function parleyStart(workbench: Workbench): Promise<number> {
  await workbench.focusChat();
  const frame = await frameOf(workbench, BOX);
  const { keyboard } = workbench.page;
  await keyboard.press('Control+K');
  const opened = frame.evaluate(selectorsDrawn);
  const started = Date.now();
  await keyboard.press('Alt+n');
  return (await opened) - started;
}

/** Runs in the page. Resolves with the time (`Date.now()`) at which the session's selectors (mode, model) are drawn. */
function selectorsDrawn(): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.querySelector('[data-selector]')) requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
      else setTimeout(look, 5);
    };
    look();
  });
}

/** Removes the large files of an agent from the memory of the system, on Linux. */
async function releaseFiles(name: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const folder = join(agentsFolder(), name === 'opencode' ? '' : name, 'node_modules');
  const release = 'for file; do dd if="$file" iflag=nocache count=0 status=none; done';
  const child = spawn('find', [folder, '-type', 'f', '-size', '+32k', '-exec', 'sh', '-c', release, 'sh', '{}', '+']);
  await once(child, 'close');
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

async function main(): Promise<void> {
  console.log(`Load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`);
  const wanted = process.argv.slice(2);
  const names = wanted.length > 0 ? wanted : NAMES;
  const model = await startModelServer();
  const rows: string[][] = [];
  try {
    for (const agent of AGENTS.filter(({ name }) => names.includes(name))) {
      await agent.install();
      const starts = new Starts(agent, model);
      for (let round = 0; round < ROUNDS; round++) await starts.round(round % 2 === 0);
      for (const kind of KINDS) rows.push(rowOf(agent.title, kind, starts.times[kind]));
    }
  } finally {
    await mochaHooks.afterAll.call({ timeout: () => undefined });
    await model.close();
  }
  table(`From New Chat to an open session, with a window of its own (median of ${ROUNDS})`, [
    ['agent', '', 'its own start', 'Parley', 'more', 'all rounds: own / Parley'],
    ...rows,
  ]);
}

function rowOf(title: string, kind: Kind, { own, parley }: Times): string[] {
  const more = median(parley) - median(own);
  recordGoal({ row: `${title}, ${kind}`, what: 'more than its own start', figure: more, most: MOST_MS, unit: 'ms' });
  if (more > MOST_MS) process.exitCode = 1;
  const all = [own, parley].map((times) => times.map((time) => Math.round(time)).join(' ')).join(' / ');
  return [title, kind, ms(median(own)), ms(median(parley)), ms(more), all];
}

void main();
