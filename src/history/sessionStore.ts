import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_OPEN_FILES, SerialQueue, mapLimited } from '../base/async';
import { FailureStreak, ParleyError, errorMessage } from '../base/errors';
import { Emitter } from '../base/event';
import { canonicalJson, parseJson } from '../base/json';
import { t } from '../base/l10n';
import type { Disposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import { writeFileAtomic } from '../node/fs/atomicWrite';
import type { Mutex } from '../node/fs/fileMutex';
import { fileMutex } from '../node/fs/fileMutex';
import { damagedNames, isFolder, moveAside } from '../node/fs/moveAside';
import { keepDamagedCopy, readStoredJson, reportDataLoss } from '../node/fs/storedFile';
import type { Action } from '../shared/state/sessionActions';
import { DeletedAgentSessions } from './deletedAgentSessions';
import type { DiffTexts } from './diff/diffStore';
import type { RetentionLimits, SessionAvailability, TimeOf } from './retentionLimits';
import type { SessionSummary } from './sessionSummary';
import { mergedSummary, parseSummary, summaryOfTranscript } from './sessionSummary';
import type { TranscriptContent, TranscriptFile } from './transcriptFile';
import { listTranscripts, readTranscript, transcriptFile } from './transcriptFile';
import { TranscriptWriter } from './transcriptWriter';

const DELETED = 'deleted.json';
/** Milliseconds to wait for another window that writes the same summary; later that window counts as hanging. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * The sessions on disk by their summaries: a small file beside each transcript, so that lists need not read transcripts. A missing or
 * damaged summary is rebuilt from its transcript.
 */
export class SessionStore implements Disposable {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #failures: FailureStreak;
  readonly #summaries = new Map<string, SessionSummary>();
  /** The summary on disk from which that of this window was made. Windows without a folder share the files. */
  readonly #bases = new Map<string, SessionSummary>();
  readonly #inTurn: Mutex;
  readonly #queue = new SerialQueue();
  /** Ids of sessions whose summaries are not written. */
  readonly #unwritten = new Set<string>();
  /** Ids whose summaries are written soon. */
  readonly #planned = new Set<string>();
  readonly #deleted: DeletedAgentSessions;
  /** Ids of permanently deleted sessions: pending writes must not recreate their files. */
  readonly #removed = new Set<string>();
  #problem: string | undefined;
  readonly #onDidChange = new Emitter<void>();

  readonly onDidChange = this.#onDidChange.event;

  private constructor(folder: string, log: Logger, onFail?: (cause: string) => void) {
    this.#folder = folder;
    this.#log = log;
    this.#failures = new FailureStreak(onFail);
    this.#inTurn = fileMutex(folder, LOCK_TIMEOUT_MS);
    this.#deleted = new DeletedAgentSessions(join(folder, DELETED));
  }

  /** @param onFail called when writing begins to fail, with the cause */
  static async open(folder: string, log: Logger, onFail?: (cause: string) => void): Promise<SessionStore> {
    const store = new SessionStore(folder, log, onFail);
    const files = await listTranscripts(folder).catch((error: unknown) => store.#recordProblem(folder, error));
    const found = await mapLimited(files, MAX_OPEN_FILES, (file) => store.#find(file));
    for (const summary of found) if (summary) store.#setStored(summary);
    await store.#deleted.read();
    return store;
  }

  /** Why sessions on disk may be missing in the list; {@link rescan} tries again. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Loads changes of other windows.
   * @param mine true for sessions of this window, whose own data is newer
   * @throws system errors when the folder cannot be read; the list stays
   */
  async rescan(mine: (id: string) => boolean): Promise<void> {
    const isOurs = (id: string): boolean => mine(id) || this.#unwritten.has(id) || this.#removed.has(id);
    // Sessions added during the scan are kept, and changes made here are newer than what was read.
    const before = new Map(this.#summaries);
    const isNewer = (id: string): boolean => isOurs(id) || this.#summaries.get(id) !== before.get(id);
    const all = await listTranscripts(this.#folder);
    this.#problem = undefined;
    const files = all.filter(({ id }) => !isOurs(id));
    const found = await mapLimited(files, MAX_OPEN_FILES, (file) => this.#find(file));
    for (const summary of found) if (summary && !isNewer(summary.id)) this.#setStored(summary);
    const there = new Set(all.map(({ id }) => id));
    for (const id of before.keys()) if (!there.has(id) && !isNewer(id)) this.#forget(id);
    await this.#deleted.read();
    this.#onDidChange.fire();
  }

  /** Newest first, without deleted sessions. */
  list(): SessionSummary[] {
    const there = Array.from(this.#summaries.values()).filter(({ deletedAt }) => deletedAt === undefined);
    return there.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Deleted sessions that are still on disk. */
  listDeleted(): SessionSummary[] {
    return Array.from(this.#summaries.values()).filter(({ deletedAt }) => deletedAt !== undefined);
  }

  get(id: string): SessionSummary | undefined {
    return this.#summaries.get(id);
  }

  get folder(): string {
    return this.#folder;
  }

  /** @throws ParleyError `badInput` when a newer version wrote it */
  async readTranscript(id: string): Promise<TranscriptContent | undefined> {
    return this.#removed.has(id) ? undefined : readTranscript(this.#folder, id);
  }

  /**
   * Reads the transcript of a session that this window opens: keeps damaged parts beside it, and reports what is lost.
   * @throws ParleyError `badInput` when a newer version wrote it
   */
  async readToOpen(id: string): Promise<TranscriptContent | undefined> {
    if (this.#removed.has(id)) return undefined;
    const file = transcriptFile(this.#folder, id);
    const { title } = this.#summaries.get(id) ?? { title: id };
    const transcript = (await isFolder(file)) ? undefined : await this.readTranscript(id);
    if (transcript && transcript.damaged > 0) await keepDamagedCopy(file, t('parts of the session “{0}”', title));
    if (transcript || !existsSync(file)) return transcript;
    await moveAside(file);
    reportDataLoss(file, t('the session “{0}”', title));
    return undefined;
  }

  /** Stores a summary; written soon, merged with directly following ones. */
  saveSummary(summary: SessionSummary): void {
    if (this.#removed.has(summary.id)) return;
    this.#summaries.set(summary.id, summary);
    this.#onDidChange.fire();
    this.#unwritten.add(summary.id);
    this.#plan(summary.id);
  }

  /** Appends to the transcript of a session that is not open. */
  append(id: string, action: Action): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#removed.has(id)) await this.#writeTranscript(id, (writer) => writer.append(action));
    });
  }

  /** Adds a complete transcript under an unused id. */
  async add(summary: SessionSummary, actions: readonly Action[], diffs: ReadonlyMap<string, DiffTexts>): Promise<void> {
    const { id } = summary;
    // A crash must not leave a part of it under its name; `removeUnfinished` knows this one.
    const aside = join(this.#folder, `${id}.${randomUUID()}.new`);
    try {
      await this.#writeTranscript(
        id,
        (writer) => {
          for (const action of actions) writer.append(action);
          for (const [diffId, texts] of diffs) writer.appendDiff(diffId, texts);
        },
        aside,
      );
      const written = transcriptFile(aside, id);
      if (existsSync(written)) await rename(written, transcriptFile(this.#folder, id));
    } finally {
      await rm(aside, { recursive: true, force: true }).catch(() => undefined);
    }
    this.saveSummary(summary);
  }

  async #writeTranscript(id: string, write: (writer: TranscriptWriter) => void, folder = this.#folder): Promise<void> {
    const failures: unknown[] = [];
    const writer = new TranscriptWriter(folder, id, (error) => failures.push(error));
    write(writer);
    await writer.close();
    if (failures.length > 0) throw failures[0];
  }

  async remove(id: string): Promise<void> {
    this.#removed.add(id);
    this.#forget(id);
    this.#onDidChange.fire();
    await this.#queue.run(async () => {
      const transcript = transcriptFile(this.#folder, id);
      const summary = this.#file(id);
      const files = [transcript, `${transcript}.restored`, summary, searchIndexPath(this.#folder, id)];
      const damaged = [transcript, summary].flatMap(damagedNames);
      // Another program may have put a folder in the place of a file.
      for (const file of [...files, ...damaged]) await rm(file, { recursive: true, force: true });
    });
  }

  /**
   * Deletes what exceeds the limits, oldest first.
   * @param open open sessions stay, also if opened meanwhile
   * @param now the time to compare ages with, see {@link StoreClock}
   * @returns the titles of deleted sessions
   */
  async prune(limits: RetentionLimits, open: SessionAvailability, now: number | TimeOf): Promise<string[]> {
    const { pruneTranscripts } = await import('./pruneTranscripts');
    return pruneTranscripts(this, limits, open, now);
  }

  /** Whether our session of an agent's session was deleted; the agent may still list it. */
  isDeleted(agentName: string, agentSessionId: string): boolean {
    return this.#deleted.has(agentName, agentSessionId);
  }

  markDeleted(agentName: string, agentSessionId: string): void {
    this.#deleted.add(agentName, agentSessionId);
    this.#onDidChange.fire();
    void this.#queue.run(() => this.#writeDeleted());
  }

  /** Settles when everything is written or has failed; retries earlier failures. */
  async flush(): Promise<void> {
    await this.#queue.idle();
    for (const id of this.#unwritten) this.#plan(id);
    if (!this.#deleted.isWritten) void this.#queue.run(() => this.#writeDeleted());
    await this.#queue.idle();
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  async #find({ id, at }: TranscriptFile): Promise<SessionSummary | undefined> {
    const summary = await this.#readSummary(id).catch(() => undefined);
    if (summary) return summary;
    try {
      const transcript = (await isFolder(transcriptFile(this.#folder, id)))
        ? await this.readToOpen(id)
        : await this.readTranscript(id);
      if (!transcript) return undefined;
      const rebuilt = summaryOfTranscript(transcript, at);
      void this.#queue.run(() => this.#storeRebuilt(rebuilt));
      return rebuilt;
    } catch (error) {
      if (!ParleyError.is(error, 'badInput')) return void this.#recordProblem(`transcript ${id}`, error);
      this.#log.warn('session', `Failed to read transcript ${id}: ${errorMessage(error)}`);
      // Listed, so that the session does not seem lost; opening it shows why it cannot be read.
      return {
        id,
        title: t('Session from a newer version of Parley'),
        renamed: false,
        updatedAt: at,
        archived: false,
      };
    }
  }

  #recordProblem(what: string, error: unknown): never[] {
    this.#problem ??= errorMessage(error);
    this.#log.warn('session', `Failed to read ${what}: ${errorMessage(error)}`);
    return [];
  }

  #plan(id: string): void {
    if (this.#planned.has(id)) return;
    this.#planned.add(id);
    void this.#queue.run(() => this.#write(id));
  }

  async #write(id: string): Promise<void> {
    this.#planned.delete(id);
    const summary = this.#summaries.get(id);
    const isWritten = !summary || (await this.#tryWrite(this.#file(id), () => this.#merge(summary)));
    // The summary may have changed meanwhile. While the file is older, this window's data is used.
    if (isWritten && (!summary || this.#bases.get(id) === this.#summaries.get(id))) this.#unwritten.delete(id);
  }

  /** Stores the fields that this window has changed; the others are as on disk. */
  async #merge(summary: SessionSummary): Promise<void> {
    const { id } = summary;
    const file = this.#file(id);
    await this.#inTurn(file, async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      const merged = mergedSummary(this.#bases.get(id), summary, parseSummary(id, parseJson(text)));
      await writeFileAtomic(file, JSON.stringify(merged));
      if (this.#summaries.get(id) !== summary) {
        this.#bases.set(id, summary);
        return;
      }
      this.#setStored(merged);
      if (canonicalJson(merged) !== canonicalJson(summary)) this.#onDidChange.fire();
    });
  }

  #forget(id: string): void {
    this.#summaries.delete(id);
    this.#bases.delete(id);
  }

  #setStored(summary: SessionSummary): void {
    this.#summaries.set(summary.id, summary);
    this.#bases.set(summary.id, summary);
  }

  /** Stores a rebuilt summary, unless a summary was stored meanwhile. */
  async #storeRebuilt(rebuilt: SessionSummary): Promise<void> {
    const file = this.#file(rebuilt.id);
    await this.#tryWrite(file, async () => {
      // Rejects for an unreadable summary, which may hold what the transcript does not, such as a deletion.
      if (this.#removed.has(rebuilt.id) || (await this.#readSummary(rebuilt.id))) return;
      await writeFileAtomic(file, JSON.stringify(rebuilt));
    });
  }

  async #writeDeleted(): Promise<void> {
    await this.#tryWrite(join(this.#folder, DELETED), () => this.#deleted.write());
  }

  async #tryWrite(file: string, job: () => Promise<void>): Promise<boolean> {
    try {
      await job();
      this.#failures.end();
      return true;
    } catch (error) {
      this.#log.warn('session', `Failed to write ${file}: ${errorMessage(error)}`);
      this.#failures.add(error);
      return false;
    }
  }

  /** @throws system errors when it cannot be read */
  #readSummary(id: string): Promise<SessionSummary | undefined> {
    return readStoredJson(
      this.#file(id),
      (json) => parseSummary(id, json),
      t('which sessions are archived or deleted'),
    );
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.summary.json`);
  }
}

export function searchIndexPath(folder: string, id: string): string {
  return join(folder, `${id}.search`);
}
