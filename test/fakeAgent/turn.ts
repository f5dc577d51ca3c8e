import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { createDeferred } from '../../src/base/async';
import type { ToolServersOfSession } from './mcpDirectives';
import { callTool, keepConnected } from './mcpDirectives';
import type { Directive } from './script';
import { headAndTail, parseOption, parsePlan, unescape, words } from './script';
import type { FakeSession, SessionStore } from './store';
import { promptsOf } from './store';
import type { Answer, Json, Wire } from './wire';

/** One prompt turn: runs its directives, which README.md describes. */
export class Turn {
  readonly #wire: Wire;
  readonly #session: FakeSession;
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #cwd: string;
  readonly #requestId: unknown;
  readonly #canceled = createDeferred<void>();
  readonly #told: Promise<void>[] = [];
  #isCanceled = false;
  #ignoresCancel = false;
  #answered = false;
  #diffs = 0;
  readonly #titles = new Map<string, string>();

  constructor(wire: Wire, session: FakeSession, requestId: unknown, store: SessionStore) {
    this.#wire = wire;
    this.#session = session;
    this.#store = store;
    this.#sessionId = session.sessionId;
    this.#cwd = session.cwd;
    this.#requestId = requestId;
  }

  /** Canceled, and the script reacts to it. */
  get isCanceled(): boolean {
    return this.#isCanceled && !this.#ignoresCancel;
  }

  /** `session/cancel` was received. */
  cancel(): void {
    this.#isCanceled = true;
    this.#canceled.resolve();
  }

  static knows(name: string): boolean {
    return Object.hasOwn(directives, name);
  }

