import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SerialQueue } from '../base/async';
import { asNumber, asObject, asString } from '../base/json';
import type { JsonObject } from '../base/json';
import type { Action } from '../shared/actions';
import { mergeActions } from '../shared/merge';
import type { DiffTexts } from './diffStore';

/**
 * The transcript of a session on disk: one JSON value per line, only ever appended. The first line is a header; then come actions,
 * and the texts of diffs. A line cut off by a crash is skipped when reading and closed off before the next one is written.
 */
const VERSION = 1;
const SUFFIX = '.jsonl';

/** What a transcript file holds. */
export interface Transcript {
  readonly id: string;
  readonly actions: readonly Action[];
  readonly diffs: ReadonlyMap<string, DiffTexts>;
  /** Lines that could not be read. */
  readonly damaged: number;
}

/** Appends what happens in a session to its transcript file, in order, soon, and without blocking. */
export class HistoryWriter {
  readonly #file: string;
  readonly #id: string;
  readonly #onError: (error: unknown) => void;
  readonly #queue = new SerialQueue();
  #handle: Promise<FileHandle> | undefined;
  #pending: Action[] = [];
  #lines: string[] = [];
  #scheduled = false;
  #closed = false;
  /** Bytes in the file that are known to be whole lines. */
  #size = 0;

  /** @param onError told when lines could not be written (full disk, no rights); they are tried again with the next */
  constructor(folder: string, id: string, onError: (error: unknown) => void) {
    this.#file = join(folder, id + SUFFIX);
    this.#id = id;
    this.#onError = onError;
  }

  append(action: Action): void {
    if (this.#closed) return;
    this.#pending.push(action);
    this.#schedule();
  }

  appendDiff(diffId: string, texts: DiffTexts): void {
    if (this.#closed) return;
    this.#flushActions();
    this.#lines.push(JSON.stringify({ diff: diffId, ...texts }));
    this.#schedule();
  }

  /** Settles when everything appended so far is written, or could not be. */
  async flush(): Promise<void> {
    this.#write();
    await this.#queue.idle();
  }

  /** Writes what is left and lets go of the file. What comes later (the end of a command, say) is dropped: it would make the file of a deleted session anew. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    const handle = await this.#handle?.catch(() => undefined);
    this.#handle = undefined;
    await handle?.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#write());
  }

  #flushActions(): void {
    for (const action of mergeActions(this.#pending)) this.#lines.push(JSON.stringify({ action }));
    this.#pending = [];
  }

  #write(): void {
    this.#scheduled = false;
    this.#flushActions();
    if (this.#lines.length === 0) return;
    void this.#queue.run(async () => {
      const lines = this.#lines;
      this.#lines = [];
      if (lines.length > 0) await this.#writeLines(lines);
    });
  }

  /** Lines that could not be written are tried again with the next ones: a full disk may have room again. */
  async #writeLines(lines: string[]): Promise<void> {
    try {
      const handle = await (this.#handle ??= this.#open());
      const text = Buffer.from(`${lines.join('\n')}\n`);
      await handle.appendFile(text);
      this.#size += text.length;
    } catch (error) {
      this.#lines = [...lines, ...this.#lines];
      const handle = this.#handle;
      this.#handle = undefined;
      await handle?.then((open) => open.close()).catch(() => undefined);
      this.#onError(error);
    }
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#file), { recursive: true });
    const handle = await open(this.#file, 'a+');
    const { size } = await handle.stat();
    // What a failed write left behind comes again as a whole.
    if (this.#size > 0 && size > this.#size) await handle.truncate(this.#size);
    else if (size === 0) await handle.appendFile(`${JSON.stringify({ parley: VERSION, id: this.#id })}\n`);
    else if (await endsInMidLine(handle, size)) await handle.appendFile('\n');
    this.#size = (await handle.stat()).size;
    return handle;
  }
}

async function endsInMidLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

/** The ids of the transcripts in a folder, newest first. No folder means none. */
export async function listTranscripts(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    files
      .filter((file) => file.endsWith(SUFFIX))
      .map(async (file) => {
        // One that was deleted meanwhile is none.
        const at = (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs;
        return at === undefined ? [] : [{ id: file.slice(0, -SUFFIX.length), at }];
      }),
  );
  return found
    .flat()
    .toSorted((a, b) => b.at - a.at)
    .map(({ id }) => id);
}

/** Reads a transcript; undefined when there is none or it is of a version this one does not know. */
export async function readTranscript(folder: string, id: string): Promise<Transcript | undefined> {
  const text = await readFile(join(folder, id + SUFFIX), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [first, ...lines] = text.split('\n');
  if (asNumber(parsed(first ?? '')?.['parley']) !== VERSION) return undefined;
  const actions: Action[] = [];
  const diffs = new Map<string, DiffTexts>();
  let damaged = 0;
  for (const line of lines) {
    if (line !== '' && !readLine(line, actions, diffs)) damaged++;
  }
  return { id, actions, diffs, damaged };
}

function readLine(line: string, actions: Action[], diffs: Map<string, DiffTexts>): boolean {
  const value = parsed(line);
  const action = asObject(value?.['action']);
  if (action && typeof action['type'] === 'string') {
    // Written by HistoryWriter of the same version, so it is one of ours; `replay` skips what it cannot apply.
    actions.push(action as unknown as Action);
    return true;
  }
  const [diffId, path, oldText, newText] = ['diff', 'path', 'oldText', 'newText'].map((key) => asString(value?.[key]));
  if (diffId === undefined || path === undefined || oldText === undefined || newText === undefined) return false;
  diffs.set(diffId, { path, oldText, newText });
  return true;
}

function parsed(line: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined;
  }
}
