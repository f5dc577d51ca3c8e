import { messageOf } from '../base/errors';
import type { JsonObject } from '../base/json';
import { asObject } from '../base/json';
import type { Log } from '../base/log';
import type { SessionPort } from '../session/port';
import { emptySession } from '../shared/state';
import type { Mcp } from './build';
import type { McpRequest, Outcome } from './channel';
import type { ToolGate } from './gate';
import { newIdentity, ServedServer } from './served';
import type { RegisteredServer, ToolServers } from './toolServers';

/** `_meta` keys with which every request of MCP 2026-07-28 introduces its caller. */
const ENVELOPE = 'io.modelcontextprotocol/';
const STATELESS = '2026-07-28';

export interface OutsideCallsOptions {
  readonly servers: ToolServers;
  readonly gate: ToolGate;
  readonly log: Log;
  readonly version: string;
  /** How the caller is named in questions to the person: “A2A client”. */
  readonly caller: string;
}

/** One request of a caller that is not the session's agent. */
export interface OutsideCall {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly progress: (params: JsonObject) => void;
}

/**
 * The tool servers of a session for a caller that is not its agent: the same rules, limits and questions, which say who asks. It has
 * servers of its own, so that neither answers nor approvals of the agent reach it.
 */
export class OutsideCalls {
  readonly #options: OutsideCallsOptions;
  readonly #served = new Map<string, Map<string, ServedServer>>();
  #library: Promise<Mcp> | undefined;

  constructor(options: OutsideCallsOptions) {
    this.#options = options;
  }

  /** Names of the servers that the session is offered. */
  servers(session: SessionPort): readonly string[] {
    return this.#offered(session).map(({ name }) => name);
  }

  /** Undefined when the session has no such server. Otherwise as {@link ServedServer.run}. */
  call(session: SessionPort, server: string, call: OutsideCall): Promise<Outcome> | undefined {
    const registered = this.#offered(session).find(({ name }) => name === server);
    return registered && this.#run(session, registered, call);
  }

  /** The session is closed: its running calls are aborted. */
  close(sessionId: string): void {
    const served = [...(this.#served.get(sessionId)?.values() ?? [])];
    this.#served.delete(sessionId);
    for (const server of served) this.#end(server);
  }

  dispose(): void {
    for (const sessionId of Array.from(this.#served.keys())) this.close(sessionId);
  }

  #offered(session: SessionPort): readonly RegisteredServer[] {
    const { servers, gate } = this.#options;
    return servers.list().filter((registered) => gate.offersServer(session, registered));
  }

  async #run(session: SessionPort, registered: RegisteredServer, call: OutsideCall): Promise<Outcome> {
    this.#library ??= import('./library');
    const served = this.#serve(await this.#library, session, registered);
    return served.run(served.stateless, this.#request(call));
  }

  #serve(library: Mcp, session: SessionPort, registered: RegisteredServer): ServedServer {
    const { gate, log, version, caller } = this.#options;
    const servers = this.#served.get(session.id) ?? new Map<string, ServedServer>();
    this.#served.set(session.id, servers);
    const known = servers.get(registered.name);
    if (known?.registered === registered) return known;
    if (known) this.#end(known);
    const identity = newIdentity(registered.name);
    const seen = seenBy(caller, session);
    const served = new ServedServer({ library, registered, session: seen, gate, version, identity, log });
    servers.set(registered.name, served);
    return served;
  }

  #request({ id, method, params, signal, progress }: OutsideCall): McpRequest {
    const { caller: name, version } = this.#options;
    const _meta = {
      ...asObject(params['_meta']),
      progressToken: id,
      [`${ENVELOPE}protocolVersion`]: STATELESS,
      [`${ENVELOPE}clientCapabilities`]: {},
      [`${ENVELOPE}clientInfo`]: { name, version },
    };
    const notify: McpRequest['notify'] = (told, about) => {
      if (told === 'notifications/progress' && about) progress(about);
    };
    return { id, method, params: { ...params, _meta }, signal, notify };
  }

  #end(served: ServedServer): void {
    const { log } = this.#options;
    served.close().catch((error: unknown) => log.warn('mcp', `${served.name}: ${messageOf(error)}`));
  }
}

/** The session as the caller has it: it asks in its own name, and what the person answered the agent does not count for it. */
function seenBy(caller: string, session: SessionPort): SessionPort {
  const none = emptySession(session.id).entries;
  return {
    id: session.id,
    get folders() {
      return session.folders;
    },
    get state() {
      return { ...session.state, entries: none };
    },
    dispatch: (action) => session.dispatch(action),
    ask: (request) => session.ask(request),
    authorize: (question, signal) => session.authorize({ ...question, title: `${caller}: ${question.title}` }, signal),
    elicit: (request) => session.elicit({ ...request, message: `${caller}: ${request.message}` }),
  };
}
