import { Emitter } from '../../base/event';
import { Redactor, secretEnvValues } from '../../base/redactor';
import type { TrafficEntry } from '../../shared/traffic/trafficEntries';
import type { OversizedLine } from '../../node/process/ndjson';

const KEPT_MESSAGES = 2_000;
const KEPT_BYTES = 16 * 1024 * 1024;
/** A larger message is kept only by its beginning. */
const WHOLE_MESSAGE_BYTES = 512 * 1024;
const BEGINNING = 4_096;

/** An entry without what the ring itself adds; Omit alone would forget which fields belong together. */
type Added = TrafficEntry extends infer Entry ? (Entry extends unknown ? Omit<Entry, 'seq' | 'at'> : never) : never;

export interface TrafficOptions {
  /** Of the agent's definition: its secrets are not shown. */
  readonly env?: Readonly<Record<string, string>>;
  /** Knows the secrets of the whole window. */
  readonly redactor?: Redactor;
  /** Says for each message whether it is kept (`parley.traffic.record`). */
  recording?(): boolean;
}

/** The last messages between us and an agent, for diagnosis. Bounded in number and bytes; secrets leave it only redacted. */
export class TrafficRecorder {
  readonly #options: TrafficOptions;
  readonly #redactor: Redactor;
  readonly #added = new Emitter<void>();
  #entries: { readonly entry: TrafficEntry; readonly kept: number }[] = [];
  #first = 0;
  #kept = 0;
  #seq = 0;

  /** There is something new to read. */
  readonly onDidAdd = this.#added.event;

  constructor(options: TrafficOptions = {}) {
    this.#options = options;
    this.#redactor = options.redactor ?? new Redactor();
    this.#redactor.add(secretEnvValues(options.env ?? {}));
  }

  /** More that is not shown: the environment with the user's secrets in it. What was filled in is secret whatever its name. */
  learn(env: Readonly<Record<string, string>>): void {
    const filledIn = Object.entries(env).filter(([name, value]) => value !== this.#options.env?.[name]);
    this.#redactor.add([...secretEnvValues(env), ...filledIn.map(([, value]) => value)]);
  }

  /** A text in which what must not be shown is hidden. */
  withoutSecrets(text: string): string {
    return this.#redactor.redact(text);
  }

  /** @param line the message as it is on the wire. */
  message(dir: 'in' | 'out', message: unknown, line: string): void {
    const bytes = Buffer.byteLength(line);
    if (bytes <= WHOLE_MESSAGE_BYTES) this.#add({ dir, bytes, message }, bytes);
    else this.#add({ dir, bytes, beginning: line.slice(0, BEGINNING) }, BEGINNING);
  }

  /** A message that was too long to be taken in. */
  cut(dir: 'in' | 'out', { bytes, beginning }: OversizedLine): void {
    this.#add({ dir, bytes, beginning }, beginning.length);
  }

  noise(line: string): void {
    const noise = line.slice(0, BEGINNING);
    this.#add({ dir: 'in', bytes: Buffer.byteLength(line), noise }, noise.length);
  }

  stderr(line: string): void {
    const stderr = line.slice(0, BEGINNING);
    this.#add({ dir: 'in', bytes: Buffer.byteLength(line), stderr }, stderr.length);
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** Number of the oldest entry that is kept. */
  get firstSeq(): number {
    return this.#seq - this.size;
  }

  /**
   * What is kept from this number on, oldest first, with secrets replaced.
   * @param max at most so many
   */
  entries(from = 0, max = Infinity): TrafficEntry[] {
    const start = this.#first + Math.max(0, from - this.firstSeq);
    return this.#entries.slice(start, start + max).map(({ entry }) => this.#redactor.value(entry) as TrafficEntry);
  }

  #add(added: Added, kept: number): void {
    if (this.#options.recording?.() === false) return;
    this.#entries.push({ entry: { ...added, seq: this.#seq++, at: Date.now() }, kept });
    this.#kept += kept;
    while (this.size > KEPT_MESSAGES || (this.#kept > KEPT_BYTES && this.size > 1)) {
      this.#kept -= this.#entries[this.#first++]?.kept ?? 0;
    }
    if (this.#first > KEPT_MESSAGES) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    this.#added.fire();
  }
}
