import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/definition';
import { handler } from '../../src/agent/features';
import { asNumber, requireObject, requireString } from '../../src/base/json';
import type { JsonObject } from '../../src/base/json';
import { RpcError, rpcCodes } from '../../src/base/rpc';
import { entriesFrom, entryAt } from '../../src/shared/entries';
import type { SessionState } from '../../src/shared/state';
import type { TestAgent } from '../agents/catalog';
import { endLeftovers } from '../agents/leftovers';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import type { Outcome, Scenario } from '../agents/scenarios';
import { FIRST_ANSWER, FIRST_PROMPT, SCENARIOS, fillWorkspace } from '../agents/scenarios';
import type { MoreFeatures } from './bench';
import { ConformanceBench } from './bench';
import { CHECKS } from './run';
import { isRequest } from './wire';

/** What every agent is driven through, by Parley's own sessions and client. */
export const AGENT_SCENARIOS = [
  'text',
  'read',
  'write',
  'edit',
  'shell',
  'reject',
  'cancel',
  'always',
  'sessions',
] as const;
export type AgentScenario = (typeof AGENT_SCENARIOS)[number];

/** An agent that does not come to an end says so, instead of hanging the terminal. */
const LIMIT_MS = 90_000;

/** Plays a scenario with a real agent. @returns complaints; none means that all is well */
export async function playAgent(agent: TestAgent, name: AgentScenario): Promise<readonly string[]> {
  if (name === 'sessions' && agent.quirks.sessions.every((one) => one === 'list' || one === 'fork')) return [];
  const server = await startModelServer();
  let definition: AgentDefinition | undefined;
  const bench = await ConformanceBench.open({
    agent: () => definition ?? placeholder(agent),
    more: () => filesOnDisk(agent),
  });
  const home = join(bench.root, 'home');
  try {
    await mkdir(home, { recursive: true });
    definition = await agent.definition(server.url, home);
    await fillWorkspace(bench.folders[0] ?? '');
    const problems = await withinLimit(
      name === 'sessions' ? sessions(bench, agent, server) : converse(bench, agent, server, name),
    );
    await bench.closeWindow();
    return [...problems, ...rules(bench)];
  } finally {
    await server.close();
    await endLeftovers(home);
    bench.remove();
  }
}

async function converse(
  bench: ConformanceBench,
  agent: TestAgent,
  server: ModelServer,
  name: string,
): Promise<readonly string[]> {
  const scenario = SCENARIOS[name];
  if (!scenario) return [`there is no scenario ${name}`];
  const isOver = answersQuestions(bench, agent, scenario);
  const turn = bench.send(scenario.prompt.replaceAll('{workspace}', bench.folders[0] ?? ''));
  if (name === 'cancel') {
    await server.reached('stop');
    await bench.until((state) => agentText(state) !== '');
    bench.session.stop();
  }
  await turn;
  isOver();
  return (await scenario.check(outcomeOf(bench, agent, server))).filter((problem) => problem !== false);
}

/** The conversation goes on after the window was reloaded, and the model still knows what was said. */
async function sessions(bench: ConformanceBench, agent: TestAgent, server: ModelServer): Promise<readonly string[]> {
  const workspace = bench.folders[0] ?? '';
  const isOver = answersQuestions(bench, agent, { permission: 'allow_once' });
  await bench.send(FIRST_PROMPT.replaceAll('{workspace}', workspace));
  isOver();
  await bench.closeWindow();
  await agent.quirks.beforeReopen?.();
  await bench.openWindow();
  const before = server.requests.length;
  await bench.send('say Second-answer.');
  const asked = server.requests.slice(before).filter(({ model }) => model?.auxiliary === undefined);
  return [
    !agentText(bench.session.state).includes('Second-answer.') && 'the second answer is missing',
    !asked.some(({ body }) => JSON.stringify(body).includes(FIRST_ANSWER)) && 'the history did not reach the model',
  ].filter((problem) => problem !== false);
}