  async play(script: readonly Directive[]): Promise<void> {
    for (const { name, rest } of script) {
      if (this.isCanceled && !this.#answered) {
        if (this.#wire.inBurst) await this.#wire.endBurst();
        await this.answer({ result: { stopReason: 'cancelled' } });
        return;
      }
      const play = directives[name];
      if (play) await play(this, rest);
      else await this.answer({ error: { code: -32602, message: `Unknown directive "${name}"` } });
    }
    if (this.#wire.inBurst) await this.#wire.endBurst();
    await Promise.all(this.#told);
    await this.answer({ result: { stopReason: 'end_turn' } });
  }

  /** Answers the prompt; only the first response counts. */
  async answer(answer: Answer): Promise<void> {
    if (this.#answered) return;
    this.#answered = true;
    await this.#wire.send({ id: this.#requestId, ...answer });
  }

  update(update: Json): Promise<void> {
    this.#store.record(this.#session, update);
    return this.#wire.notify('session/update', { sessionId: this.#sessionId, update });
  }

  say(text: string, sessionUpdate = 'agent_message_chunk'): Promise<void> {
    return this.update({ sessionUpdate, content: { type: 'text', text } });
  }

  tool(toolCallId: string, fields: Json): Promise<void> {
    return this.update({ sessionUpdate: 'tool_call', toolCallId, ...fields });
  }

  change(toolCallId: string, fields: Json): Promise<void> {
    return this.update({ sessionUpdate: 'tool_call_update', toolCallId, ...fields });
  }

  async chunks(rest: string): Promise<void> {
    const [count = 1, size = 1, ms = 0] = words(rest).map(Number);
    for (let index = 0; index < count; index++) {
      if (this.isCanceled) return;
      await this.say(`${index} `.padEnd(size, 'x'));
      if (ms > 0) await this.wait(ms);
    }
  }

  /** A request with our session id; in a burst the response is reported only after the burst was sent. */
  async ask(method: string, params: Json, tell: (answer: Answer) => string): Promise<void> {
    const answer = this.#wire.request(method, { sessionId: this.#sessionId, ...params });
    const told = answer.then((value) => this.say(`[${tell(value)}]\n`));
    if (this.#wire.inBurst) this.#told.push(told);
    else await told;
  }

  async permission(rest: string): Promise<void> {
    const [id = '', ...options] = words(rest);
    const title = this.#titles.get(id) ?? `Run ${id}`;
    const params = { toolCall: { toolCallId: id, title }, options: options.map(parseOption) };
    await this.ask('session/request_permission', params, (answer) => {
      const outcome = (answer.result as { outcome?: { outcome?: string; optionId?: string } } | undefined)?.outcome;
      return `permission ${id}: ${outcome ? (outcome.optionId ?? outcome.outcome) : failure(answer)}`;
    });
  }

  async read(rest: string): Promise<void> {
    const [path = '', line, limit] = words(rest);
    const range = { ...(line ? { line: Number(line) } : {}), ...(limit ? { limit: Number(limit) } : {}) };
    await this.ask('fs/read_text_file', { path: this.path(path), ...range }, (answer) => {
      const content = (answer.result as { content?: string } | undefined)?.content;
      return `read ${path}: ${content ?? failure(answer)}`;
    });
  }

  async write(rest: string): Promise<void> {
    const [path, text] = headAndTail(rest);
    const params = { path: this.path(path), content: unescape(text) };
    await this.ask('fs/write_text_file', params, (answer) => `write ${path}: ${answer.error ? failure(answer) : 'ok'}`);
  }

  /** Creates, awaits and releases a terminal; `toolCallId` shows it in a tool call. */
  async terminal(rest: string, toolCallId?: string): Promise<void> {
    const [command = '', ...args] = words(rest);
    const sessionId = this.#sessionId;
    const created = await this.#wire.request('terminal/create', { sessionId, command, args });
    const terminalId = (created.result as { terminalId?: string } | undefined)?.terminalId;
    if (terminalId === undefined) return this.say(`[terminal: ${failure(created)}]\n`);
    if (toolCallId) await this.change(toolCallId, { content: [{ type: 'terminal', terminalId }] });
    const exit = await this.#wire.request('terminal/wait_for_exit', { sessionId, terminalId });
    const output = await this.#wire.request('terminal/output', { sessionId, terminalId });
    await this.#wire.request('terminal/release', { sessionId, terminalId });
    const { exitCode, signal } = (exit.result ?? {}) as { exitCode?: number; signal?: string };
    const text = (output.result as { output?: string } | undefined)?.output ?? failure(output);
    const how = exit.error ? failure(exit) : `exit ${exitCode ?? signal}`;
    return this.say(`[terminal: ${how}: ${text}]\n`);
  }

  async requestDirective(rest: string, cancel: boolean): Promise<void> {
    const [method, json] = headAndTail(rest);
    const params = json === '' ? {} : (JSON.parse(this.fill(json)) as unknown);
    const withdraw = (requestId: unknown): void => void this.#wire.notify('$/cancel_request', { requestId });
    const told = this.#wire.request(method, params, cancel ? withdraw : undefined).then((answer) => {
      const text = answer.error ? failure(answer) : JSON.stringify(answer.result);
      return this.say(`[${method}: ${text}]\n`);
    });
    if (this.#wire.inBurst) this.#told.push(told);
    else await told;
  }

  async notify(rest: string): Promise<void> {
    const [method, json] = headAndTail(rest);
    await this.#wire.notify(method, json === '' ? {} : JSON.parse(this.fill(json)));
  }

  /** Reports the outcome of an operation on the session's MCP servers. */
  async withServers(play: (servers: ToolServersOfSession) => Promise<string>): Promise<void> {
    const told = await play({ declared: this.#session.mcpServers, wire: this.#wire });
    await this.say(`[${told}]\n`);
  }

  recall(): Promise<void> {
    return this.say(`[remembers ${JSON.stringify(promptsOf(this.#session).slice(0, -1))}]\n`);
  }

  announce(rest: string): Promise<void> {
    const [id, afterId] = headAndTail(rest);
    const [kind, title] = headAndTail(afterId);
    this.#titles.set(id, title);
    return this.tool(id, { kind, title, status: 'in_progress' });
  }

  status(rest: string): Promise<void> {
    const [id, afterId] = headAndTail(rest);
    const [status, text] = headAndTail(afterId);
    const content = [{ type: 'content', content: { type: 'text', text: unescape(text) } }];
    return this.change(id, { status, ...(text ? { content } : {}) });
  }

  diff(rest: string): Promise<void> {
    const [path = '', texts = ''] = rest.split(/\s+\|\s*/, 2);
    const [oldText, newText = ''] = texts.split('=>').map((text) => unescape(text.trim()));
    const content = { type: 'diff', path: this.path(path), newText, ...(oldText ? { oldText } : { oldText: null }) };
    const id = `diff-${++this.#diffs}`;
    return this.tool(id, { kind: 'edit', title: `Edit ${basename(path)}`, status: 'completed', content: [content] });
  }

  wait(ms: number): Promise<void> {
    const waited = new Promise<void>((resolve) => {
      setTimeout(resolve, ms);
    });
    return this.#ignoresCancel ? waited : Promise.race([waited, this.#canceled.promise]);
  }

  async untilCancel(): Promise<void> {
    await this.#canceled.promise;
  }

  ignoreCancel(): void {
    this.#ignoresCancel = true;
  }

  line(text: string): Promise<void> {
    return this.#wire.line(text);
  }

  startBurst(): void {
    this.#wire.startBurst();
  }

  async endBurst(): Promise<void> {
    await this.#wire.endBurst();
  }

  /** Replaces `$SESSION` by the session's id, `$PROMPT` by the id of the prompt's request as JSON, `$CWD` by the session's folder. */
  fill(text: string): string {
    return text
      .replaceAll('$SESSION', this.#sessionId)
      .replaceAll('$PROMPT', JSON.stringify(this.#requestId))
      .replaceAll('$CWD', this.#cwd);
  }

  path(path: string): string {
    return isAbsolute(path) ? path : join(this.#cwd, path);
  }
}

type Play = (turn: Turn, rest: string) => Promise<void> | void;

const directives: Record<string, Play> = {
  text: (turn, rest) => turn.say(unescape(rest)),
  thought: (turn, rest) => turn.say(unescape(rest), 'agent_thought_chunk'),
  chunks: (turn, rest) => turn.chunks(rest),
  bigline: (turn, rest) => turn.say('x'.repeat(Number(rest))),
  manyvalues: (turn, rest) =>
    turn.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'many',
      rawOutput: Array<number>(Number(rest)).fill(1),
    }),
  tool: (turn, rest) => turn.announce(rest),
  update: (turn, rest) => turn.status(rest),
  fields: (turn, rest) => {
    const [id, json] = headAndTail(rest);
    return turn.change(id, JSON.parse(turn.fill(json)) as Json);
  },
  diff: (turn, rest) => turn.diff(rest),
  recall: (turn) => turn.recall(),
  'call-tool': (turn, rest) => turn.withServers((servers) => callTool(servers, rest, 'stateless')),
  'call-tool-connected': (turn, rest) => turn.withServers((servers) => callTool(servers, rest, 'connected')),
  'keep-connected': (turn, rest) => turn.withServers((servers) => keepConnected(servers, rest)),
  'tell-servers': (turn) => turn.withServers(async ({ declared }) => `servers: ${JSON.stringify(declared)}`),
  plan: (turn, rest) => turn.update({ sessionUpdate: 'plan', entries: parsePlan(rest) }),
  'session-update': (turn, rest) => turn.update(JSON.parse(turn.fill(rest)) as Json),
  permission: (turn, rest) => turn.permission(rest),
  read: (turn, rest) => turn.read(rest),
  write: (turn, rest) => turn.write(rest),
  run: async (turn, rest) => {
    const [command = '', ...args] = words(rest);
    await promisify(execFile)(command, args).catch((error: unknown) => turn.say(`[run: ${String(error)}]\n`));
  },
  disk: async (turn, rest) => {
    const [path, text] = headAndTail(rest);
    await mkdir(dirname(turn.path(path)), { recursive: true });
    await writeFile(turn.path(path), unescape(text));
  },
  unlink: (turn, rest) => rm(turn.path(rest)),
  'until-file': async (turn, rest) => {
    while (!existsSync(turn.path(rest)) && !turn.isCanceled) await turn.wait(20);
  },
  terminal: (turn, rest) => turn.terminal(rest),
  'show-terminal': (turn, rest) => {
    const [id, command] = headAndTail(rest);
    return turn.terminal(command, id);
  },
  request: (turn, rest) => turn.requestDirective(rest, false),
  'request-cancel': (turn, rest) => turn.requestDirective(rest, true),
  notify: (turn, rest) => turn.notify(rest),
  raw: (turn, rest) => turn.line(turn.fill(rest)),
  noise: (turn, rest) => turn.line(unescape(rest)),
  burst: (turn) => turn.startBurst(),
  end: (turn) => turn.endBurst(),
  stderr: (_, rest) => flushStderr(`${unescape(rest)}\n`),
  wait: (turn, rest) => turn.wait(Number(rest)),
  'until-cancel': (turn) => turn.untilCancel(),
  'ignore-cancel': (turn) => turn.ignoreCancel(),
  hang: () => new Promise<never>(() => {}),
  stop: (turn, rest) => turn.answer({ result: { stopReason: rest } }),
  error: (turn, rest) => {
    const [code, message] = headAndTail(rest);
    return turn.answer({ error: { code: Number(code), message } });
  },
  late: async (turn, rest) => {
    await turn.answer({ result: { stopReason: 'end_turn' } });
    await turn.say(unescape(rest));
  },
  exit: (_, rest) => process.exit(Number(rest)),
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  'close-stdin': () => closeSync(0),
  'close-stdout': () => closeSync(1),
  'spawn-child': async (turn, rest) => {
    const flags = words(rest);
    await turn.say(`[child ${await spawnChild(flags.includes('detached'), flags.includes('stubborn'))}]\n`);
  },
};

function failure({ error }: Answer): string {
  return error ? `error ${error.code} ${error.message}` : 'no error and no result';
}

function flushStderr(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stderr.write(text, () => resolve());
  });
}

/** A process that runs until killed; it reports when it is ready, so that a signal cannot arrive too early. */
async function spawnChild(detached: boolean, stubborn: boolean): Promise<number | undefined> {
  const ignore = stubborn ? `process.on('SIGTERM', () => {});` : '';
  const code = `${ignore} setInterval(() => {}, 1e6); process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['-e', code], { detached, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  child.unref();
  return child.pid;
}
