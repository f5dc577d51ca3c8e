import type { AgentConnection } from '../agent/connection';
import type { AgentDefinition } from '../agent/definition';
import { ParleyError } from '../base/errors';
import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import type { AgentRef } from '../shared/state';
import type { SessionLookup, SessionPort } from './port';

/** A session as its agent's link sees it: what it serves, and where its updates go. */
export interface LinkedSession extends SessionPort {
  /** Applies one `session/update`, in wire order. */
  receive(update: JsonObject): void;
}

/** What starts agents; the composition root brings it, so that this room needs no VS Code. */
export interface AgentsOptions {
  definitions(): readonly AgentDefinition[];
  /** Makes the connection with everything the client offers; `lookup` finds the session a request is about. */
  readonly connect: (
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ) => { readonly connection: AgentConnection; readonly services: Disposable };
}

/** Updates kept for a session id that nobody knows yet; more are dropped from the front. */
const MAX_EARLY_UPDATES = 1_000;

/** One running agent process and the sessions on it. */
export class AgentLink implements SessionLookup {
  readonly definition: AgentDefinition;
  readonly connection: AgentConnection;
  readonly #services: Disposable;
  readonly #sessions = new Map<string, LinkedSession>();
  readonly #early = new Map<string, JsonObject[]>();

  constructor(definition: AgentDefinition, connect: AgentsOptions['connect']) {
    this.definition = definition;
    const made = connect(definition, this, (sessionId, update) => this.#receive(sessionId, update));
    this.connection = made.connection;
    this.#services = made.services;
  }

  get isAlive(): boolean {
    const { status } = this.connection.state;
    return status === 'starting' || status === 'ready';
  }

  get sessions(): readonly LinkedSession[] {
    return Array.from(this.#sessions.values());
  }

  find(agentSessionId: string): LinkedSession | undefined {
    return this.#sessions.get(agentSessionId);
  }

  /** Puts a session on this process. What came for it before `session/new` was answered is applied now (agents.md 8, point 8). */
  attach(agentSessionId: string, session: LinkedSession): void {
    this.#sessions.set(agentSessionId, session);
    const early = this.#early.get(agentSessionId) ?? [];
    this.#early.delete(agentSessionId);
    for (const update of early) session.receive(update);
  }

  detach(agentSessionId: string): void {
    this.#sessions.delete(agentSessionId);
  }

  async stop(): Promise<void> {
    this.#services.dispose();
    await this.connection.stop();
  }

  dispose(): void {
    this.#services.dispose();
    this.connection.dispose();
  }

  #receive(sessionId: string, update: JsonObject): void {
    const session = this.#sessions.get(sessionId);
    if (session) {
      session.receive(update);
      return;
    }
    const early = this.#early.get(sessionId) ?? [];
    early.push(update);
    if (early.length > MAX_EARLY_UPDATES) early.shift();
    this.#early.set(sessionId, early);
  }
}

/** The agents of this window: one process for each, shared by its sessions. */
export class Agents implements Disposable {
  readonly #options: AgentsOptions;
  readonly #links = new Map<string, AgentLink>();
  /** Processes on their way out; waited for when the window closes. */
  readonly #stopping = new Set<Promise<void>>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  definition(name: string): AgentDefinition | undefined {
    return this.#options.definitions().find((definition) => definition.name === name);
  }

  /** How a session refers to an agent: by its key, with the name to show. */
  reference(name: string): AgentRef;
  reference(name: string | undefined): AgentRef | undefined;
  reference(name: string | undefined): AgentRef | undefined {
    return name === undefined ? undefined : { name, title: this.definition(name)?.title ?? name };
  }

  /**
   * The link to a running agent; makes one when there is none. The process is started by `connection.start()`.
   * @throws ParleyError `agentNotFound` when no agent of that name is configured
   */
  link(name: string): AgentLink {
    const current = this.#links.get(name);
    if (current && (current.isAlive || current.connection.state.status === 'stopped')) return current;
    const definition = this.definition(name);
    if (!definition) {
      throw new ParleyError('agentNotFound', `There is no agent named “${name}”.`, {
        nextStep: 'Choose another agent, or add it to the setting parley.agents.',
      });
    }
    current?.dispose();
    const link = new AgentLink(definition, this.#options.connect);
    this.#links.set(name, link);
    return link;
  }

  /** Ends the agent's process, if there is one, and waits for it; the next {@link link} starts a new one. */
  async stop(name: string): Promise<void> {
    const link = this.#links.get(name);
    if (!link) return;
    this.#links.delete(name);
    await this.#track(link.stop());
  }

  /** Ends all processes and waits for them. */
  async shutdown(): Promise<void> {
    for (const link of this.#links.values()) void this.#track(link.stop());
    this.#links.clear();
    await Promise.allSettled(this.#stopping);
  }

  dispose(): void {
    for (const link of this.#links.values()) link.dispose();
    this.#links.clear();
  }

  async #track(stopping: Promise<void>): Promise<void> {
    this.#stopping.add(stopping);
    try {
      await stopping;
    } finally {
      this.#stopping.delete(stopping);
    }
  }
}
