import type { Clock } from '../../../base/clock';
import { t } from '../../../base/l10n';
import { MAX_VALUES } from '../../../node/process/lineLimits';

/** Limits for messages of a server, against attacks and faults (docs/security.md, row 13). Exceeding one ends the connection. */
interface Limits {
  /** Bytes of one message. */
  readonly message: number;
  /** Nesting depth of objects and arrays. */
  readonly depth: number;
  /** Values of one message: small ones take more time and memory than a long text. */
  readonly values: number;
  /** Bytes within {@link Limits.window}. */
  readonly total: number;
  /** Milliseconds. */
  readonly window: number;
}

export const LIMITS: Limits = {
  message: 16 * 1024 * 1024,
  depth: 200,
  values: MAX_VALUES,
  total: 128 * 1024 * 1024,
  window: 60_000,
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** A message ends with its line (stdio), an empty line (event streams), or the body (JSON responses). */
type Framing = 'line' | 'event' | 'body';

/** Checks bytes as they arrive, before anything is parsed or stored. */
export class InboundLimits {
  #depth = 0;
  #values = 0;
  #isInText = false;
  #isEscaped = false;
  #message = 0;
  #total = 0;
  #since: number;
  #isLineEmpty = false;
  #isAfterReturn = false;

  constructor(
    private readonly framing: Framing,
    private readonly clock: Clock,
    private readonly limits: Limits = LIMITS,
  ) {
    this.#since = clock.elapsed();
  }

  /** @returns the exceeded limit as a sentence, or undefined */
  check(chunk: Uint8Array): string | undefined {
    const { message, depth, values, total, window } = this.limits;
    if (this.clock.elapsed() - this.#since > window) {
      this.#since = this.clock.elapsed();
      this.#total = 0;
    }
    this.#total += chunk.length;
    if (this.#total > total) return t('the server sent more than {0} bytes within {1} seconds', total, window / 1000);
    for (const byte of chunk) {
      this.#countByte(byte);
      if (this.#depth > depth) return t('the server sent a message nested more than {0} levels deep', depth);
      if (this.#values > values) return t('the server sent a message with more than {0} values', values);
      if (this.#message > message) return t('the server sent a message larger than {0} bytes', message);
    }
    return undefined;
  }

  #countByte(byte: number): void {
    this.#message += 1;
    // Lines of event streams also end with a return alone.
    const isReturn = byte === RETURN && this.framing === 'event';
    if (isReturn || (byte === NEWLINE && !this.#isAfterReturn)) this.#endLine();
    else if (byte !== RETURN && byte !== NEWLINE) this.#isLineEmpty = false;
    this.#isAfterReturn = isReturn;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInText) {
      if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
    } else if (byte === QUOTE) this.#isInText = true;
    else if (byte === COMMA) this.#values += 1;
    else if (OPENING.has(byte)) {
      this.#depth += 1;
      this.#values += 1;
    } else if (CLOSING.has(byte) && this.#depth > 0) this.#depth -= 1;
  }

  #endLine(): void {
    // JSON strings contain no line break. A quote in an event stream's comment must not hide what follows.
    this.#isInText = false;
    this.#isEscaped = false;
    const isEnd = this.framing === 'line' || (this.framing === 'event' && this.#isLineEmpty);
    this.#isLineEmpty = true;
    if (isEnd) this.endMessage();
  }

  /** The next byte begins another message. */
  endMessage(): void {
    this.#message = 0;
    this.#depth = 0;
    this.#values = 0;
  }
}
