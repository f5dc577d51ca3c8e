import type { JsonObject } from '../base/json';
import { asObject, asString } from '../base/json';
import type { RecordedLine } from '../shared/traffic/trafficRecording';

/** Methods that open a session; a client may use another one than the recorded client. */
export const SESSION_OPENERS: ReadonlySet<string> = new Set([
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
]);

/** A request of the recorded client. */
export interface RecordedMessage {
  /** Line number of the request. */
  readonly at: number;
  readonly method: string;
  /** The session of the request, or the one that its answer opens. */
  readonly sessionId: string | undefined;
  /** The answer contains a new session id. */
  readonly opensSession: boolean;
  readonly cwd: string | undefined;
  readonly isAnswered: boolean;
}

/** A recording as a script: the lines that follow each request of the client. Every line is used once. */
export class Recording {
  readonly #requests: readonly RecordedMessage[];
  readonly #taken = new Set<RecordedMessage>();
  readonly #played = new Set<number>();
  /** Line of the answer by line of the request. */
  readonly #answers: ReadonlyMap<number, number>;

  constructor(private readonly lines: readonly RecordedLine[]) {
    this.#answers = findAnswers(lines);
    this.#requests = lines.flatMap((line, at) => this.#request(line, at) ?? []);
  }

  /** Number of lines with only the beginning of a message. */
  get cut(): number {
    return this.lines.filter((line) => 'beginning' in line).length;
  }

  get opensSessions(): boolean {
    return this.#requests.some(({ method }) => SESSION_OPENERS.has(method));
  }

  /** The first session named in the recording. */
  get firstSession(): string | undefined {
    for (const line of this.lines) {
      const session = 'msg' in line ? sessionOf(line.msg) : undefined;
      if (session !== undefined) return session;
    }
    return undefined;
  }

  count(method: string): number {
    return this.#requests.filter((request) => request.method === method).length;
  }

  /**
   * The next request of this method, preferably of the same session; for opening a session also another opening method.
   */
  takeRequest(method: string, session: string | undefined): RecordedMessage | undefined {
    const unused = this.#requests.filter((request) => !this.#taken.has(request));
    const same = unused.filter((request) => request.method === method);
    const inSession = same.find(({ sessionId }) => session === undefined || sessionId === session);
    const another = SESSION_OPENERS.has(method)
      ? unused.find((request) => SESSION_OPENERS.has(request.method))
      : undefined;
    const request = inSession ?? same[0] ?? another;
    if (request) this.#taken.add(request);
    return request;
  }

  /** The agent's messages after a request: up to its answer, and then until the client's next request. */
  *partOf(request: RecordedMessage): Generator<RecordedLine> {
    const answer = this.#answers.get(request.at);
    for (const [at, line] of this.lines.entries()) {
      if (this.#played.has(at)) continue;
      if (this.#isNext(at, request, answer)) return;
      if (line.dir !== 'in' || !this.#belongs(line, at, request)) continue;
      this.#played.add(at);
      yield line;
    }
  }

  /** The recorded client's answer to this request of the agent. */
  answerTo(message: JsonObject): JsonObject | undefined {
    const at = this.lines.findIndex((line) => 'msg' in line && line.msg === message);
    const line = this.lines[this.#answers.get(at) ?? -1];
    return line && 'msg' in line ? line.msg : undefined;
  }

  /**
   * Whether the line is the client's next request, after which the agent's messages react to that request. If the
   * recording has no answer, a request that the client could have sent while it waited does not count.
   */
  #isNext(at: number, request: RecordedMessage, answer: number | undefined): boolean {
    if (at <= request.at) return false;
    const next = this.#requests.find((other) => other.at === at);
    if (!next) return false;
    if (answer !== undefined) return at > answer;
    return next.method === 'initialize' || (next.method === request.method && next.sessionId === request.sessionId);
  }

  #belongs(line: RecordedLine, at: number, request: RecordedMessage): boolean {
    if (!('msg' in line)) return true;
    const { msg } = line;
    if (!('method' in msg)) return at === this.#answers.get(request.at);
    const session = sessionOf(msg);
    const isSameSession = session === undefined || request.sessionId === undefined || session === request.sessionId;
    // An earlier request belongs to a turn that was not played.
    return isSameSession && (!('id' in msg) || at > request.at);
  }

  #request(line: RecordedLine, at: number): RecordedMessage | undefined {
    if (!isRequestOfClient(line)) return undefined;
    const { msg } = line;
    const params = asObject(msg['params']);
    const answer = this.lines[this.#answers.get(at) ?? -1];
    const opened = answer && 'msg' in answer ? asString(asObject(answer.msg['result'])?.['sessionId']) : undefined;
    return {
      at,
      method: asString(msg['method']) ?? '',
      sessionId: opened ?? sessionOf(msg),
      opensSession: opened !== undefined,
      cwd: asString(params?.['cwd']),
      isAnswered: answer !== undefined,
    };
  }
}

type MessageLine = Extract<RecordedLine, { msg: JsonObject }>;

function isRequestOfClient(line: RecordedLine): line is MessageLine {
  return line.dir === 'out' && 'msg' in line && 'method' in line.msg && 'id' in line.msg;
}

function sessionOf(message: JsonObject): string | undefined {
  return asString(asObject(message['params'])?.['sessionId']);
}

function findAnswers(lines: readonly RecordedLine[]): ReadonlyMap<number, number> {
  const open = new Map<string, number>();
  const answers = new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    if (!('msg' in line) || !('id' in line.msg)) continue;
    const id = JSON.stringify(line.msg['id']);
    if ('method' in line.msg) {
      open.set(`${line.dir} ${id}`, at);
      continue;
    }
    const request = open.get(`${line.dir === 'in' ? 'out' : 'in'} ${id}`);
    if (request !== undefined) answers.set(request, at);
    open.delete(`${line.dir === 'in' ? 'out' : 'in'} ${id}`);
  }
  return answers;
}
