// Protected by test/unit/mcp/calls/whoAsks.test.ts: each request names who asks, and its answer counts for that server only.
import type { Clock } from '../../base/clock';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { AuditLog } from '../../permissions/auditLog';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolResult } from '../../session/toolServer';
import { serverUnavailable, toolUnavailable } from '../availability/toolFilter';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { RegisteredServer, ToolServers } from '../contract/toolServerRegistry';
import { inSession } from '../contract/toolServerRegistry';
import type { Tool } from '../contract/toolServerTypes';
import type { AccessRequest, CallGate, FinishedCall, ToolCall } from './callGate';
import type { GatedCalls } from './gatedCalls';

/** Everything between a `tools/call` and its tool: availability, approval, limits, audit log. */
export class ToolCallGate implements CallGate, Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #onDidEnd = new Emitter<FinishedCall>();
  readonly #store = new DisposableStore();
  readonly #calls: Lazy<GatedCalls>;

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  readonly onDidEnd: Event<FinishedCall> = this.#onDidEnd.event;

  constructor(
    private readonly rules: ToolFilterSettings,
    audit: AuditLog,
    clock: Clock,
    log: Logger,
    private readonly servers: ToolServers,
  ) {
    this.#calls = new Lazy(async () => {
      const { GatedCalls } = await import('./gatedCalls');
      return new GatedCalls(this, this.#onDidEnd, audit, clock, log, servers);
    });
    for (const event of [rules.onDidChange, servers.onDidChange])
      this.#store.add(event(() => this.#onDidChange.fire()));
  }

  availableServers(session: SessionHandle): readonly RegisteredServer[] {
    const rules = this.rules.rulesOf(session);
    return this.servers
      .list()
      .filter(({ name }) => serverUnavailable(name, rules) === undefined)
      .map((registered) => inSession(registered, session))
      .filter((registered) => this.isServerAvailable(session, registered));
  }

  isServerAvailable(session: SessionHandle, registered: RegisteredServer): boolean {
    const { name, server } = registered;
    if (serverUnavailable(name, this.rules.rulesOf(session)) !== undefined) return false;
    if (server.unavailableReason?.(session) !== undefined) return false;
    return server.tools.length === 0 || server.tools.some((tool) => this.isToolAvailable(session, registered, tool));
  }

  isToolAvailable(session: SessionHandle, { name }: RegisteredServer, tool: Tool): boolean {
    return toolUnavailable(name, tool, this.rules.rulesOf(session)) === undefined;
  }

  async call(call: ToolCall): Promise<ToolResult> {
    return (this.#calls.value ?? (await this.#calls.load())).call(call);
  }

  async access<T extends JsonObject>(request: AccessRequest, run: () => Promise<T>): Promise<T> {
    return (this.#calls.value ?? (await this.#calls.load())).access(request, run);
  }

  invalidate(): void {
    this.#onDidChange.fire();
  }

  closeSession(sessionId: string): void {
    this.#calls.value?.closeSession(sessionId);
    for (const { server } of this.servers.list()) server.closeSession?.(sessionId);
  }

  dispose(): void {
    this.#store.dispose();
    this.#onDidChange.dispose();
    this.#onDidEnd.dispose();
    this.#calls.dispose();
  }
}
