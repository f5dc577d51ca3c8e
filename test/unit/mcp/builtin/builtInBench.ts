import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import { ToolCallGate } from '../../../../src/mcp/calls/toolCallGate';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { ToolServer } from '../../../../src/mcp/contract/toolServerTypes';
import type { AuditLog } from '../../../../src/permissions/auditLog';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import type { LiveSession } from '../../../../src/session/liveSession';
import type { ToolResult } from '../../../../src/session/toolServer';
import { entryAt } from '../../../../src/shared/state/entryPages';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import type { PermissionEntry } from '../../../../src/shared/state/toolCallState';
import { stubOf } from '../../../kit/stubOf';
import { TestClock } from '../../../kit/testClock';
import { emptyPolicy } from '../../permissions/emptyPolicy';
import { SessionBench } from '../../session/sessionBench';
import { openRules } from '../sample';

const isWaiting = (state: SessionState): boolean => state.waiting.length > 0;

/** Parley's own tools in a real session, whose user answers every question in the same way. */
export class BuiltInBench {
  readonly #bench: SessionBench;
  readonly #servers: readonly ToolServer[];
  readonly #gate: ToolCallGate;
  readonly asked: PermissionEntry[] = [];
  answer = 'reject';

  private constructor(bench: SessionBench, servers: readonly ToolServer[]) {
    this.#bench = bench;
    this.#servers = servers;
    const audit = stubOf<AuditLog>({ append: () => undefined });
    this.#gate = new ToolCallGate(openRules(), audit, new TestClock(), nullLogger, new ToolServers());
  }

  static async open(servers: readonly ToolServer[], rules: () => readonly Rule[]): Promise<BuiltInBench> {
    const policy = { ...emptyPolicy(), rules: () => ({ user: rules(), workspace: [] }) };
    return new BuiltInBench(await SessionBench.open({ sessions: { policy } }), servers);
  }

  get folder(): string {
    return this.#bench.folder;
  }

  get session(): LiveSession {
    return this.#bench.session;
  }

  get titles(): readonly string[] {
    return this.asked.map(({ title }) => title);
  }

  /** The input that the latest question shows. */
  get shownInput(): unknown {
    const tool = entryAt(this.session.state.entries, this.asked.at(-1)?.tool ?? assert.fail('nothing was asked'));
    return tool?.kind === 'tool' ? tool.rawInput : undefined;
  }

  server(name: string): ToolServer {
    return this.#servers.find((server) => server.name === name) ?? assert.fail(name);
  }

  /** @param meanwhile happens while the user is asked */
  async call(name: string, toolName: string, input: object, meanwhile = (): void => undefined): Promise<ToolResult> {
    const server = this.server(name);
    const tool = server.tools.find((each) => each.name === toolName) ?? assert.fail(toolName);
    const { signal } = new AbortController();
    const registered = { name, server, origin: 'builtIn' as const };
    const { session } = this;
    const result = this.#gate.call({ session, registered, tool, input, signal, progress: () => undefined });
    for (;;) {
      const first = await Promise.race([result, this.#bench.until(isWaiting).then(() => 'question' as const)]);
      if (first !== 'question') return first;
      const entry = entryAt(session.state.entries, session.state.waiting[0] ?? assert.fail());
      assert(entry?.kind === 'permission');
      this.asked.push(entry);
      meanwhile();
      session.userRequests.answer(entry.permissionId, this.answer);
    }
  }

  async close(): Promise<void> {
    this.#gate.dispose();
    await this.#bench.close();
  }
}
