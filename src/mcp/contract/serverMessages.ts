import type { Clock } from '../../base/clock';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { asString } from '../../base/json';
import type { Logger } from '../../base/logger';
import { truncate } from '../../base/text';
import type { ServerMessageItem } from '../../shared/protocol/toolsPanelState';
import { SERVER_MESSAGE_LEVELS } from '../../shared/protocol/toolsPanelState';

/** Messages kept for the Tools panel, and UTF-16 units of each. */
const MAX_MESSAGES = 50;
const MAX_TEXT = 2_000;
/** Messages a second; a server could send them without end. */
const MAX_PER_SECOND = 20;

const WRITE: Readonly<Record<string, keyof Logger>> = { debug: 'trace', info: 'info', notice: 'info', warning: 'warn' };

/** What a server reports by MCP's `notifications/message`: written to the log, and the latest kept for the Tools panel. */
export class ServerMessages {
  readonly #onDidAdd = new Emitter<void>();
  readonly onDidAdd: Event<void> = this.#onDidAdd.event;
  #latest: readonly ServerMessageItem[] = [];
  #times: readonly number[] = [];
  #skipped = 0;

  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Newest first. */
  get latest(): readonly ServerMessageItem[] {
    return this.#latest;
  }

  /** @param params of the notification */
  add({ level: given, logger, data }: JsonObject): void {
    const now = this.clock.elapsed();
    this.#times = this.#times.filter((time) => time > now - 1_000);
    if (this.#times.length >= MAX_PER_SECOND) {
      this.#skipped += 1;
      return;
    }
    this.#times = [...this.#times, now];
    const level = SERVER_MESSAGE_LEVELS.find((one) => one === given) ?? 'info';
    const text = truncate(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''), MAX_TEXT);
    const from = asString(logger);
    const message = from === undefined ? text : `${truncate(from, MAX_TEXT)}: ${text}`;
    if (this.#skipped > 0)
      this.log.warn('mcp', `Skipped ${this.#skipped} messages of “${this.name}”: too many a second`);
    this.#skipped = 0;
    this.log[WRITE[level] ?? 'error']('mcp', `The MCP server “${this.name}” reported (${level}) ${message}`);
    this.#latest = [{ level, text: message, at: this.clock.now() }, ...this.#latest].slice(0, MAX_MESSAGES);
    this.#onDidAdd.fire();
  }
}
