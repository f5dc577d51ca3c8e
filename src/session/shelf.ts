import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from '../base/async';
import { messageOf } from '../base/errors';
import { Emitter } from '../base/event';
import { asArray } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Transcript } from './history';
import { HistoryWriter, listTranscripts, readTranscript } from './history';
import type { SessionSummary } from './summary';
import { parseSummary, summaryOfTranscript } from './summary';

const DELETED = 'deleted.json';
const MAX_DELETED = 1_000;

/**
 * The sessions that are kept on disk, by their summaries: beside each transcript lies a small file that a list can be made of
 * without reading what was said. One that is missing or damaged is made again from its transcript.
 */
export class Shelf implements Disposable {
  readonly #folder: string;
  readonly #log: Log;
  readonly #summaries = new Map<string, SessionSummary>();
  readonly #queue = new SerialQueue();
  readonly #unwritten = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #changed = new Emitter<void>();

  readonly onDidChange = this.#changed.event;

  private constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  static async open(folder: string, log: Log): Promise<Shelf> {
    const shelf = new Shelf(folder, log);
    const ids = await listTranscripts(folder);
    const found = await Promise.all(ids.map((id) => shelf.#find(id)));
    for (const summary of found) if (summary) shelf.#summaries.set(summary.id, summary);
    for (const key of asArray(await readJson(join(folder, DELETED)))) {
      if (typeof key === 'string') shelf.#deleted.add(key);
    }
    return shelf;
  }

  /** Newest first. */
  all(): SessionSummary[] {
    return Array.from(this.#summaries.values()).toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  get(id: string): SessionSummary | undefined {
    return this.#summaries.get(id);
  }

  read(id: string): Promise<Transcript | undefined> {
    return readTranscript(this.#folder, id);
  }

  /** Keeps a summary; written soon, together with those that follow at once. */
  put(summary: SessionSummary): void {
    this.#summaries.set(summary.id, summary);
    this.#changed.fire();
    if (this.#unwritten.has(summary.id)) return;
    this.#unwritten.add(summary.id);
    void this.#queue.run(() => this.#write(summary.id));
  }

  /** Appends to the transcript of a session that is not open. */
  async append(id: string, action: Parameters<HistoryWriter['append']>[0]): Promise<void> {
    const failures: unknown[] = [];
    const writer = new HistoryWriter(this.#folder, id, (error) => failures.push(error));
    writer.append(action);
    await writer.close();
    if (failures.length > 0) throw failures[0];
  }

  /** Takes a session away for good. */
  async remove(id: string): Promise<void> {
    this.#summaries.delete(id);
    this.#changed.fire();
    await this.#queue.run(async () => {
      await rm(join(this.#folder, `${id}.jsonl`), { force: true });
      await rm(this.#file(id), { force: true });
    });
  }

  /** True for an agent's session whose own of ours was deleted: the agent may go on listing it. */
  isDeleted(agentName: string, agentSessionId: string): boolean {
    return this.#deleted.has(deletedKey(agentName, agentSessionId));
  }

  /** Remembers that an agent's session is not wanted any more. */
  markDeleted(agentName: string, agentSessionId: string): void {
    this.#deleted.add(deletedKey(agentName, agentSessionId));
    this.#changed.fire();
    void this.#queue.run(() => this.#writeDeleted());
  }

  async flush(): Promise<void> {
    await this.#queue.idle();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #find(id: string): Promise<SessionSummary | undefined> {
    const summary = parseSummary(id, await readJson(this.#file(id)));
    if (summary) return summary;
    const transcript = await this.read(id);
    if (!transcript) return undefined;
    const made = summaryOfTranscript(transcript, (await stat(join(this.#folder, `${id}.jsonl`))).mtimeMs);
    void this.#queue.run(() => this.#write(id));
    return made;
  }

  async #write(id: string): Promise<void> {
    this.#unwritten.delete(id);
    const summary = this.#summaries.get(id);
    if (!summary) return;
    await this.#replace(this.#file(id), summary);
  }

  async #writeDeleted(): Promise<void> {
    await this.#replace(join(this.#folder, DELETED), Array.from(this.#deleted).slice(-MAX_DELETED));
  }

  /** The old file or the new one, never half of one. */
  async #replace(file: string, value: unknown): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(`${file}.new`, JSON.stringify(value));
      await rename(`${file}.new`, file);
    } catch (error) {
      this.#log.warn('session', `The list of sessions could not be written: ${messageOf(error)}`);
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.summary.json`);
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function deletedKey(agentName: string, agentSessionId: string): string {
  return JSON.stringify([agentName, agentSessionId]);
}
