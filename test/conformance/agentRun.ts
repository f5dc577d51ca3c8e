import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import type { TrafficConnections } from '../../src/agent/connection/trafficConnections';
import { asObject } from '../../src/base/json';
import type { ReviewService } from '../../src/review/reviewService';
import type { LiveSession } from '../../src/session/liveSession';
import type { MergedCatalog } from '../../src/session/mergedCatalog';
import type { WindowSessions } from '../../src/session/windowSessions';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { SessionState } from '../../src/shared/state/sessionState';
import { endLeftovers } from '../agents/leftovers';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import { fillWorkspace } from '../agents/scenarios';
import { fakeAgentPath } from '../fakeAgent/definition';
import { CHECKS } from './run';
import { evidenceOf, isRequest, resultOf } from './wire';

/** The running extension, as its tests access it. */
export interface Extension {
  readonly sessions: WindowSessions;
  readonly catalog: MergedCatalog;
  readonly traffic: { readonly connections: TrafficConnections };
  readonly engine: Pick<ReviewService, 'review' | 'flush'>;
  /** Sets `parley.agents`. */
  configure(agents: Readonly<Record<string, unknown>> | undefined): Promise<void>;
  /** A new, empty folder inside the open workspace. */
  makeFolder(): Promise<string>;
}

/** An agent that does not finish fails with a message instead of hanging the run. */
const LIMIT_MS = 150_000;

/** How an agent is started for one scenario. */
export type Start = (modelUrl: string, home: string) => Promise<AgentDefinition>;

/** Starts a model and, behind the evidence relay, an agent that the extension knows by `name`; ends and removes both. */
export async function withAgent(
  extension: Extension,
  name: string,
  start: Start,
  play: (run: AgentRun) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const run = await openAgent(extension, name, start);
  try {
    return await withinLimit(play(run));
  } finally {
    await run.end();
  }
}

/** Starts a model and, behind the evidence relay, an agent that the extension knows by `name`. {@link AgentRun.end} ends both. */
export async function openAgent(extension: Extension, name: string, start: Start): Promise<AgentRun> {
  const root = mkdtempSync(join(tmpdir(), 'parley-agent-'));
  const home = join(root, 'home');
  await mkdir(home);
  const server = await startModelServer();
  const run = new AgentRun(extension, { name, root, home, server, folder: await extension.makeFolder() });
  try {
    await fillWorkspace(run.folder);
    await run.open(await start(server.url, home));
  } catch (error) {
    await run.end();
    throw error;
  }
  return run;
}

interface RunOptions {
  readonly name: string;
  readonly root: string;
  readonly home: string;
  readonly folder: string;
  readonly server: ModelServer;
}

/** One agent in one session of the extension, with the relay between them. */
export class AgentRun {
  readonly server: ModelServer;
  /** Folder of the scenario's files. */
  folder: string;
  readonly extension: Extension;
  session!: LiveSession;
  readonly #name: string;
  readonly #root: string;
  readonly #home: string;
  readonly #evidence: string;
  /** Time of the last prompt, and the number of model requests before it. */
  #sent = { at: 0, requests: 0 };

  constructor(extension: Extension, { name, root, home, folder, server }: RunOptions) {
    this.extension = extension;
    this.server = server;
    this.folder = folder;
    this.#name = name;
    this.#root = root;
    this.#home = home;
    this.#evidence = join(root, 'evidence.jsonl');
  }

