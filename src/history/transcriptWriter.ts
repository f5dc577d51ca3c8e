import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SerialQueue } from '../base/async';
import type { Action } from '../shared/state/sessionActions';
import { mergeActions } from '../shared/state/mergeActions';
import type { DiffTexts } from './diff/diffStore';
import { TerminalOutputCap } from './terminalOutputCap';
import { makePrivateFolder, PRIVATE_FILE } from '../node/fs/privateFiles';
import { checkVersion, headerLine, transcriptFile } from './transcriptFile';

/** What a writer has not written. */
export interface UnwrittenLines {
  /** Lines of a transcript. */
  readonly lines: readonly string[];
  /** Bytes of the file that it has written, with what was there before it. */
  readonly size: number;
}

export interface HistoryOptions {
  /** Told when lines could not be written (full disk, no rights); they are tried again with the next. */
  readonly onError: (error: unknown) => void;
  /** False while the file belongs to another window: lines are kept until it is ours again. */
  readonly mayWrite?: () => boolean;
}

/** Appends what happens in a session to its transcript file, in order, soon, and without blocking. */
export class TranscriptWriter {
  readonly #file: string;
  readonly #id: string;
  readonly #options: HistoryOptions;
  readonly #queue = new SerialQueue();
  #handle: Promise<FileHandle> | undefined;
  readonly #cap = new TerminalOutputCap();
  #pending: Action[] = [];
  #lines: string[] = [];
  #scheduled = false;
  #closed = false;
  /** Bytes in the file that are known to be whole lines; 0 as long as this writer has not opened it. */
  #size = 0;
  /** Bytes that were in it before. */
  readonly #before: number;

  constructor(folder: string, id: string, options: HistoryOptions) {
    this.#file = transcriptFile(folder, id);
    this.#id = id;
    this.#options = options;
    this.#before = sizeOf(this.#file);
  }

  append(action: Action): void {
    if (this.#closed) return;
    this.#pending.push(...this.#cap.pass(action));
    if (this.#pending.length > 0) this.#schedule();
  }

  appendDiff(diffId: string, texts: DiffTexts): void {
    if (this.#closed) return;
    this.#flushActions();
    this.#lines.push(JSON.stringify({ diff: diffId, ...texts }));
    this.#schedule();
  }

  /** Settles when everything appended so far is written, or could not be. */
  async flush(): Promise<void> {
    this.#pending.push(...this.#cap.rest());
    this.#write();
    await this.#queue.idle();
  }

  /** What is left of what it was to write, once it is closed. */
  get unwritten(): UnwrittenLines {
    return { lines: this.#lines, size: this.#size || this.#before };
  }

  /**
   * Writes what is left and lets go of the file. What comes later (the end of a command, say) is dropped: it would make the file of a
   * deleted session anew.
   */
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
      if (lines.length === 0) return;
      if (this.#options.mayWrite?.() === false) this.#lines = [...lines, ...this.#lines];
      else await this.#writeLines(lines);
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
      this.#options.onError(error);
    }
  }

  async #open(): Promise<FileHandle> {
    await makePrivateFolder(dirname(this.#file));
    const handle = await open(this.#file, 'a+', PRIVATE_FILE);
    try {
      await this.#prepare(handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #prepare(handle: FileHandle): Promise<void> {
    const found = await handle.stat();
    // One of an older version. A file system without modes refuses.
    if (found.isFile() && (found.mode & 0o077) !== 0) await handle.chmod(PRIVATE_FILE).catch(() => undefined);
    // What a failed write left behind comes again as a whole.
    if (this.#size > 0 && found.size > this.#size) await handle.truncate(this.#size);
    else if (found.size === 0) await handle.appendFile(headerLine(this.#id));
    else await resume(handle, found.size);
    this.#size = (await handle.stat()).size;
  }
}

/**
 * Goes on in a file that is there. One of a newer version is left as it is.
 * @throws ParleyError
 */
async function resume(handle: FileHandle, size: number): Promise<void> {
  checkVersion(await firstLine(handle));
  if (await endsInMidLine(handle, size)) await handle.appendFile('\n');
}

/** At once: what another window adds later does not count. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** A header is much shorter than this. */
const LONGEST_HEADER = 1_024;

async function firstLine(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_HEADER), 0, LONGEST_HEADER, 0);
  return buffer.toString('utf8', 0, bytesRead).split('\n')[0] ?? '';
}

async function endsInMidLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}
