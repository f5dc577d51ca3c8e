import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { AgentConnection } from '../../src/agent/connection/agentConnection';
// Warm start: the time from Enter to the first words of the answer, with and without a session opened in advance. Real agents from npm
// with a scripted model on 127.0.0.1, without VS Code.
import { systemClock } from '../../src/base/clock';
import { nullLogger } from '../../src/base/logger';
import { sessionUpdateCapabilitiesFeature } from '../../src/session/agents/sessionUpdateCapabilities';
import { SharedAgents } from '../../src/session/agents/sharedAgents';
import { WindowSessions } from '../../src/session/windowSessions';
import { AGENTS } from '../agents/catalog';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import { emptyPolicy } from '../unit/permissions/emptyPolicy';
import { ms, table } from './measure';

const NAMES = ['opencode', 'claude', 'codex'];
const ROUNDS = 3;

/** Milliseconds from Enter to the first words, in a new process with its own home folder. */
async function firstWords(agent: (typeof AGENTS)[number], model: ModelServer, isWarm: boolean): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-warm-'));
  const work = join(folder, 'work');
  await mkdir(work);
  const definition = await agent.definition(model.url, join(folder, 'home'));
  const agents = poolOf(definition, work);
  const sessions = await WindowSessions.open({
    clock: systemClock,
    agents,
    policy: emptyPolicy(),
    log: nullLogger,
    folder: join(folder, 'sessions'),
    folders: () => [work],
    home: folder,
    initialAgent: () => definition.name,
    fallbackAgent: () => definition.name,
    onHistoryError: (_session, message) => {
      throw new Error(message);
    },
  });
  try {
    const session = sessions.active;
    if (isWarm) await session.warmStart.start();
    const words = new Promise<number>((resolve) => {
      session.onDidDispatch(({ action }) => {
        if (action.type === 'textAppended' || action.type === 'errorShown') resolve(performance.now());
      });
    });
    const started = performance.now();
    const sent = session.send('say Hello');
    const shown = await words;
    await sent;
    return shown - started;
  } finally {
    await agents.shutdown();
    sessions.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

function poolOf(definition: AgentDefinition, folder: string): SharedAgents {
  return new SharedAgents({
    definitions: () => [definition],
    connect: (chosen, _lookup, onUpdate) => ({
      connection: new AgentConnection({
        definition: chosen,
        cwd: folder,
        clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
        features: [sessionUpdateCapabilitiesFeature()],
        log: nullLogger,
        onUpdate,
      }),
      services: { dispose() {} },
    }),
  });
}

async function main(): Promise<void> {
  const model = await startModelServer();
  const rows: string[][] = [];
  for (const agent of AGENTS.filter(({ name }) => NAMES.includes(name))) {
    await agent.install();
    const median = async (isWarm: boolean): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await firstWords(agent, model, isWarm));
      return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
    };
    const [cold, warm] = [await median(false), await median(true)];
    rows.push([agent.title, ms(cold), ms(warm), `x ${(warm / cold).toFixed(2)}`]);
  }
  await model.close();
  table(`From Enter to the first words of the answer (median of ${ROUNDS})`, [
    ['agent', 'cold', 'warm', 'warm / cold'],
    ...rows,
  ]);
}

void main();