  async open(definition: AgentDefinition): Promise<void> {
    const relay = join(fakeAgentPath(), '..', '..', 'conformance', 'relay.js');
    const env = {
      ELECTRON_RUN_AS_NODE: '1',
      ...definition.env,
      CONFORMANCE_EVIDENCE: this.#evidence,
      CONFORMANCE_REAL: '1',
    };
    // The relay runs the agent; in a desktop's extension host this is Electron.
    const entry = { command: process.execPath, args: [relay, definition.command, ...definition.args], env };
    await this.extension.configure({ [this.#name]: entry });
    await this.#startSession();
  }

  /** Continues in a new session of the same process, with a new folder. */
  async renew(): Promise<void> {
    const { session, folder } = this;
    this.folder = await this.extension.makeFolder();
    removeFolder(folder);
    await fillWorkspace(this.folder);
    await this.#startSession();
    await this.extension.sessions.close(session);
  }

  async #startSession(): Promise<void> {
    this.session = this.extension.sessions.newChat();
    await this.session.chooseAgent(this.#name);
    const { connection } = this.session.state;
    if (connection.status !== 'ready') throw new Error(`the agent did not start: ${JSON.stringify(connection)}`);
  }

  /** Sends a prompt of a scenario and waits for the end of its turn. */
  async send(prompt: string): Promise<void> {
    this.#sent = { at: Date.now(), requests: this.server.requests.length };
    await this.session.send(prompt.replaceAll('{workspace}', this.folder));
  }

  /** Ends the agent and closes the session, as a closing window does. */
  async leave(): Promise<void> {
    await this.session.restarter.forceStop();
    await this.extension.sessions.close(this.session);
  }

  /** Bodies of the model requests since the last prompt, without auxiliary requests. */
  modelBodies(): string[] {
    const requests = this.server.requests.slice(this.#sent.requests);
    return requests.filter(({ model }) => model?.auxiliary === undefined).map(({ body }) => JSON.stringify(body));
  }

  /** Methods of the agent's requests since the last prompt, as recorded in the traffic view. */
  asked(): string[] {
    const rings = this.extension.traffic.connections.all().filter(({ title }) => title === this.#name);
    return rings.flatMap(({ ring }) =>
      ring.entries().flatMap((entry) => {
        const isLate = entry.dir === 'in' && entry.at >= this.#sent.at;
        const message = isLate && 'message' in entry ? asObject(entry.message) : undefined;
        return message && isRequest(message) ? [String(message['method'])] : [];
      }),
    );
  }

  /** The ids of all sessions that the agent has listed. */
  listed(): unknown[] {
    const evidence = evidenceOf(readFileSync(this.#evidence, 'utf8'));
    return evidence.sent('session/list').flatMap((request) => {
      const found = resultOf(evidence.answerOf(request))['sessions'];
      return Array.isArray(found) ? found.map((one) => asObject(one)?.['sessionId']) : [];
    });
  }

  /** The rules of every conversation, checked on this one when its agent has ended. */
  async rules(): Promise<string[]> {
    await this.session.restarter.forceStop();
    const evidence = evidenceOf(readFileSync(this.#evidence, 'utf8'));
    const everywhere = CHECKS.filter((check) => check.scenarios === undefined);
    return everywhere.flatMap((check) => check.judge(evidence).wrong.map((wrong) => `${check.id}: ${wrong}`));
  }

  /** Ends the agent and the model, and removes their files. */
  async end(): Promise<void> {
    await this.#close();
    await this.server.close();
    await endLeftovers(this.#home);
    for (const folder of [this.#root, this.folder]) removeFolder(folder);
  }

  async #close(): Promise<void> {
    const { catalog, sessions } = this.extension;
    await this.session?.restarter.forceStop();
    for (const { id, agent } of catalog.items()) if (agent?.name === this.#name) await catalog.remove(id);
    for (const session of sessions.allOpen())
      if (session.state.agent?.name === this.#name) await sessions.close(session);
    await this.extension.configure(undefined);
  }
}

/** Message text of the agent since the last prompt. */
export function agentText(state: SessionState): string {
  let text = '';
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind === 'user') text = '';
    if (entry.kind === 'agent') text += entry.text;
  }
  return text;
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** An agent that does not finish fails with a message. */
export async function withinLimit(work: Promise<readonly string[]>): Promise<readonly string[]> {
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
