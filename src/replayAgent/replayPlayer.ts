import type { JsonObject } from '../base/json';
import { asObject, asString, isObject } from '../base/json';
import { rpcCodes } from '../base/jsonRpc';
import type { RecordedLine } from '../shared/traffic/trafficRecording';
import { mapStrings } from '../shared/traffic/trafficRecording';
import { Recording, SESSION_OPENERS } from './recordingScript';
import type { RecordedMessage } from './recordingScript';

interface PlayerOutput {
  send(message: JsonObject): void;
  /** Writes a message for the user to stderr. */
  print(line: string): void;
}

/**
 * Agent requests that are sent again because a user answers them. A recording may come from any source, so it must not
 * read, write or run anything here: for other requests the recorded answer is used.
 */
const REPEATED_REQUESTS = new Set(['session/request_permission', 'elicitation/create']);

/** Plays the agent's side of a recording to a client that behaves like the recorded one. */
export class ReplayPlayer {
  readonly #recording: Recording;
  /** Requests that the client has not answered. */
  readonly #waiting = new Map<string, (answer: JsonObject) => void>();
  /**
   * Recorded session id to the client's. They differ when the recorded client had opened another session in between.
   */
  readonly #sessions = new Map<string, string>();
  /** Requests without a recorded answer: a cancel ends them. */
  readonly #unanswered = new Map<string, unknown>();
  /** Recorded folder and the client's folder. */
  #folder: readonly [string, string] | undefined;

  constructor(
    lines: readonly RecordedLine[],
    private readonly output: PlayerOutput,
  ) {
    this.#recording = new Recording(lines);
    const { cut } = this.#recording;
    if (cut > 0) output.print(`${cut} messages were too large to be recorded whole and are left out.`);
  }

  receive(message: JsonObject): void {
    const method = asString(message['method']);
    const params = asObject(message['params']) ?? {};
    if (method === undefined) this.#waiting.get(JSON.stringify(message['id']))?.(message);
    else if ('id' in message) void this.#answer(method, params, message['id']);
    else if (method === 'session/cancel') this.#cancel(params);
  }

