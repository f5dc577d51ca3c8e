import { setTimeout as delay } from 'node:timers/promises';
import type { TestAgent } from './catalog';
import type { ModelServer } from './modelServer';
import { Person } from './person';
import type { Json, WireEntry } from './rawClient';
import { RawClient } from './rawClient';
import type { Places } from './recording';
import type { PermissionAnswer, Scenario } from './scenarios';
import { FIRST_ANSWER, FIRST_PROMPT, saidText } from './scenarios';

const TURN_LIMIT_MS = 60_000;

export interface Timings {
  readonly initialize: number;
  readonly session: number;
  readonly prompt: number;
  readonly exit: number;
}

/** Result of a scenario. */
export interface Conversation {
  readonly wire: readonly WireEntry[];
  readonly problems: readonly string[];
  readonly timings: Timings;
}

/** Runs one scenario with one agent, in as many processes as needed. `wire` belongs to the last process. */
export class Conversations {
  private readonly agent: TestAgent;
  private readonly server: ModelServer;
  private readonly places: Places;

  constructor(agent: TestAgent, server: ModelServer, places: Places) {
    this.agent = agent;
    this.server = server;
    this.places = places;
  }

  async run(scenario: Scenario): Promise<Conversation> {
    const { reopen, meta } = scenario;
    if (reopen === undefined)
      return this.converse(scenario, async (client) => this.open(client, 'session/new', meta ? { _meta: meta } : {}));
    const old = await this.prepare();
    await this.agent.quirks.beforeReopen?.();
    return this.converse(scenario, async (client) => {
      if (this.agent.quirks.sessions.includes('list')) await this.find(client, old);
      const sessionId = await this.open(client, `session/${reopen}`, { sessionId: old });
      // Some agents continue the history replay after the response.
      if (reopen === 'load')
        await this.inTime(
          client,
          client.heard(() => saidText(client.wire).includes(FIRST_ANSWER)),
        );
      return sessionId ?? old;
    });
  }

  /**
   * Runs a process that leaves a stored session.
   * @returns The session id.
   */
  private async prepare(): Promise<string> {
    const client = await this.start('allow_once');
    try {
      await client.request('initialize', INITIALIZE);
      const sessionId = await this.open(client, 'session/new', {});
      await this.prompt(client, { sessionId, text: FIRST_PROMPT });
      await client.close();
      return sessionId ?? '';
    } finally {
      await client.kill();
    }
  }

  private async converse(
    scenario: Scenario,
    open: (client: RawClient) => Promise<string | undefined>,
  ): Promise<Conversation> {
    const client = await this.start(scenario.permission);
    try {
      const [, initialize] = await timed(this.inTime(client, client.request('initialize', INITIALIZE)));
      const [sessionId, session] = await timed(this.inTime(client, open(client)));
      const run = { client, server: this.server, sessionId: sessionId ?? '' };
      const before = { wire: client.wire.length, model: this.server.requests.length };
      const [[stopReason], prompt] = await timed(
        Promise.all([this.prompt(client, { sessionId, text: scenario.prompt }), scenario.during?.(run)]),
      );
      if (scenario.after) await this.inTime(client, scenario.after(run));
      const [clean, exit] = await timed(client.close());
      const wire = client.wire.slice(before.wire);
      const requests = this.server.requests.slice(before.model).filter(({ model }) => model?.auxiliary === undefined);
      const outcome = {
        quirks: this.agent.quirks,
        stopReason,
        answer: saidText(wire),
        asked: requestsIn(wire),
        model: requests.map(({ body }) => JSON.stringify(body)),
        workspace: this.places.workspace,
      };
      const noise = client.noise.length > 0 && `noise: ${client.noise[0]}`;
      const ending = !clean && this.agent.quirks.endsAtEof && 'did not end by itself';
      const complaints = [...(await scenario.check(outcome)), ...this.questions(scenario, wire), noise, ending];
      const problems = complaints.filter((problem) => problem !== false);
      return { wire: client.wire, problems, timings: { initialize, session, prompt, exit } };
    } finally {
      await client.kill();
    }
  }

