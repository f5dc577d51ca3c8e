import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from '../base/async';
import { messageOf } from '../base/errors';
import { Emitter } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Transcript } from './history';
import { HistoryWriter, listTranscripts, readTranscript } from './history';
import type { SessionSummary } from './summary';
import { parseSummary, summaryOfTranscript } from './summary';

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

  async flush(): Promise<void> {
    await this.#queue.idle();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #find(id: string): Promise<SessionSummary | undefined> {
    const text = await readFile(this.#file(id), 'utf8').catch(() => undefined);
    const summary = text === undefined ? undefined : parseSummary(id, parsed(text));
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
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(`${this.#file(id)}.new`, JSON.stringify(summary));
      await rename(`${this.#file(id)}.new`, this.#file(id));
    } catch (error) {
      this.#log.warn('session', `The list entry of session ${id} could not be written: ${messageOf(error)}`);
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.summary.json`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
