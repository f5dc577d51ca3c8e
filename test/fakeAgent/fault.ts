import { closeSync, existsSync, rmSync } from 'node:fs';
import type { Json, Wire } from './wire';

const env = process.env;

/** Bytes of updates in a flood. */
const FLOOD_BYTES = Number(env['FAKE_FAULT_FLOOD'] ?? 50_000_000);
const FLOOD_LINE_BYTES = 50_000;

/** Poll interval for the file, in milliseconds. */
const POLL_MS = 10;

const NOT_MESSAGES = ['\u0000\u0001\u001b[2J', '{', '}', 'null', '[]', '42', '"text"', '{}', '{"jsonrpc":"2.0"}'];
const NOT_VALID = [
  { jsonrpc: '2.0', id: {}, method: 'session/request_permission' },
  { jsonrpc: '2.0', id: 1e300, result: {} },
  { jsonrpc: '2.0', method: 42 },
  { jsonrpc: '2.0', method: 'session/update' },
  { jsonrpc: '2.0', method: 'session/update', params: [[]] },
  { jsonrpc: '2.0', id: null, error: 7 },
];

/**
 * One fault of `FAKE_FAULT` (see README.md). It happens once: at the request `FAKE_FAULT_AT` or, without that, as soon as the
 * file `FAKE_FAULT_FILE` exists. The agent deletes the file, so that the next process has no fault.
 */
export class Fault {
  readonly #wire: Wire;
  readonly #file: string;
  #request: Json = {};
  #sessionId = 'none';
  #isDeaf = false;
  #isOver = false;

  private constructor(wire: Wire, file: string) {
    this.#wire = wire;
    this.#file = file;
    if (env['FAKE_FAULT_AT'] === undefined)
      setInterval(() => void (existsSync(file) && this.#strike()), POLL_MS).unref();
  }

  static fromEnvironment(wire: Wire): Fault | undefined {
    const file = env['FAKE_FAULT_FILE'];
    return file === undefined ? undefined : new Fault(wire, file);
  }

  /** Returns false when a message of the client must be ignored. */
  async allows(message: Json): Promise<boolean> {
    const { sessionId } = (message['params'] ?? {}) as Json;
    if (typeof sessionId === 'string') this.#sessionId = sessionId;
    if ('id' in message) this.#request = message;
    if (message['method'] === env['FAKE_FAULT_AT'] && existsSync(this.#file)) await this.#strike();
    return !this.#isDeaf;
  }

  async #strike(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const name = env['FAKE_FAULT'] ?? '';
    const play = this.#plays[name];
    if (!play) throw new Error(`Unknown fault "${name}"`);
    const remove = (): void => rmSync(this.#file, { force: true });
    // The test waits until the flood has arrived.
    if (name !== 'floods') remove();
    await play();
    remove();
  }

  readonly #plays: Record<string, () => Promise<void> | void> = {
    killed: () => void process.kill(process.pid, 'SIGKILL'),
    hangs: () => this.#hang(),
    exits: () => process.exit(0),
    closesStdout: () => {
      this.#hang();
      closeSync(1);
    },
    floods: async () => {
      const text = 'x'.repeat(FLOOD_LINE_BYTES);
      for (let sent = 0; sent < FLOOD_BYTES; sent += FLOOD_LINE_BYTES) await this.#say(`${text}\n`);
    },
    garbage: async () => {
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]));
      for (const line of NOT_MESSAGES) await this.#wire.line(line);
      for (const message of NOT_VALID) await this.#wire.line(JSON.stringify(message));
    },
    answersTwice: () => {
      const { id } = this.#request;
      if (env['FAKE_FAULT_AT'] === undefined) return this.#wire.send({ id, result: { stopReason: 'end_turn' } });
      const error = { code: -32603, message: 'The second answer' };
      this.#wire.rewrite = (message) => (message['id'] === id ? [message, { id, error }] : [message]);
      return undefined;
    },
    wrongId: () => {
      const { id } = this.#request;
      this.#wire.rewrite = (message) => [message['id'] === id ? { ...message, id: `not ${String(id)}` } : message];
      return this.#wire.line('{"jsonrpc":"2.0","id":4711,"result":{}}');
    },
    duplicateId: async () => {
      const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
      const params = { sessionId: this.#sessionId, toolCall: { toolCallId: 'twice', title: 'Twice' }, options };
      for (let count = 0; count < 2; count++)
        await this.#wire.send({ id: 'twice', method: 'session/request_permission', params });
    },
    wrongVersion: () => {
      const isInitialize = env['FAKE_FAULT_AT'] === 'initialize';
      const wrong = isInitialize ? { result: { protocolVersion: 99 } } : { jsonrpc: '1.0' };
      this.#wire.rewrite = (message) => [{ ...message, ...wrong }];
    },
    halfLine: () => void process.stdout.write('{"jsonrpc":"2.0","method":"session/update","params":{"sess'),
    neverReads: () => {
      process.stdin.pause();
      this.#isDeaf = true;
      // After the end of input nothing else may keep the process alive.
      setInterval(() => {}, 1e6);
    },
  };

  /** Continues to read, but does and sends nothing more. */
  #hang(): void {
    this.#isDeaf = true;
    this.#wire.rewrite = () => [];
  }

  #say(text: string): Promise<void> {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    return this.#wire.notify('session/update', { sessionId: this.#sessionId, update });
  }
}
