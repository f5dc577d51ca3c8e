import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { copyFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SerialQueue } from '../base/async';
import { FailureStreak } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { canonicalJson, isObject, isTooLarge, parseJson } from '../base/json';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Redactor } from '../base/redactor';
import { lastChars, truncate } from '../base/text';
import { replaceFile } from '../node/fs/atomicWrite';
import { isFolder } from '../node/fs/moveAside';
import { makePrivateFolder } from '../node/fs/privateFiles';
import { keepDamagedCopy, openToAppend, readStoredFile, reportUnsaved } from '../node/fs/storedFile';
import type { DecisionSource } from './rules/ruleRequest';

/** The decision about one request, without secrets. */
export interface AuditRecord {
  /** ISO 8601, in UTC. */
  readonly time: string;
  /** Parley's session id. */
  readonly session: string;
  /** Key of the agent. */
  readonly agent: string;
  readonly kind: string;
  readonly title: string;
  /** `server__tool` of an MCP tool. */
  readonly tool?: string;
  /** The requested command line. */
  readonly command?: string;
  readonly paths?: readonly string[];
  /** Arguments of the tool call; long ones are truncated. */
  readonly arguments?: unknown;
  /** SHA-256 of the original arguments, before redaction and truncation; lower-case hex. */
  readonly hash?: string;
  /** SHA-256 of all that the request shows, with its changes of files; lower-case hex. */
  readonly subject?: string;
  readonly decision: 'allowed' | 'denied' | 'canceled';
  readonly by: DecisionSource;
  readonly reason?: string;
  /** The agent's label of the selected option. */
  readonly option?: string;
  /** Milliseconds from the request to the decision. */
  readonly ms: number;
  /** Milliseconds that an MCP tool ran, without waiting for the user. */
  readonly toolMs?: number;
  /** Milliseconds that the tool's call and answer spent in transport. */
  readonly transportMs?: number;
  /** Size of an MCP tool's result. */
  readonly bytes?: number;
  /** The outcome of an allowed request, if known. */
  readonly outcome?: string;
}

/** A record before redaction. */
export type AuditEntry = Omit<AuditRecord, 'hash'>;

const MAX_AUDIT_FILES = 4;
const MAX_BYTES = 2 * 1024 * 1024;
/** Records kept in memory while the disk is full. */
const MAX_PENDING = 5_000;
/** UTF-16 units of each text of a record, and of its arguments: one request of an agent must not replace thousands of records. */
const MAX_TEXT = 4_000;
const [MAX_PATHS, MAX_PATH] = [50, 500];

/** All permission decisions as JSON lines in append-only files, which are rotated. */
export class AuditLog implements Disposable {
  readonly #queue = new SerialQueue();
  readonly #onDidAppend = new Emitter<AuditRecord>();
  readonly #onDidDecide = new Emitter<AuditEntry>();
  #pending: AuditRecord[] = [];
  /** The newest file after the last write or read. */
  #newest: Stats | undefined;
  readonly #failures: FailureStreak;

  readonly onDidAppend: Event<AuditRecord> = this.#onDidAppend.event;
  /** Fires the entry before redaction. */
  readonly onDidDecide: Event<AuditEntry> = this.#onDidDecide.event;

