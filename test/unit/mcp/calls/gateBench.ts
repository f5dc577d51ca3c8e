import type { Deferred } from '../../../../src/base/async';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import type { ToolRules } from '../../../../src/mcp/availability/toolFilter';
import type { ToolFilterSettings } from '../../../../src/mcp/availability/toolFilterSettings';
import { ToolCallGate } from '../../../../src/mcp/calls/toolCallGate';
import type { RegisteredServer } from '../../../../src/mcp/contract/toolServerRegistry';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { Tool } from '../../../../src/mcp/contract/toolServerTypes';
import type { AuditEntry, AuditLog } from '../../../../src/permissions/auditLog';
import type {
  AgreedCall,
  AuthorizationResult,
  AuthorizationRequest,
  RequestsToUser,
  SessionHandle,
} from '../../../../src/session/sessionHandle';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';
import { TestClock } from '../../../kit/testClock';

/** A gate with a clock that the test advances, and a session whose user answers when the test decides. */
export class GateBench {
  readonly clock = new TestClock();
  readonly audit: AuditEntry[] = [];
  readonly questions: AuthorizationRequest[] = [];
  /** Questions that no user needs to answer, and what the rules say to them. */
  readonly judged: AuthorizationRequest[] = [];
  judgement: 'allow' | 'ask' | 'deny' = 'allow';
  readonly answers: Deferred<AuthorizationResult>[] = [];
  readonly progress: string[] = [];
  readonly changed = new Emitter<void>();
  rules: ToolRules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };
  state: SessionState = emptySession('session', { name: 'agent', title: 'Agent' });
  agreed: readonly AgreedCall[] = [];
  readonly gate = new ToolCallGate(
    stubOf<ToolFilterSettings>({ rulesOf: () => this.rules, onDidChange: this.changed.event }),
    stubOf<AuditLog>({ append: (entry) => void this.audit.push(entry) }),
    this.clock,
    nullLogger,
    new ToolServers(),
  );

  session(id = 'session'): SessionHandle {
    const stateOf = (): SessionState => this.state;
    const agreedOf = (): readonly AgreedCall[] => this.agreed;
    return stubOf<SessionHandle>({
      id,
      caller: undefined,
      folders: [],
      get state() {
        return stateOf();
      },
      userRequests: stubOf<RequestsToUser>({
        get agreed() {
          return agreedOf();
        },
        authorize: (question) => {
          this.questions.push(question);
          const answer = createDeferred<AuthorizationResult>();
          this.answers.push(answer);
          return answer.promise;
        },
        judge: async (question) => {
          this.judged.push(question);
          return { decision: this.judgement, reason: 'a test', by: 'rule' };
        },
      }),
    });
  }

  /** Calls a tool of the server `sample`. */
  call(
    tool: Tool,
    input: unknown = {},
    more: {
      readonly session?: SessionHandle;
      readonly signal?: AbortSignal;
      readonly origin?: RegisteredServer['origin'];
      readonly meta?: JsonObject;
    } = {},
  ): Promise<ToolResult> {
    return this.gate.call({
      session: more.session ?? this.session(),
      registered: { ...registered(tool), ...(more.origin && { origin: more.origin }) },
      tool,
      input,
      ...(more.meta && { meta: more.meta }),
      signal: more.signal ?? new AbortController().signal,
      progress: (message) => this.progress.push(message),
    });
  }

  /** The user answers the oldest open permission request. */
  answer(allowed = true): void {
    const reason = allowed ? 'the user allowed it' : 'the user rejected it';
    this.answers.shift()?.resolve({ allowed, reason, by: 'person' });
  }
}

export function registered(...tools: readonly Tool[]): RegisteredServer {
  const server = { name: 'sample', title: 'Sample', description: 'For tests', tools };
  return { name: 'sample', server, origin: 'builtIn' };
}

/** A tool whose behavior the test defines. */
export function toolOf(
  run: (input: unknown, context: ToolContext) => Promise<ToolResult> | ToolResult,
  more: Partial<Tool> = {},
): Tool {
  return {
    name: 'do',
    title: 'Do it',
    description: 'Does it',
    input: { type: 'object' },
    annotations: {},
    approval: 'free',
    call: async (input, context) => run(input, context),
    ...more,
  };
}
