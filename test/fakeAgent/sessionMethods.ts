import type { FakeSession, SessionStore } from './store';
import type { Json, Wire } from './wire';

const env = process.env;

interface Tools {
  readonly wire: Wire;
  readonly store: SessionStore;
  readonly succeed: (id: unknown, result: unknown) => Promise<void>;
  readonly fail: (id: unknown, code: number, message: string) => Promise<void>;
}

type Method = (id: unknown, params: Json) => Promise<void>;

/** Session methods besides `session/new`. `FAKE_CAPABILITIES` selects the advertised ones. */
export function sessionMethods(tools: Tools): Record<string, Method> {
  const { store, succeed, fail } = tools;
  const onSession =
    (run: (session: FakeSession, id: unknown, params: Json) => Promise<void>): Method =>
    async (id, params) => {
      const session = store.get(params['sessionId']);
      if (!session) return fail(id, -32603, `No such session: ${String(params['sessionId'])}`);
      await run(session, id, params);
      store.save(session);
    };
  const answered = (change: (session: FakeSession, params: Json) => unknown): Method =>
    onSession((session, id, params) => succeed(id, change(session, params) ?? {}));
  return {
    'session/list': (id, params) => list(tools, id, params),
    'session/load': onSession((session, id, params) => load(tools, session, id, params)),
    'session/resume': onSession((session, id, params) =>
      env['FAKE_RESUME_ERROR'] ? fail(id, -32603, env['FAKE_RESUME_ERROR']) : resume(tools, session, id, params),
    ),
    'session/fork': onSession((session, id, params) => fork(tools, session, id, params)),
    'session/close': answered((session) => void (session.live = false)),
    'session/delete': async (id, params) => {
      const session = store.get(params['sessionId']);
      if (session) store.remove(session);
      await succeed(id, {});
    },
    'session/archive': answered((session) => void Object.assign(session, { archived: true, live: false })),
    'session/unarchive': answered((session) => void (session.archived = false)),
    // Limits the title to 20 characters, so that tests detect a client that ignores the returned title.
    'session/set_title': answered((session, params) => ({
      title: (session.title = String(params['title']).slice(0, 20)),
    })),
    'session/status': answered((session) => ({ status: session.live ? 'open' : 'saved' })),
  };
}

/** Some agents replay on a resume, too: all of it, the last turn or none, before or after the response. */
async function resume(tools: Tools, session: FakeSession, id: unknown, params: Json): Promise<void> {
  const how = (env['FAKE_RESUME_REPLAY'] ?? '').split(' ');
  const isPrompt = ({ sessionUpdate }: Json): boolean => sessionUpdate === 'user_message_chunk';
  const start = how.includes('last') ? session.updates.findLastIndex(isPrompt) : 0;
  const added = env['FAKE_REPLAY_MORE'] ? (JSON.parse(env['FAKE_REPLAY_MORE']) as Json[]) : [];
  const updates = how[0] === '' ? [] : [...session.updates.slice(start), ...added];
  if (how.includes('before')) await replay(tools.wire, session.sessionId, updates);
  await open(tools, session, id, params);
  if (how.includes('after')) await replay(tools.wire, session.sessionId, updates);
}

async function open({ wire, succeed }: Tools, session: FakeSession, id: unknown, params: Json): Promise<void> {
  session.live = true;
  session.additionalDirectories = (params['additionalDirectories'] ?? []) as string[];
  session.mcpServers = (params['mcpServers'] ?? []) as Json[];
  await succeed(id, newResult());
  if (env['FAKE_RESUME_ASK']) void askAgain(wire, session, env['FAKE_RESUME_ASK']);
}

/** Simulates an agent that continues the turn after its client has disconnected. */
async function askAgain(wire: Wire, { sessionId }: FakeSession, title: string): Promise<void> {
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const toolCall = { toolCallId: 'again', title };
  const answer = await wire.request('session/request_permission', { sessionId, toolCall, options });
  const content = { type: 'text', text: `[asked again: ${JSON.stringify(answer.result)}]` };
  await wire.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } });
}

async function load(tools: Tools, session: FakeSession, id: unknown, params: Json): Promise<void> {
  if (env['FAKE_LOAD_ERROR']) return tools.fail(id, -32602, env['FAKE_LOAD_ERROR']);
  // Gemini responds during its replay.
  const late = env['FAKE_REPLAY_LATE'] ? Math.floor(session.updates.length / 2) : session.updates.length;
  await replay(tools.wire, session.sessionId, session.updates.slice(0, late));
  await open(tools, session, id, params);
  await replay(tools.wire, session.sessionId, session.updates.slice(late));
}

async function fork(tools: Tools, source: FakeSession, id: unknown, params: Json): Promise<void> {
  const end = forkEnd(params, source);
  if (end === 0) return tools.fail(id, -32602, 'Fork point message was not found');
  const session = tools.store.create(params, source);
  session.updates.splice(end);
  // OpenCode replays under an id that the client does not know yet.
  if (env['FAKE_FORK_REPLAY']) await replay(tools.wire, session.sessionId, session.updates);
  const sessionId = env['FAKE_SAME_ID'] ? source.sessionId : session.sessionId;
  await tools.succeed(id, { sessionId, ...newResult() });
  tools.store.save(session);
}

/**
 * The history up to an answer, as the adapters of Claude and Codex do; all of it without an answer id, nothing if the answer is
 * unknown.
 */
function forkEnd({ _meta }: Json, { updates }: FakeSession): number {
  const air = (_meta as { jetbrains?: { air?: { fork?: { messageId?: string } } } } | undefined)?.jetbrains?.air;
  const messageId = air?.fork?.messageId;
  if (messageId === undefined) return Infinity;
  return updates.findLastIndex((update) => update['messageId'] === messageId) + 1;
}

async function list({ store, succeed }: Tools, id: unknown, params: Json): Promise<void> {
  const size = Number(env['FAKE_PAGE'] ?? 100);
  const from = Number(/\d+/.exec(JSON.stringify(params['cursor'] ?? 0)));
  const all = store.all().filter(({ cwd }) => params['cwd'] === undefined || cwd === params['cwd']);
  const sessions = all.slice(from, from + size).map(({ sessionId, cwd, title, updatedAt, archived }) => ({
    sessionId,
    cwd,
    title,
    updatedAt,
    archived,
  }));
  const nextCursor = from + size < all.length ? `page after ${from + size}` : null;
  await succeed(id, { sessions, nextCursor });
}

async function replay(wire: Wire, sessionId: string, updates: readonly Json[]): Promise<void> {
  for (const update of updates) await wire.notify('session/update', { sessionId, update });
}

function newResult(): Json {
  return JSON.parse(env['FAKE_NEW_RESULT'] ?? '{}') as Json;
}