  /**
   * @param folder absolute; created when needed
   * @param maxBytes bytes per file; the log has at most {@link MAX_AUDIT_FILES} files
   */
  constructor(
    private readonly folder: string,
    private readonly redactor: Redactor,
    log: Logger,
    private readonly maxBytes?: number,
  ) {
    this.#failures = new FailureStreak((error) => {
      log.warn('session', `Failed to write the audit log: ${error}`);
      reportUnsaved(folder, t('decisions in the audit log'), error);
    });
  }

  /** Redacts and adds a record. Never throws: it is written soon, and again after a disk-full error. */
  append(entry: AuditEntry): void {
    const record = this.#withoutSecrets(entry);
    this.#pending.push(record);
    this.#onDidAppend.fire(record);
    this.#onDidDecide.fire(entry);
    void this.#queue.run(() => this.#write());
  }

  /** Oldest first. Damaged lines are skipped; a copy of their file is kept. */
  async entries(): Promise<readonly AuditRecord[]> {
    await this.#queue.idle();
    await this.#reportRemoved();
    const stored = await Promise.all(this.#files().toReversed().map(readRecords));
    await this.#noteNewest();
    return [...stored.flat(), ...this.#pending];
  }

  /**
   * Writes all records as JSON lines.
   * @param path absolute; an existing file is replaced
   * @throws Error when it cannot be written
   */
  async export(path: string): Promise<void> {
    const lines = (await this.entries()).map((record) => `${toLine(record)}\n`);
    await replaceFile(path, lines);
  }

  /** Settles when everything is written, or has failed again. */
  async flush(): Promise<void> {
    await this.#queue.run(() => this.#write());
  }

  dispose(): void {
    this.#onDidAppend.dispose();
    this.#onDidDecide.dispose();
  }

  /** Newest first. */
  #files(): string[] {
    return Array.from({ length: MAX_AUDIT_FILES }, (_, age) =>
      join(this.folder, `audit${age === 0 ? '' : `.${age}`}.jsonl`),
    );
  }

  #withoutSecrets(entry: AuditEntry): AuditRecord {
    // Agents may send more arguments than the record can keep, or nest them too deeply for recursive code.
    return this.#redact(isTooLarge(entry.arguments) ? { ...entry, arguments: '(too large to be kept)' } : entry);
  }

  #redact(entry: AuditEntry): AuditRecord {
    const given = entry.arguments;
    const text = given === undefined ? undefined : canonicalJson(given);
    // A secret at the end of what is redacted is not in what is kept.
    const hidden = this.redactor.value(shortenTexts(entry, 2 * MAX_TEXT)) as AuditRecord;
    return {
      ...shortenTexts(hidden, MAX_TEXT),
      ...(text !== undefined && {
        arguments: text.length > MAX_TEXT ? shorten(canonicalJson(hidden.arguments), MAX_TEXT) : hidden.arguments,
        hash: createHash('sha256').update(text).digest('hex'),
      }),
      // Parley's own values, which contain no secrets.
      time: entry.time,
      session: entry.session,
      ms: entry.ms,
    };
  }

  async #write(): Promise<void> {
    const records = this.#pending;
    if (records.length === 0) return;
    this.#pending = [];
    try {
      const [file = ''] = this.#files();
      await makePrivateFolder(dirname(file));
      await this.#reportRemoved();
      await this.#rotate(file);
      await appendLines(file, records.map(toLine));
      await this.#noteNewest();
      this.#failures.end();
    } catch (error) {
      this.#pending = [...records, ...this.#pending].slice(-MAX_PENDING);
      this.#failures.add(error);
    }
  }

  /** Another program may have deleted or shortened the file; another window may only have rotated it. */
  async #reportRemoved(): Promise<void> {
    const [file = '', ...older] = this.#files();
    const newest = this.#newest;
    if (!newest || (await isFolder(file))) return;
    const found = await Promise.all([file, ...older].map((each) => stat(each).catch(() => undefined)));
    if (found.some((each) => each?.ino === newest.ino && each.size >= newest.size)) return;
    this.#newest = undefined;
    await keepDamagedCopy(file, t('decisions in the audit log'));
  }

  async #noteNewest(): Promise<void> {
    this.#newest = await stat(this.#files()[0] ?? '').catch(() => undefined);
  }

  async #rotate(file: string): Promise<void> {
    const size = await stat(file).then(
      ({ size: bytes }) => bytes,
      () => 0,
    );
    if (size < (this.maxBytes ?? MAX_BYTES)) return;
    const oldestFirst = this.#files().toReversed();
    for (const [index, older] of oldestFirst.entries()) {
      const newer = oldestFirst[index + 1];
      if (newer !== undefined)
        await rename(newer, older)
          .catch(() => copyFile(newer, older))
          .catch(() => undefined);
    }
  }
}

async function appendLines(file: string, lines: readonly string[]): Promise<void> {
  const handle = await openToAppend(file, t('decisions in the audit log'));
  try {
    const { size } = await handle.stat();
    const last = size === 0 ? undefined : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString();
    // Ends a line that a full disk truncated, so that the next one can be parsed.
    await handle.appendFile(`${last === undefined || last === '\n' ? '' : '\n'}${lines.join('\n')}\n`);
  } finally {
    await handle.close();
  }
}

async function readRecords(file: string): Promise<AuditRecord[]> {
  const lost = t('decisions in the audit log');
  const text = await readStoredFile(file, (bytes) => bytes.toString(), lost).catch(() => undefined);
  if (text === undefined) return [];
  const lines = text.split('\n').filter((line) => line !== '');
  const records = lines.flatMap(parseAuditLine);
  if (lines.length === 0 || records.length < lines.length) await keepDamagedCopy(file, lost);
  return records;
}

function parseAuditLine(line: string): AuditRecord[] {
  const value = parseJson(line);
  // Written by this version, or by a later one with more fields.
  return isObject(value) && typeof value['time'] === 'string' ? [value as unknown as AuditRecord] : [];
}

function shortenTexts<T extends AuditEntry>(record: T, max: number): T {
  const texts = Object.entries(record).filter(([, value]) => typeof value === 'string');
  const { paths = [] } = record;
  const shown = paths.slice(0, MAX_PATHS);
  // The text for one more is as long as that.
  const rest = paths.length > MAX_PATHS + 1 ? [t('{0} more', paths.length - MAX_PATHS)] : paths.slice(MAX_PATHS);
  return {
    ...record,
    ...Object.fromEntries(texts.map(([field, value]) => [field, shorten(String(value), max)])),
    ...(record.paths && { paths: [...shown, ...rest].map((path) => truncate(path, MAX_PATH)) }),
  };
}

/** Keeps the end too, where a command may do something else. */
function shorten(text: string, max: number): string {
  const half = Math.floor(max / 2) - 1;
  return text.length > max ? `${truncate(text, half)} ${lastChars(text, half)}` : text;
}

/** JSON without hidden characters, which would change how an exported line looks. */
function toLine(record: AuditRecord): string {
  const escape = (hidden: string): string => `\\u${hidden.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(record).replace(/[\p{Cf}\u2028\u2029]/gu, (text) => text.split('').map(escape).join(''));
}
