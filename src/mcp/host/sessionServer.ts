import type { ServerContext } from '@modelcontextprotocol/server';
import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { SessionHandle } from '../../session/sessionHandle';
import type { CallGate } from '../calls/callGate';
import type * as Library from '../contract/mcpServerSdk';
import type { McpTraffic } from '../contract/recordedMcpConnection';
import type { RegisteredServer } from '../contract/toolServerRegistry';
import type { Tool } from '../contract/toolServerTypes';

/** The loaded MCP server SDK. */
export type Mcp = typeof Library;

/** Skipped definitions whose reason was logged. */
const reported = new WeakSet<object>();

/** A tool server as one session sees it. */
export class SessionServer {
  constructor(
    readonly registered: RegisteredServer,
    readonly session: SessionHandle,
    readonly gate: CallGate,
    readonly log: Logger,
    readonly traffic?: McpTraffic,
  ) {}

  get isAvailable(): boolean {
    return this.gate.isServerAvailable(this.session, this.registered);
  }

  /** The available tools. */
  get tools(): readonly Tool[] {
    const { gate, session, registered } = this;
    if (!this.isAvailable) return [];
    return registered.server.tools.filter((tool) => gate.isToolAvailable(session, registered, tool));
  }

  /** See {@link CallGate.access}. */
  access<T extends JsonObject>(
    subject: string,
    input: JsonObject,
    { mcpReq: { signal } }: ServerContext,
    run: () => Promise<T>,
  ): Promise<T> {
    const { gate, session, registered } = this;
    return gate.access({ session, registered, subject, input, signal }, run);
  }

  /** Calls back at once, and whenever the server or its availability changed. */
  follow(update: () => void): Disposable {
    update();
    const store = new DisposableStore();
    store.add(this.gate.onDidChange(update));
    const { onDidChange } = this.registered.server;
    if (onDidChange) store.add(onDidChange(update));
    return store;
  }

  /**
   * Undefined for a definition that the SDK rejects, which would end the connection: its name or URI is used twice, or the name is a member
   * of every object, such as `toString`.
   */
  registerUsable<T>(what: string, definition: object, register: () => T): T | undefined {
    try {
      return register();
    } catch (error) {
      if (!reported.has(definition))
        this.log.warn('mcp', `Skipped the ${what} of “${this.registered.name}”: ${errorMessage(error)}`);
      reported.add(definition);
      return undefined;
    }
  }
}
