// Protected by test/unit/mcp/calls/toolIdentity.test.ts: an answer about a tool is tied to its definition.
import { settlesWithin } from '../../base/async';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolOrigin } from '../../shared/protocol/toolsPanelState';
import type { ToolServer } from './toolServerTypes';

export interface RegisteredServer {
  /** Unique; the second of two equal names is `<name>-2`. */
  readonly name: string;
  readonly server: ToolServer;
  readonly origin: ToolOrigin;
  /** The requested name, if another server already has that name. */
  readonly clash?: string;
}

/** The tool servers of this window in order of registration. */
export class ToolServers implements Disposable {
  readonly #servers = new Map<string, RegisteredServer>();
  readonly #onDidChange = new Emitter<void>();

  readonly #onDidReceiveMessage = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  /** A server reported something to the user, or has other lists in one session. */
  readonly onDidReceiveMessage: Event<void> = this.#onDidReceiveMessage.event;

  /** @param reserved names for built-in servers only */
  constructor(private readonly reserved: ReadonlySet<string> = new Set()) {}

  /** Registers a server until the result is disposed. */
  add(server: ToolServer, origin: ToolOrigin): Disposable {
    const requested = withoutSeparator(server.name);
    const name = this.#free(requested, origin);
    const registered = { name, server, origin, ...(name !== requested && { clash: requested }) };
    this.#servers.set(name, registered);
    const following = new DisposableStore();
    for (const event of [server.messages?.onDidAdd, server.onDidChangeInstance])
      if (event) following.add(event(() => this.#onDidReceiveMessage.fire()));
    this.#onDidChange.fire();
    return toDisposable(() => {
      following.dispose();
      this.#servers.delete(name);
      this.#onDidChange.fire();
    });
  }

  list(): readonly RegisteredServer[] {
    const all = [...this.#servers.values()];
    return [...all.filter(({ origin }) => origin === 'builtIn'), ...all.filter(({ origin }) => origin !== 'builtIn')];
  }

  get(name: string): RegisteredServer | undefined {
    return this.#servers.get(name);
  }

  dispose(): void {
    this.#servers.clear();
    this.#onDidChange.dispose();
    this.#onDidReceiveMessage.dispose();
  }

  #free(name: string, origin: ToolOrigin): string {
    if (!this.#servers.has(name) && (origin === 'builtIn' || !this.reserved.has(name))) return name;
    for (let number = 2; ; number += 1) {
      if (!this.#servers.has(`${name}-${number}`)) return `${name}-${number}`;
    }
  }
}

/** By the session's instance, so that equal servers are the same object. */
const ofSessions = new WeakMap<ToolServer, RegisteredServer>();

/** A server as one session has it. */
export function inSession(registered: RegisteredServer, session: SessionHandle): RegisteredServer {
  const server = registered.server.forSession?.(session);
  if (!server) return registered;
  const own = ofSessions.get(server) ?? { ...registered, server };
  ofSessions.set(server, own);
  return own;
}

/** Milliseconds until a server is offered whose lists are still unknown; agents then hear of them later. */
const READY_TIMEOUT_MS = 5_000;

/** Waits until the lists of servers are known, at most five seconds. */
export async function untilReady(servers: readonly RegisteredServer[]): Promise<void> {
  const waiting = servers.flatMap(({ server }) => server.ready ?? []);
  if (waiting.length > 0) await settlesWithin(Promise.all(waiting), READY_TIMEOUT_MS);
}

/** Cuts a name at the first `__` of a tool id: otherwise a rule for `refactor__*` would match the tools of a server named `refactor__x`. */
function withoutSeparator(name: string): string {
  return name.replace(/_{2,}/g, '_').replace(/_$/, '') || 'server';
}