  async #answer(method: string, params: JsonObject, id: unknown): Promise<void> {
    const session = asString(params['sessionId']);
    const recorded = this.#recording.takeRequest(method, session && this.#recordedSession(session));
    if (!recorded) {
      this.#improvise(method, id);
      return;
    }
    this.#learn(recorded, params, session);
    const { method: taken } = recorded;
    if (taken !== method) this.output.print(`"${method}" is answered with what the recording has for "${taken}".`);
    for (const line of this.#recording.partOf(recorded)) {
      // One after the other: what the agent did after a question was its consequence.
      await this.#play(line, recorded, id);
    }
    if (!recorded.isAnswered) {
      this.output.print(`The recording ends before "${taken}" was answered.`);
      if (session !== undefined) this.#unanswered.set(session, id);
    }
  }

  async #play(line: RecordedLine, request: RecordedMessage, id: unknown): Promise<void> {
    // Never to stdout: the client would take a recorded line that is a message for a request.
    if ('noise' in line) this.output.print(line.noise);
    else if ('stderr' in line) this.output.print(line.stderr);
    else if (!('msg' in line)) return;
    else if (!('method' in line.msg)) this.#send({ ...this.#withSession(line.msg, request), id });
    else if (!('id' in line.msg)) this.#send(line.msg);
    else await this.#repeatRequest(line.msg);
  }

  /**
   * The recorded answer; when the recording loaded a session and the client opens a new one, the answer gets the
   * session's id.
   */
  #withSession(answer: JsonObject, { method, sessionId }: RecordedMessage): JsonObject {
    const { result } = answer;
    if (method === 'initialize') return { ...answer, result: withoutSignIn(result) };
    if (!SESSION_OPENERS.has(method) || !isObject(result) || 'sessionId' in result) return answer;
    return { ...answer, result: { ...result, sessionId } };
  }

  async #repeatRequest(message: JsonObject): Promise<void> {
    const method = String(message['method']);
    if (!REPEATED_REQUESTS.has(method)) {
      this.output.print(`"${method}" is not asked again: its recorded answer stands.`);
      return;
    }
    const key = JSON.stringify(message['id']);
    const answered = new Promise<JsonObject>((resolve) => {
      this.#waiting.set(key, resolve);
    });
    this.#send(message);
    const answer = await answered;
    this.#waiting.delete(key);
    this.#compare(method, answer, this.#recording.answerTo(message));
  }

  #compare(method: string, answer: JsonObject, recorded: JsonObject | undefined): void {
    const given = outcomeOf(answer);
    const expected = recorded && outcomeOf(recorded);
    if (expected === undefined || given === expected) return;
    this.output.print(
      `Deviation: "${method}" was answered ${given}, in the recording ${expected}. What follows is as recorded.`,
    );
  }

  /** Answers requests missing in the recording with the reason. */
  #improvise(method: string, id: unknown): void {
    if (method === 'initialize') {
      this.output.print('The recording does not have "initialize": a plain answer is given.');
      this.#send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
      return;
    }
    const first = this.#recording.firstSession;
    if (method === 'session/new' && first !== undefined && !this.#recording.opensSessions) {
      this.output.print('The recording begins after the session was opened: a plain answer is given.');
      this.#send({ id, result: { sessionId: first } });
      return;
    }
    const had = this.#recording.count(method);
    const more = had === 0 ? `The recording has no "${method}"` : `The recording has only ${had} "${method}"`;
    const message = `${more}. Restart the agent to play it from the beginning.`;
    this.output.print(`Deviation: ${message}`);
    this.#send({ id, error: { code: had === 0 ? rpcCodes.methodNotFound : rpcCodes.internalError, message } });
  }

  #cancel(params: JsonObject): void {
    const session = asString(params['sessionId']) ?? '';
    if (!this.#unanswered.has(session)) return;
    this.#send({ id: this.#unanswered.get(session), result: { stopReason: 'cancelled' } });
    this.#unanswered.delete(session);
  }

  #recordedSession(session: string): string {
    for (const [recorded, ours] of this.#sessions) if (ours === session) return recorded;
    return session;
  }

  #learn(recorded: RecordedMessage, params: JsonObject, session: string | undefined): void {
    const cwd = asString(params['cwd']);
    if (cwd !== undefined && recorded.cwd !== undefined) this.#folder = [recorded.cwd, cwd];
    if (session !== undefined && recorded.sessionId !== undefined && !recorded.opensSession)
      this.#sessions.set(recorded.sessionId, session);
  }

  #send(message: JsonObject): void {
    const [from = '', to = ''] = this.#folder ?? [];
    const inPlace = from.length > 1 ? asObject(mapStrings(message, (text) => text.replaceAll(from, to))) : message;
    this.output.send({ jsonrpc: '2.0', ...this.#inSession(inPlace ?? message) });
  }

  #inSession(message: JsonObject): JsonObject {
    const params = asObject(message['params']);
    const ours = this.#sessions.get(asString(params?.['sessionId']) ?? '');
    return ours === undefined ? message : { ...message, params: { ...params, sessionId: ours } };
  }
}

/** The user's decision in an answer. */
function outcomeOf(answer: JsonObject): string {
  const result = asObject(answer['result']);
  const outcome = asObject(result?.['outcome']);
  if ('error' in answer) return 'with an error';
  return `“${asString(outcome?.['optionId']) ?? asString(outcome?.['outcome']) ?? asString(result?.['action']) ?? '?'}”`;
}

/** Removes the sign-in methods: a recording must define neither a command nor a page to open. */
function withoutSignIn(result: unknown): unknown {
  return isObject(result) ? { ...result, authMethods: [] } : result;
}
