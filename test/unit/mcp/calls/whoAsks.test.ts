import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { systemClock } from '../../../../src/base/clock';
import { Emitter } from '../../../../src/base/event';
import { nullLogger } from '../../../../src/base/logger';
import type { TranscriptWriter } from '../../../../src/history/transcriptWriter';
import type { LazyBuiltIns } from '../../../../src/mcp/builtin/lazyBuiltIns';
import { userServer } from '../../../../src/mcp/builtin/user/askUserServer';
import { ToolCallGate } from '../../../../src/mcp/calls/toolCallGate';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { ToolServer } from '../../../../src/mcp/contract/toolServerTypes';
import { readToolServer } from '../../../../src/mcp/extensionApi/extensionToolServer';
import { ExternalCalls } from '../../../../src/mcp/externalCalls';
import type { AuditEntry, AuditLog } from '../../../../src/permissions/auditLog';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import type { PromptFileStore } from '../../../../src/session/promptFiles/promptFileStore';
import type { Session } from '../../../../src/session/session';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import { SessionModel } from '../../../../src/session/sessionModel';
import { UserRequests } from '../../../../src/session/userRequests/userRequests';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { formText, requestText } from '../../../../src/ui/pendingRequests';
import { stubOf } from '../../../kit/stubOf';
import { until } from '../../../kit/waiting';
import { emptyPolicy } from '../../permissions/emptyPolicy';
import { openRules } from '../sample';

const { signal } = new AbortController();

describe('mcp: who asks, and what answers', () => {
  let model: SessionModel;
  let requests: UserRequests;
  let session: SessionHandle;
  let servers: ToolServers;
  let gate: ToolCallGate;
  let audit: AuditEntry[];
  let rules: readonly Rule[];

  beforeEach(() => {
    const history = stubOf<TranscriptWriter>({ append: () => undefined, appendDiff: () => undefined });
    const folders = [tmpdir()];
    audit = [];
    rules = [];
    model = new SessionModel({
      id: 's',
      folders,
      history,
      log: nullLogger,
      clock: { ...systemClock, now: () => 1000 },
    });
    model.dispatch({ type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } });
    const records = stubOf<AuditLog>({ append: (entry) => void audit.push(entry) });
    const policy = { ...emptyPolicy(), rules: () => ({ user: rules, workspace: [] }), audit: records };
    requests = new UserRequests(model, { isTrusted: true, definition: undefined }, policy, () => undefined);
    servers = new ToolServers();
    gate = new ToolCallGate(openRules(), records, systemClock, nullLogger, servers);
    session = {
      id: 's',
      folders,
      cwd: folders[0]!,
      userRequests: requests,
      get state(): SessionState {
        return model.state;
      },
      dispatch: (action) => model.dispatch(action),
    };
  });
  afterEach(() => {
    requests.dispose();
    gate.dispose();
  });

  const entries = <K extends string>(kind: K) =>
    Array.from(entriesFrom(model.state.entries), ([, entry]) => entry).flatMap((entry) =>
      entry.kind === kind ? [entry as Extract<typeof entry, { kind: K }>] : [],
    );
  const callByClient = (server: string, name: string, input: object) =>
    new ExternalCalls(servers, stubOf<LazyBuiltIns>({}), gate, nullLogger, '1').call(session, server, {
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
      client: 'c1',
      signal,
      progress: () => undefined,
    })!;

  it('is the A2A client in a form, a request and the audit log, not the agent of its session', async () => {
    servers.add(
      userServer(stubOf<PromptFileStore>({ all: () => [], onDidChange: new Emitter<void>().event })),
      'builtIn',
    );
    servers.add(serverWith('docs', 'Delete it'), 'extension');
    const asked = callByClient('user', 'ask', { question: 'A name?' });
    await until(() => entries('elicitation').length === 1, 'the form');
    const [form] = entries('elicitation');
    assert.equal(form!.agent, 'A2A client');
    assert.match(formText({ session: stubOf<Session>({ state: model.state }), entry: 0, form: form! }), /^A2A client/);
    await requests.elicitations.answer(form!.elicitationId, { action: 'decline' });
    await asked;
    const called = callByClient('docs', 'run', {});
    await until(() => entries('permission').length === 1, 'the request');
    const [permission] = entries('permission');
    const shown = requestText(stubOf<Session>({ state: model.state, cwd: session.cwd }), permission!);
    assert.deepEqual([shown.agent, shown.title], [undefined, 'A2A client: Delete it (docs__run)']);
    requests.answer(permission!.permissionId, 'allowOnce');
    await called;
    assert.deepEqual([...new Set(audit.map(({ agent }) => agent))], ['A2A client c1']);
  });

  it('are denied by a rule for a server whose name another one has taken', async () => {
    rules = [{ decision: 'deny', tool: 'db__run' }];
    servers.add(serverWith('db', 'Other'), 'extension');
    servers.add({ ...serverWith('db', 'Run'), identity: 'A' }, 'person');
    const registered = servers.get('db-2')!;
    const [tool] = registered.server.tools;
    const call = { session, registered, tool: tool!, input: {}, signal, progress: () => undefined };
    assert.match((await gate.call(call)).text, /^db-2__run was not allowed: denied by/);
  });

  for (const [what, next] of [
    ['another command', { ...serverWith('db', 'Run'), identity: 'B' }],
    ['another definition of the tool', { ...serverWith('db', 'Wipe'), identity: 'A' }],
  ] as const) {
    it(`is answered “for this session” only until the name means ${what}`, async () => {
      const call = () => {
        const registered = servers.get('db')!;
        const tool = registered.server.tools[0]!;
        return gate.call({ session, registered, tool, input: {}, signal, progress: () => undefined });
      };
      const answer = async (count: number): Promise<void> => {
        const done = call();
        await until(() => entries('permission').length === count, `request ${count}`);
        requests.answer(entries('permission').at(-1)!.permissionId, 'allowSession');
        await done;
      };
      const first = servers.add({ ...serverWith('db', 'Run'), identity: 'A' }, 'person');
      await answer(1);
      await call();
      assert.equal(
        entries('permission').filter(({ outcome }) => outcome?.type === 'selected' && outcome.by === 'person').length,
        1,
      );
      first.dispose();
      servers.add(next, 'person');
      await answer(2);
    });
  }
});

function serverWith(name: string, title: string): ToolServer {
  return readToolServer({
    name,
    title: name,
    tools: [{ name: 'run', title, description: 'D', call: async () => 'done' }],
  });
}
