import { Redactor } from './redact';

const KEPT_MESSAGES = 2_000;
const KEPT_BYTES = 16 * 1024 * 1024;
/** A larger message is kept only by its beginning. */
const WHOLE_MESSAGE_BYTES = 512 * 1024;
const BEGINNING = 4_096;

/** One thing that went over the wire; `at` is milliseconds since 1970. */
export type TrafficEntry = { readonly at: number } & (
  | { readonly dir: 'in' | 'out'; readonly message: unknown }
  /** A message too large to be kept whole. */
  | { readonly dir: 'in' | 'out'; readonly beginning: string; readonly bytes: number }
  /** A line on stdout that is no JSON-RPC message. */
  | { readonly dir: 'in'; readonly noise: string }
  | { readonly dir: 'in'; readonly stderr: string }
);

/** The last messages between us and an agent, for diagnosis. Bounded in number and bytes; secrets leave it only redacted. */
export class TrafficRing {
  #entries: { readonly entry: TrafficEntry; readonly bytes: number }[] = [];
  #first = 0;
  #bytes = 0;
  readonly #redactor: Redactor;

  /** @param env of the agent's definition: its values are not shown. */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#redactor = new Redactor(env);
  }

  /** More values that are not shown: the environment with the person's secrets in it. */
  learn(env: Readonly<Record<string, string>>): void {
    this.#redactor.learn(env);
  }

  /** @param line the message as it is on the wire. */
  message(dir: 'in' | 'out', message: unknown, line: string): void {
    const at = Date.now();
    const bytes = line.length;
    if (bytes <= WHOLE_MESSAGE_BYTES) this.#add({ at, dir, message }, bytes);
    else this.#add({ at, dir, beginning: line.slice(0, BEGINNING), bytes }, BEGINNING);
  }

  noise(line: string): void {
    this.#add({ at: Date.now(), dir: 'in', noise: line.slice(0, BEGINNING) }, Math.min(line.length, BEGINNING));
  }

  stderr(line: string): void {
    this.#add({ at: Date.now(), dir: 'in', stderr: line.slice(0, BEGINNING) }, Math.min(line.length, BEGINNING));
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** What is kept, oldest first, with secrets replaced. */
  entries(): TrafficEntry[] {
    return this.#entries.slice(this.#first).map(({ entry }) => this.#redactor.value(entry) as TrafficEntry);
  }

  /** The same as JSON lines, for the clipboard or a file. */
  toText(): string {
    return this.entries()
      .map((entry) => JSON.stringify(entry))
      .join('\n');
  }

  #add(entry: TrafficEntry, bytes: number): void {
    this.#entries.push({ entry, bytes });
    this.#bytes += bytes;
    while (this.size > KEPT_MESSAGES || (this.#bytes > KEPT_BYTES && this.size > 1)) {
      this.#bytes -= this.#entries[this.#first++]?.bytes ?? 0;
    }
    if (this.#first > KEPT_MESSAGES) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}
