import { errorMessage } from '../base/errors';
import { asObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { SessionHandle } from '../session/sessionHandle';
import type { SessionTools } from '../session/sessionTools';
import { A2A_CALLER } from '../session/sessionTools';
import type { JsonToolServer, McpCall, McpOutcome } from '../session/toolServer';
import { emptySession } from '../shared/state/sessionState';
import type { LazyBuiltIns } from './builtin/lazyBuiltIns';
import type { CallGate } from './calls/callGate';
import type { RegisteredServer, ToolServers } from './contract/toolServerRegistry';
import { untilReady } from './contract/toolServerRegistry';
import { createServerIdentity, HostedServer, loadServerSdk } from './host/hostedServer';
import type { McpRequest } from './host/inMemoryTransport';
import { SessionServer } from './host/sessionServer';

/** `_meta` keys with which every request of MCP 2026-07-28 identifies its caller. */
const ENVELOPE = 'io.modelcontextprotocol/';
const STATELESS = '2026-07-28';

/**
 * The tool servers of a session for callers other than its agent, under the same rules, limits and permission requests, which name the
 * caller. Each call has its own server instance, so it never shares results or approvals with the agent or another caller.
 */
export class ExternalCalls implements SessionTools {
  readonly #running = new Set<HostedServer>();

  constructor(
    private readonly tools: ToolServers,
    private readonly builtIns: LazyBuiltIns,
    private readonly gate: CallGate,
    private readonly log: Logger,
    private readonly version: string,
  ) {}

  async load(): Promise<void> {
    await this.builtIns.load();
  }

  servers(session: SessionHandle): readonly string[] {
    return this.gate.availableServers(session).map(({ name }) => name);
  }

  /** Undefined when the session has no such server. Otherwise as {@link HostedServer.handleRequest}. */
  call(session: SessionHandle, server: string, call: McpCall): Promise<McpOutcome> | undefined {
    const registered = this.gate.availableServers(session).find(({ name }) => name === server);
    return registered && this.#run(session, registered, call);
  }

  add(server: JsonToolServer): Disposable {
    return this.tools.add(server, 'a2a');
  }

  close(sessionId: string): void {
    for (const served of this.#running) if (served.sessionId === sessionId) this.#end(served);
  }

  dispose(): void {
    for (const served of this.#running) this.#end(served);
  }

  async #run(session: SessionHandle, registered: RegisteredServer, call: McpCall): Promise<McpOutcome> {
    const [sdk] = await Promise.all([loadServerSdk(), untilReady([registered])]);
    const own = new SessionServer(registered, asCallerSession(A2A_CALLER, call.client, session), this.gate, this.log);
    const served = new HostedServer(sdk, own, createServerIdentity(registered.name), this.version);
    this.#running.add(served);
    try {
      return await served.handleRequest(served.stateless, this.#request(call));
    } finally {
      this.#end(served);
    }
  }

  #request({ id, method, params, signal, progress }: McpCall): McpRequest {
    const _meta = {
      ...asObject(params['_meta']),
      progressToken: id,
      [`${ENVELOPE}protocolVersion`]: STATELESS,
      [`${ENVELOPE}clientCapabilities`]: {},
      [`${ENVELOPE}clientInfo`]: { name: A2A_CALLER, version: this.version },
    };
    const notify: McpRequest['notify'] = (method, about) => {
      if (method === 'notifications/progress' && about) progress(about);
    };
    return { id, method, params: { ...params, _meta }, signal, notify };
  }

  #end(served: HostedServer): void {
    this.#running.delete(served);
    served
      .close()
      .catch((error: unknown) => this.log.warn('mcp', `Failed to close ${served.name}: ${errorMessage(error)}`));
  }
}

/** The session as one client sees it: requests carry the client's name, and approvals of the agent do not count. */
function asCallerSession(name: string, client: string, session: SessionHandle): SessionHandle {
  const none = emptySession(session.id).entries;
  const caller = `${name} ${client}`;
  const { userRequests } = session;
  return {
    id: session.id,
    caller,
    get cwd() {
      return session.cwd;
    },
    get folders() {
      return session.folders;
    },
    get state() {
      return { ...session.state, entries: none };
    },
    dispatch: (action) => session.dispatch(action),
    userRequests: {
      requestPermission: (request) => userRequests.requestPermission(request),
      authorize: (request, signal) =>
        userRequests.authorize({ ...request, caller, title: `${name}: ${request.title}` }, signal),
      judge: (request) => userRequests.judge({ ...request, caller }),
      elicit: (request) => userRequests.elicit({ from: name, ...request, message: `${name}: ${request.message}` }),
    },
  };
}
