// An ACP agent that answers a prompt with the flood of that name, any other with nothing, and lists a session whose history is one.
// BENCH_LOG names a file that gets a JSON line for each answer: the times (Date.now()) of its start and of the last byte written to the
// pipe. BENCH_PART is the size of the floods compared with their names.
import { appendFileSync } from 'node:fs';
import type { Json } from '../fakeAgent/wire';
import { Wire } from '../fakeAgent/wire';
import type { Flood } from './floods';
import { feed, floods } from './floods';

const wire = new Wire((message) => void receive(message));
/** Of the last session. */
let folder = process.cwd();
let sessions = 0;
const part = Number(process.env['BENCH_PART'] ?? 1);

process.stdin.on('end', () => process.exit(0));

async function receive({ id, method, params }: Json): Promise<void> {
  if (id === undefined) return;
  const result = await answer(String(method), (params ?? {}) as Json);
  await wire.send(
    result ? { id, result } : { id, error: { code: -32601, message: `Method not found: ${String(method)}` } },
  );
}

async function answer(method: string, params: Json): Promise<Json | undefined> {
  if (method === 'initialize') {
    const agentCapabilities = { loadSession: true, sessionCapabilities: { list: {} } };
    return { protocolVersion: 1, agentInfo: { name: 'flood', version: '1.0.0' }, agentCapabilities, authMethods: [] };
  }
  if (method === 'session/new') {
    folder = String(params['cwd']);
    return { sessionId: `new${sessions++}` };
  }
  if (method === 'session/list') {
    const listed = floods(folder, part).filter(({ load }) => load);
    return { sessions: listed.map(({ what }) => ({ sessionId: what, cwd: folder, title: what })) };
  }
  const sessionId = String(params['sessionId']);
  if (method === 'session/load') {
    await flood(sessionId, sessionId);
    return {};
  }
  if (method !== 'session/prompt') return undefined;
  // Clients may send more than the text of the message box.
  const text = JSON.stringify(params['prompt']);
  const name = floods(folder, part).find(({ what }) => text.includes(what))?.what;
  if (name === undefined) log('start', Date.now());
  else await flood(sessionId, name);
  return { stopReason: 'end_turn' };
}

async function flood(sessionId: string, name: string): Promise<void> {
  const chosen: Flood | undefined = floods(folder, part).find(({ what }) => what === name);
  if (!chosen) throw new Error(`There is no flood "${name}".`);
  const started = Date.now();
  let last: Promise<void> = Promise.resolve();
  await feed(chosen, (update) => void (last = wire.notify('session/update', { sessionId, update })));
  await last;
  log(name, started);
}

function log(name: string, started: number): void {
  appendFileSync(String(process.env['BENCH_LOG']), `${JSON.stringify({ name, started, sent: Date.now() })}\n`);
}
