import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveSession } from '../../src/session/liveSession';
import { entryAt } from '../../src/shared/state/entryPages';
import type { SessionState } from '../../src/shared/state/sessionState';
import type { Quirks, TestAgent } from '../agents/catalog';
import type { Outcome, PermissionAnswer } from '../agents/scenarios';
import { FIRST_ANSWER, FIRST_PROMPT, HELLO, SCENARIOS } from '../agents/scenarios';
import { untilEvent } from '../kit/waiting';
import type { AgentRun, Extension } from './agentRun';
import { agentText, openAgent, withinLimit } from './agentRun';
import type { AgentScenario } from './agentScenarios';
import { playProblems, playTools } from './realTools';

/**
 * Plays scenarios with a real agent, each in its own session. The process of "tools" also plays "turns" if that follows, because some
 * agents take five seconds of processor time to start.
 */
export class AgentPlayer {
  readonly #agent: TestAgent;
  readonly #scenarios: readonly AgentScenario[];
  #kept: AgentRun | undefined;

  /** @param scenarios All that this run plays. */
  constructor(agent: TestAgent, scenarios: readonly AgentScenario[]) {
    this.#agent = agent;
    this.#scenarios = scenarios;
  }

  /** @returns Complaints; empty on success. */
  async play(extension: Extension, name: AgentScenario): Promise<readonly string[]> {
    const { name: agent, definition } = this.#agent;
    const kept = name === 'turns' ? this.#kept : undefined;
    if (kept) this.#kept = undefined;
    const run = kept ?? (await openAgent(extension, `${agent} ${name}`, definition));
    let isKept = false;
    try {
      await (kept && run.renew());
      const problems = await withinLimit(playScenario(run, this.#agent, name));
      isKept = name === 'tools' && this.#scenarios.includes('turns') && problems.length === 0;
      if (!isKept) return [...problems, ...(await run.rules())];
      this.#kept = run;
      return problems;
    } finally {
      if (!isKept) await run.end();
    }
  }

  /**
   * Ends the agent if "turns" did not follow.
   * @returns Complaints about its whole conversation.
   */
  async close(): Promise<readonly string[]> {
    const run = this.#kept;
    this.#kept = undefined;
    try {
      return (await run?.rules()) ?? [];
    } finally {
      await run?.end();
    }
  }
}

function playScenario(run: AgentRun, agent: TestAgent, name: AgentScenario): Promise<readonly string[]> {
  if (name === 'sessions') return sessions(run, agent);
  if (name === 'turns') return turns(run, agent);
  return name === 'tools' ? playTools(run, agent) : converse(run, agent, name);
}

/** Prompts in sequence in one session, after a tool call over MCP. */
const TURNS: readonly AgentScenario[] = ['text', 'reject', 'write', 'edit', 'cancel'];

async function turns(run: AgentRun, agent: TestAgent): Promise<readonly string[]> {
  const problems = [...(await (agent.quirks.ignoresServers ? playTools(run, agent) : playProblems(run)))];
  for (const name of TURNS) {
    const found = await playScenario(run, agent, name);
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  const { engine } = run.extension;
  await engine.flush();
  const undone = await engine.review.undoAll(run.session.id);
  problems.push(...undone.problems.map(({ message }) => message));
  if ((await readFile(join(run.folder, 'hello.txt'), 'utf8')) !== HELLO) problems.push('hello.txt is not as it was');
  return problems;
}

async function converse(run: AgentRun, agent: TestAgent, name: string): Promise<readonly string[]> {
  const scenario = SCENARIOS[name];
  if (!scenario) return [`there is no scenario ${name}`];
  const isOver = answersQuestions(run.session, agent.quirks.options, scenario.permission);
  const turn = run.send(scenario.prompt);
  if (name === 'cancel') {
    await run.server.reached('stop');
    await until(run.session, (state) => agentText(state) !== '');
    run.session.turn.stop();
  }
  await turn;
  isOver();
  return (await scenario.check(outcomeOf(run, agent))).filter((problem) => problem !== false);
}

/** The conversation continues after its agent ended and the session was opened from the list, and its fork contains the history. */
async function sessions(run: AgentRun, agent: TestAgent): Promise<readonly string[]> {
  const { catalog } = run.extension;
  const offered = agent.quirks.sessions;
  const isOver = answersQuestions(run.session, agent.quirks.options, 'allow_once');
  await run.send(FIRST_PROMPT);
  isOver();
  const { id } = run.session;
  await run.leave();
  await agent.quirks.beforeReopen?.();
  run.session = await catalog.open(id);
  const problems = offered.includes('load') ? await goesOn(run, run.session, 'Second-answer.') : [];
  if (offered.includes('list')) {
    await catalog.refresh();
    const known = run.session.state.agentSession?.id;
    if (!run.listed().includes(known)) problems.push('the agent does not list the session');
  }
  if (!offered.includes('fork')) return problems;
  const fork = await catalog.fork(id);
  problems.push(...(await goesOn(run, fork, 'Third-answer.')).map((problem) => `fork: ${problem}`));
  await catalog.remove(fork.id);
  return problems;
}

async function goesOn({ server }: AgentRun, session: LiveSession, answer: string): Promise<string[]> {
  const before = server.requests.length;
  await session.send(`say ${answer}`);
  const asked = server.requests.slice(before).filter(({ model }) => model?.auxiliary === undefined);
  return [
    !agentText(session.state).includes(answer) && `the answer ${answer} is missing`,
    !asked.some(({ body }) => JSON.stringify(body).includes(FIRST_ANSWER)) && 'the history did not reach the model',
  ].filter((problem) => problem !== false);
}

/**
 * A user who answers every permission request as the scenario requires; call the returned function when no more requests follow.
 * @param options Known options of the agent.
 */
export function answersQuestions(
  session: LiveSession,
  options: Partial<Quirks['options']>,
  permission: PermissionAnswer,
): () => void {
  const subscription = session.onDidDispatch(() => {
    for (const index of session.state.waiting) {
      const entry = entryAt(session.state.entries, index);
      if (entry?.kind !== 'permission') continue;
      const wanted = permission === 'cancel' ? 'reject_once' : permission;
      // Prefers the agent's known option, else any of that kind; not every request has an "always" option.
      const [known] = options[wanted] ?? [];
      const option =
        entry.options.find(({ optionId }) => optionId === known) ??
        [wanted, 'allow_once'].flatMap((kind) => entry.options.filter((one) => one.kind === kind))[0];
      queueMicrotask(() => session.userRequests.answer(entry.permissionId, option?.optionId ?? ''));
    }
  });
  return () => subscription.dispose();
}

function outcomeOf(run: AgentRun, agent: TestAgent): Outcome {
  const { turn } = run.session.state;
  return {
    quirks: agent.quirks,
    stopReason: turn.status === 'idle' ? turn.stopReason : 'none',
    answer: agentText(run.session.state),
    asked: run.asked(),
    model: run.modelBodies(),
    workspace: run.folder,
  };
}

/** Waits until the state of the session satisfies the predicate. */
export function until(session: LiveSession, wished: (state: SessionState) => boolean): Promise<void> {
  return untilEvent(session.onDidDispatch, () => wished(session.state));
}