/** A person who answers every question as the scenario wants; call what it returns when nothing is asked any more. */
function answersQuestions(
  bench: ConformanceBench,
  agent: TestAgent,
  { permission }: Pick<Scenario, 'permission'>,
): () => void {
  const { session } = bench;
  const subscription = session.onDidDispatch(() => {
    for (const index of session.state.waiting) {
      const entry = entryAt(session.state.entries, index);
      if (entry?.kind !== 'permission') continue;
      const wanted = permission === 'cancel' ? 'reject_once' : permission;
      // The one that the agent is known by, else any of that kind; not every question has an "always".
      const [known] = agent.quirks.options[wanted];
      const option =
        entry.options.find(({ optionId }) => optionId === known) ??
        [wanted, 'allow_once'].flatMap((kind) => entry.options.filter((one) => one.kind === kind))[0];
      queueMicrotask(() => session.answer(entry.permissionId, option?.optionId ?? ''));
    }
  });
  return () => subscription.dispose();
}

function outcomeOf(bench: ConformanceBench, agent: TestAgent, server: ModelServer): Outcome {
  const { turn } = bench.session.state;
  return {
    quirks: agent.quirks,
    stopReason: turn.status === 'idle' ? turn.stopReason : 'none',
    answer: agentText(bench.session.state),
    asked: bench
      .evidence()
      .heard()
      .filter(isRequest)
      .map(({ method }) => String(method)),
    model: server.requests
      .filter(({ model }) => model?.auxiliary === undefined)
      .map(({ body }) => JSON.stringify(body)),
    workspace: bench.folders[0] ?? '',
  };
}

/** What the agent said since the last prompt. */
function agentText(state: SessionState): string {
  let text = '';
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind === 'user') text = '';
    if (entry.kind === 'agent') text += entry.text;
  }
  return text;
}

/** The rules that hold in every conversation, judged on this one. */
function rules(bench: ConformanceBench): string[] {
  const evidence = bench.evidence();
  const everywhere = CHECKS.filter((check) => check.scenarios === undefined);
  return everywhere.flatMap((check) => check.judge(evidence).wrong.map((wrong) => `${check.id}: ${wrong}`));
}

/** Files without an editor: what is served is what is on disk. */
function filesOnDisk(agent: TestAgent): ReturnType<MoreFeatures> {
  const read = async ({
    path,
    line,
    limit,
  }: {
    path: string;
    line: number | undefined;
    limit: number | undefined;
  }): Promise<unknown> => {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined && !agent.quirks.missingFileIsEmpty)
      throw new RpcError(rpcCodes.resourceNotFound, `There is no ${path}.`);
    const start = Math.max(1, line ?? 1) - 1;
    const lines = (text ?? '').split(/(?<=\n)/);
    return { content: lines.slice(start, limit === undefined ? undefined : start + limit).join('') };
  };
  const write = async ({ path, content }: { path: string; content: string }): Promise<unknown> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return {};
  };
  return {
    features: [
      {
        capabilities: { fs: { readTextFile: true, writeTextFile: true } },
        handlers: [
          handler({ method: 'fs/read_text_file', parse: parseRead, handle: read }),
          handler({
            method: 'fs/write_text_file',
            parse: (params) => ({ path: text(params, 'path'), content: text(params, 'content') }),
            handle: write,
          }),
        ],
      },
    ],
    services: { dispose() {} },
  };
}

function parseRead(params: unknown): { path: string; line: number | undefined; limit: number | undefined } {
  const fields: JsonObject = requireObject(params);
  return { path: text(params, 'path'), line: asNumber(fields['line']), limit: asNumber(fields['limit']) };
}

function text(params: unknown, name: string): string {
  return requireString(requireObject(params), name);
}

/** Names the agent until its definition is there: the window is opened before its home. */
function placeholder(agent: TestAgent): AgentDefinition {
  return { name: agent.name, title: agent.title, description: '', command: 'false', args: [], env: {} };
}

async function withinLimit(work: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([`no end within ${LIMIT_MS / 1000} s`]), LIMIT_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
