import { Emitter } from '../../base/event';
import { Redactor, secretEnvValues } from '../../base/redactor';
import type { OversizedLine } from '../../node/process/ndjson';
import type { TrafficEntry } from '../../shared/traffic/trafficEntries';
import { FormAnswerMask } from './formAnswerMask';

const MAX_MESSAGES = 2_000;
const MAX_RETAINED_BYTES = 16 * 1024 * 1024;
/** Larger messages are recorded only by their beginning. */
const WHOLE_MESSAGE_BYTES = 512 * 1024;
const RECORDED_START_CHARS = 4_096;

/** An entry without the fields that the recorder adds; a plain Omit would not distribute over the union. */
type Added = TrafficEntry extends infer Entry ? (Entry extends unknown ? Omit<Entry, 'seq' | 'at'> : never) : never;

/**
 * The latest messages between Parley and an agent, for diagnosis. Limited in number and bytes; entries are returned
 * only with secrets redacted.
 */
export class TrafficRecorder {
  readonly #onDidAdd = new Emitter<void>();
  readonly #formAnswers = new FormAnswerMask();
  /** Those before `#first` were dropped. */
  #entries: ({ readonly entry: TrafficEntry; readonly retained: number } | undefined)[] = [];
  #first = 0;
  #retained = 0;
  #seq = 0;

  readonly onDidAdd = this.#onDidAdd.event;

  /**
   * @param env from the agent's definition: secrets in it are redacted
   * @param redactor knows the secrets in the traffic; those of the whole window
   * @param isRecording whether messages are recorded now (`parley.traffic.record`); read for each message
   */
  constructor(
    private readonly env: Readonly<Record<string, string>> = {},
    readonly redactor = new Redactor(),
    private readonly isRecording: () => boolean = () => true,
  ) {
    redactor.add(secretEnvValues(env));
  }

  /**
   * Adds secrets to redact: an environment with the user's secrets in it. Substituted values are secret whatever their
   * names.
   */
  addSecrets(env: Readonly<Record<string, string>>): void {
    const filledIn = Object.entries(env).filter(([name, value]) => value !== this.env[name]);
    this.redactor.add([...secretEnvValues(env), ...filledIn.map(([, value]) => value)]);
  }

  /** @param line the message as sent on the wire */
  message(dir: 'in' | 'out', message: unknown, line: string): void {
    const bytes = Buffer.byteLength(line);
    const masked = this.#formAnswers.mask(dir, message);
    if (bytes <= WHOLE_MESSAGE_BYTES) this.#add({ dir, bytes, message: masked }, bytes);
    else {
      const text = masked === message ? line : JSON.stringify(masked);
      this.#add({ dir, bytes, beginning: text.slice(0, RECORDED_START_CHARS) }, RECORDED_START_CHARS);
    }
  }

  /**
   * Records a message of the agent that begins like an earlier one and says more; of that one the beginning is enough.
   * @param before as recorded
   * @param line the message as sent on the wire
   */
  repeated(before: unknown, message: unknown, line: Uint8Array): void {
    const at = this.#entries.findLastIndex((one) => one && 'message' in one.entry && one.entry.message === before);
    const earlier = this.#entries[at];
    if (earlier) {
      const { seq, at: time, bytes } = earlier.entry;
      const beginning = Buffer.from(line.subarray(0, RECORDED_START_CHARS)).toString();
      this.#entries[at] = { entry: { dir: 'in', seq, at: time, bytes, beginning }, retained: beginning.length };
      this.#retained += beginning.length - earlier.retained;
    }
    if (line.length <= WHOLE_MESSAGE_BYTES) this.#add({ dir: 'in', bytes: line.length, message }, line.length);
    else this.message('in', message, Buffer.from(line).toString());
  }

  /** Records a message that exceeded the size limit. */
  recordOversized(dir: 'in' | 'out', { bytes, beginning }: OversizedLine): void {
    this.#add({ dir, bytes, beginning }, beginning.length);
  }

  invalidLine(line: string): void {
    const noise = line.slice(0, RECORDED_START_CHARS);
    this.#add({ dir: 'in', bytes: Buffer.byteLength(line), noise }, noise.length);
  }

  stderr(line: string): void {
    const stderr = line.slice(0, RECORDED_START_CHARS);
    this.#add({ dir: 'in', bytes: Buffer.byteLength(line), stderr }, stderr.length);
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** Number of the oldest retained entry. */
  get firstSeq(): number {
    return this.#seq - this.size;
  }

  /**
   * Retained entries from this number on, oldest first, with secrets redacted.
   * @param max maximum number of entries
   */
  entries(from = 0, max = Infinity): TrafficEntry[] {
    const start = this.#first + Math.max(0, from - this.firstSeq);
    const retained = this.#entries.slice(start, start + max).flatMap((one) => one?.entry ?? []);
    return retained.map((entry) => this.redactor.value(entry) as TrafficEntry);
  }

  #add(added: Added, retained: number): void {
    if (!this.isRecording()) return;
    this.#entries.push({ entry: { ...added, seq: this.#seq++, at: Date.now() }, retained });
    this.#retained += retained;
    while (this.size > MAX_MESSAGES || (this.#retained > MAX_RETAINED_BYTES && this.size > 1)) {
      this.#retained -= this.#entries[this.#first]?.retained ?? 0;
      this.#entries[this.#first++] = undefined;
    }
    if (this.#first > MAX_MESSAGES) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    this.#onDidAdd.fire();
  }
}