  private async start(answer: PermissionAnswer): Promise<RawClient> {
    const definition = await this.agent.definition(this.server.url, this.places.home);
    const person = new Person(answer, this.agent.quirks);
    return new RawClient(definition, {
      cwd: this.places.workspace,
      env: { PATH: '/usr/bin:/bin' },
      onRequest: (client, method, params) => person.serve(client, method, params),
    });
  }

  private async open(client: RawClient, method: string, params: Json): Promise<string | undefined> {
    const result = await client.request(method, { ...params, cwd: this.places.workspace, mcpServers: [] });
    return result['sessionId'] as string | undefined;
  }

  private async find(client: RawClient, sessionId: string): Promise<void> {
    const result = await client.request('session/list', { cwd: this.places.workspace });
    const sessions = result['sessions'] as readonly { sessionId: string }[];
    if (!sessions.some((session) => session.sessionId === sessionId))
      throw new Error(`session/list does not have the session: ${JSON.stringify(result)}`);
  }

  private async prompt(
    client: RawClient,
    { sessionId, text }: { sessionId: string | undefined; text: string },
  ): Promise<unknown> {
    const prompt = [{ type: 'text', text: text.replaceAll('{workspace}', this.places.workspace) }];
    return (await this.inTime(client, client.request('session/prompt', { sessionId, prompt })))['stopReason'];
  }

  /** Fails with the current state after a timeout, instead of hanging the terminal. */
  private async inTime<T>(client: RawClient, work: Promise<T>): Promise<T> {
    const abort = new AbortController();
    const late = delay(TURN_LIMIT_MS, undefined, { signal: abort.signal }).then(() => {
      const last = client.wire.slice(-2).map(({ msg }) => JSON.stringify(msg).slice(0, 500));
      throw new Error(
        `No end within ${TURN_LIMIT_MS} ms. Last on the wire: ${last.join('\n')}\n${client.stderr.slice(-800)}`,
      );
    });
    late.catch(() => {});
    try {
      return await Promise.race([work, late]);
    } finally {
      abort.abort();
    }
  }

  private questions({ deed, reopen }: Scenario, wire: readonly WireEntry[]): readonly (string | false)[] {
    if (deed === undefined || reopen !== undefined) return [];
    const question = wire.find(({ msg }) => msg['method'] === 'session/request_permission');
    const expected = this.agent.quirks.asks.includes(deed);
    if ((question !== undefined) !== expected) return [`${expected ? 'did not ask' : 'asked'} before ${deed}`];
    return question === undefined || deed !== 'write' ? [] : [this.strangeOptions(question.msg)];
  }

  private strangeOptions(question: Json): string | false {
    const { options } = question['params'] as { options: readonly { optionId: string; kind: string; name: string }[] };
    const known = Object.entries(this.agent.quirks.options).map(([kind, [id, name]]) => `${kind} ${id} "${name}"`);
    const found = options.map(({ optionId, kind, name }) => `${kind} ${optionId} "${name}"`);
    const strange = [...known, ...found].filter((option) => !(known.includes(option) && found.includes(option)));
    return strange.length > 0 && `options are not as known: ${strange.join(', ')}`;
  }
}

const INITIALIZE: Json = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  clientInfo: { name: 'parley-probe', title: 'Parley probe', version: '0.0.0' },
};

function requestsIn(wire: readonly WireEntry[]): string[] {
  return wire
    .filter(({ dir, msg }) => dir === 'in' && 'method' in msg && 'id' in msg)
    .map(({ msg }) => String(msg['method']));
}

/** Returns the result and the elapsed milliseconds. */
async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const result = await work;
  return [result, Math.round(performance.now() - start)];
}
