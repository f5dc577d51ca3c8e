// A scriptable ACP agent for tests; its language is described in README.md.
import { readFileSync, realpathSync } from 'node:fs';
import { Auth, login } from './auth';
import { Fault } from './fault';
import { optionMethods } from './options';
import { parseScript } from './script';
import { sessionMethods } from './sessionMethods';
import { SessionStore } from './store';
import { Turn } from './turn';
import type { Json } from './wire';
import { Wire } from './wire';

const env = process.env;
const store = new SessionStore();
const turns = new Map<string, Turn>();

const wire = new Wire((message) => void receive(message));
const fault = Fault.fromEnvironment(wire);
const auth = new Auth({ succeed, fail, notify: (method, params) => wire.notify(method, params) });
if (process.argv.includes('--login')) login();
else startUp();

function startUp(): void {
  if (env['FAKE_STDERR']) process.stderr.write(`${env['FAKE_STDERR']}\n`);
  if (env['FAKE_NOISE']) void wire.line(env['FAKE_NOISE']);
  if (env['FAKE_EXIT_ON_START']) process.exit(Number(env['FAKE_EXIT_ON_START']));
  if (env['FAKE_IGNORE_TERM']) process.on('SIGTERM', () => {});
  process.stdin.on('end', () => {
    if (!env['FAKE_IGNORE_EOF']) process.exit(0);
  });
  if (env['FAKE_IGNORE_EOF']) setInterval(() => {}, 1e6);
}

async function receive(message: Json): Promise<void> {
  if (fault && !(await fault.allows(message))) return;
  const method = String(message['method']);
  const params = (message['params'] ?? {}) as Json;
  if (!('id' in message)) {
    if (method === 'session/cancel') turns.get(String(params['sessionId']))?.cancel();
    return;
  }
  const id = message['id'];
  const error = fromJson('FAKE_ERRORS')[method];
  if (error !== undefined) return wire.line(JSON.stringify({ jsonrpc: '2.0', id, error }));
  if (auth.refuses(method)) {
    await fail(id, -32000, 'Authentication required');
    return;
  }
  if (method === 'session/prompt') {
    await prompt(id, params);
    return;
  }
  const isRestore = method === 'session/load' || method === 'session/resume';
  if (env['FAKE_REAL_FOLDER'] && isRestore && realpathSync(String(params['cwd'])) !== params['cwd'])
    return fail(id, -32602, 'This session belongs to another folder');
  const handle =
    methods[method] ?? choosing[method] ?? auth.methods[method] ?? (env['FAKE_STORE'] ? stored[method] : undefined);
  if (handle) await handle(id, params);
  else await fail(id, -32601, `Method not found: ${method}`);
}

/** The id of the first session. */
let firstId: string | undefined;

const methods: Record<string, (id: unknown, params: Json) => Promise<void>> = {
  initialize: async (id) => {
    if (env['FAKE_NO_INITIALIZE']) return;
    if (env['FAKE_INITIALIZE_DELAY']) await sleep(Number(env['FAKE_INITIALIZE_DELAY']));
    if (env['FAKE_INITIALIZE_ERROR']) return fail(id, ...codeAndMessage(env['FAKE_INITIALIZE_ERROR']));
    return succeed(id, initializeResult());
  },
  '_session/steering': (id, params) => steering(id, params),
  'session/new': async (id, params) => {
    if (env['FAKE_NEW_ERROR']) return fail(id, ...codeAndMessage(env['FAKE_NEW_ERROR']));
    const session = store.create(params);
    firstId ??= session.sessionId;
    const sessionId = env['FAKE_SAME_ID'] ? firstId : session.sessionId;
    store.save(session);
    if (env['FAKE_UPDATE_BEFORE_NEW']) await sendUpdate(sessionId, env['FAKE_UPDATE_BEFORE_NEW']);
    await succeed(id, { sessionId, ...fromJson('FAKE_NEW_RESULT') });
    if (env['FAKE_UPDATE_AFTER_NEW']) await sendUpdate(sessionId, env['FAKE_UPDATE_AFTER_NEW']);
  },
};

