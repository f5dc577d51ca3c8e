import { appendFileSync } from 'node:fs';

export type Json = Record<string, unknown>;

/** A response to a request of the agent. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** NDJSON without a library, so that the agent can violate the protocol. */
export class Wire {
  #buffer = '';
  #burst: string[] | undefined;
  /** Replaces an outgoing message; set by a fault. */
  rewrite: ((message: Json) => readonly Json[]) | undefined;
  #nextId = 0;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  readonly #logFile = process.env['FAKE_LOG'];
  readonly #stringIds = process.env['FAKE_STRING_IDS'] !== undefined;

  /** @param onMessage Receives requests and notifications of the client. */
  constructor(onMessage: (message: Json) => void) {
    process.stdin.setEncoding('utf8');
    process.stdin.on('error', () => {});
    process.stdout.on('error', () => process.exit(141));
    process.stdin.on('data', (text: string) => {
      this.#buffer += text;
      const lines = this.#buffer.split('\n');
      this.#buffer = lines.pop() ?? '';
      for (const line of lines) this.#read(line, onMessage);
    });
  }

  /** Writes exactly this line; resolves when more may be written. */
  line(text: string): Promise<void> {
    if (this.#burst) {
      this.#burst.push(text);
      return Promise.resolve();
    }
    return write(`${text}\n`);
  }

  async send(message: Json): Promise<void> {
    const sent = this.rewrite?.(message) ?? [message];
    await Promise.all(sent.map((one) => this.line(JSON.stringify({ jsonrpc: '2.0', ...one }))));
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.send({ method, params });
  }

  /** Calls `started` with the id before it waits for the response. */
  request(method: string, params: unknown, started?: (id: unknown) => void): Promise<Answer> {
    const number = this.#nextId++;
    const id = this.#stringIds ? `fake-${number}` : number;
    const answer = new Promise<Answer>((resolve) => {
      this.#waiting.set(JSON.stringify(id), resolve);
    });
    void this.send({ id, method, params });
    started?.(id);
    return answer;
  }

  /** Starts to collect lines … */
  startBurst(): void {
    this.#burst ??= [];
  }

  /** … and sends them in one write. */
  endBurst(): Promise<void> {
    const lines = this.#burst ?? [];
    this.#burst = undefined;
    return write(lines.map((line) => `${line}\n`).join(''));
  }

  get inBurst(): boolean {
    return this.#burst !== undefined;
  }

  #read(line: string, onMessage: (message: Json) => void): void {
    if (line.trim() === '') return;
    const message = JSON.parse(line) as Json;
    if (this.#logFile) appendFileSync(this.#logFile, `${JSON.stringify(message)}\n`);
    if ('method' in message) {
      onMessage(message);
      return;
    }
    const key = JSON.stringify(message['id']);
    this.#waiting.get(key)?.(message);
    this.#waiting.delete(key);
  }
}

function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