/** FAKE_STEERING is the outcome; an injected message is repeated in the running turn, and echoed according to FAKE_STEERING_ECHO. */
async function steering(id: unknown, params: Json): Promise<void> {
  const outcome = env['FAKE_STEERING'];
  if (!outcome) return fail(id, -32601, 'Method not found: _session/steering');
  const said = (sessionUpdate: string, text: string): Promise<void> =>
    sendUpdate(String(params['sessionId']), JSON.stringify({ sessionUpdate, content: { type: 'text', text } }));
  const echo = env['FAKE_STEERING_ECHO'];
  if (echo === 'before') await said('user_message_chunk', promptText(params));
  await succeed(id, { outcome });
  if (echo === 'after') for (const word of promptText(params).split(/(?= )/)) await said('user_message_chunk', word);
  if (outcome === 'injected') await said('agent_message_chunk', `[steered: ${promptText(params)}]`);
}

const choosing = optionMethods({
  options: (fromJson('FAKE_NEW_RESULT')['configOptions'] ?? []) as Json[],
  succeed,
  fail,
});
const stored = sessionMethods({ wire, store, succeed, fail });

function initializeResult(): Json {
  if (env['FAKE_BARE']) return { protocolVersion: 1 };
  const capabilities = { loadSession: false, promptCapabilities: { image: true, embeddedContext: true } };
  return {
    protocolVersion: Number(env['FAKE_PROTOCOL'] ?? 1),
    agentInfo: { name: env['FAKE_NAME'] ?? 'fake-agent', title: 'Fake Agent', version: '1.0.0' },
    agentCapabilities: { ...capabilities, ...fromJson('FAKE_CAPABILITIES') },
    authMethods: JSON.parse(env['FAKE_AUTH_METHODS'] ?? '[]') as unknown,
    ...(env['FAKE_STEERING'] && { _meta: { steering: { supported: true } } }),
  };
}

async function prompt(id: unknown, params: Json): Promise<void> {
  const session = store.get(params['sessionId']);
  if (!session?.live) return fail(id, -32002, `Session not found: ${String(params['sessionId'])}`);
  const turn = new Turn(wire, session, id, store);
  turns.set(session.sessionId, turn);
  const text = promptText(params);
  store.record(session, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
  store.save(session);
  const script = parseScript(scriptFor(text));
  try {
    if (script.some(({ name }) => Turn.knows(name))) await turn.play(script);
    else await turn.play([{ name: 'text', rest: `You said: ${text}` }]);
  } catch (error) {
    await turn.answer({ error: { code: -32603, message: String(error) } });
  } finally {
    store.save(session);
    if (turns.get(session.sessionId) === turn) turns.delete(session.sessionId);
  }
}

function promptText(params: Json): string {
  const blocks = (params['prompt'] ?? []) as { type: string; text?: string }[];
  return blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
}

/** FAKE_SCRIPTS names a JSON file {"prompt": "script"}: for screenshots, where a script would not look natural. */
function scriptFor(text: string): string {
  const file = env['FAKE_SCRIPTS'];
  if (!file) return text;
  const scripts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return scripts[text.trim()] ?? text;
}

function succeed(id: unknown, result: unknown): Promise<void> {
  return wire.send({ id, result });
}

function fail(id: unknown, code: number, message: string): Promise<void> {
  return wire.send({ id, error: { code, message } });
}

function sendUpdate(sessionId: string, json: string): Promise<void> {
  return wire.notify('session/update', { sessionId, update: JSON.parse(json) as unknown });
}

function codeAndMessage(text: string): [number, string] {
  const [, code, message = ''] = /^(-?\d+)\s*(.*)$/s.exec(text) ?? [];
  return [Number(code ?? -32603), message];
}

function fromJson(name: string): Json {
  return JSON.parse(env[name] ?? '{}') as Json;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
