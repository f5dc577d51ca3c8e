import type { BigIntStats } from 'node:fs';
import { createWriteStream, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SerialQueue } from '../base/async';
import { isMissingPath } from '../base/errors';
import { t } from '../base/l10n';
import { lastChars } from '../base/text';
import { moveAside } from '../node/fs/moveAside';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../node/fs/privateFiles';
import { keepDamagedCopy, openToAppend } from '../node/fs/storedFile';
import { mergeActions } from '../shared/state/mergeActions';
import type { Action } from '../shared/state/sessionActions';
import { MAX_TERMINAL_TAIL_CHARS } from '../shared/state/terminalState';
import type { DiffTexts } from './diff/diffStore';
import { checkVersion, headerLine, transcriptFile } from './transcriptFile';

/** The lines that a closed writer could not write. */
export interface UnwrittenLines {
  /** Lines of a transcript. */
  readonly lines: readonly string[];
  /** Size of the file in bytes, as far as this writer knows its content. */
  readonly size: number;
}

/** Appends the actions of a session to its transcript file, in order, after a short delay, without blocking. */
export class TranscriptWriter {
  readonly #file: string;
  readonly #queue = new SerialQueue();
  #handle: Promise<FileHandle> | undefined;
  readonly #cap = new TerminalOutputCap();
  #pending: Action[] = [];
  #lines: string[] = [];
  #isScheduled = false;
  #isClosed = false;
  /** Bytes of the file that are known to be whole lines; 0 until this writer has opened the file. */
  #size = 0;
  /** Bytes of the file before this writer opened it. */
  readonly #before: number;

  /**
   * @param onError called when lines could not be written (full disk, no permission); they are written again with the next lines
   * @param mayWrite false while the file belongs to another window: lines wait until it returns to this window
   */
  constructor(
    folder: string,
    private readonly id: string,
    private readonly onError: (error: unknown) => void,
    private readonly mayWrite: () => boolean = () => true,
  ) {
    this.#file = transcriptFile(folder, id);
    this.#before = sizeOf(this.#file);
  }

  append(action: Action): void {
    if (this.#isClosed) return;
    this.#pending.push(...this.#cap.transform(action));
    if (this.#pending.length > 0) this.#schedule();
  }

  appendDiff(diffId: string, texts: DiffTexts): void {
    if (this.#isClosed) return;
    this.#flushActions();
    this.#lines.push(JSON.stringify({ diff: diffId, ...texts }));
    this.#schedule();
  }

  /** Settles when everything appended so far is written or has failed. */
  async flush(): Promise<void> {
    this.#pending.push(...this.#cap.rest());
    this.#write();
    await this.#queue.idle();
  }

  /** The unwritten lines of a closed writer. */
  get unwritten(): UnwrittenLines {
    return { lines: this.#lines, size: this.#size || this.#before };
  }

  /**
   * Writes the remaining lines and closes the file. Later lines, such as the end of a command, are dropped: they would create the file of
   * a deleted session again.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    const handle = await this.#handle?.catch(() => undefined);
    this.#handle = undefined;
    await handle?.close();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#write());
  }

  #flushActions(): void {
    for (const action of mergeActions(this.#pending)) this.#lines.push(JSON.stringify({ action }));
    this.#pending = [];
  }

  #write(): void {
    this.#isScheduled = false;
    this.#flushActions();
    if (this.#lines.length === 0) return;
    void this.#queue.run(async () => {
      const lines = this.#lines;
      this.#lines = [];
      if (lines.length === 0) return;
      if (!this.mayWrite()) this.#lines = [...lines, ...this.#lines];
      else await this.#writeLines(lines);
    });
  }

  /** Unwritten lines are written again with the next ones: a full disk may have free space again. */
  async #writeLines(lines: string[]): Promise<void> {
    try {
      const handle = await this.#current();
      const text = Buffer.from(`${lines.join('\n')}\n`);
      await handle.appendFile(text);
      this.#size += text.length;
    } catch (error) {
      this.#lines = [...lines, ...this.#lines];
      const handle = this.#handle;
      this.#handle = undefined;
      await handle?.then((open) => open.close()).catch(() => undefined);
      this.onError(error);
    }
  }

  /** The open file, unless another program deleted, replaced or truncated it: lines appended to it would be lost. */
  async #current(): Promise<FileHandle> {
    const handle = await (this.#handle ??= this.#open());
    const there = await statIfThere(this.#file);
    const opened = await handle.stat({ bigint: true });
    const isSame = there?.ino === opened.ino && there.dev === opened.dev;
    if (isSame && opened.size >= this.#size) return handle;
    if (isSame) await keepDamagedCopy(this.#file, t('parts of an open session'));
    else await restoreFile(this.#file, handle, this.#size);
    this.#handle = undefined;
    await handle.close();
    return (this.#handle = this.#open());
  }

  async #open(): Promise<FileHandle> {
    await makePrivateFolder(dirname(this.#file));
    const handle = await openToAppend(this.#file, t('parts of an open session'));
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
    // Older versions created files that others could read. File systems without modes reject this call.
    if (found.isFile() && (found.mode & 0o077) !== 0) await handle.chmod(PRIVATE_FILE_MODE).catch(() => undefined);
    // Removes the beginning of a failed write: the lines are written again as a whole.
    if (this.#size > 0 && found.size > this.#size) await handle.truncate(this.#size);
    else if (found.size === 0) await handle.appendFile(headerLine(this.id));
    else await resume(handle, found.size);
    this.#size = (await handle.stat()).size;
  }
}

/**
 * Opens an existing file for appending. A file of a newer version stays unchanged.
 * @throws ParleyError
 */
async function resume(handle: FileHandle, size: number): Promise<void> {
  checkVersion(await firstLine(handle));
  if (await endsInMidLine(handle, size)) await handle.appendFile('\n');
}

async function statIfThere(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true });
  } catch (error) {
    if (isMissingPath(error)) return undefined;
    throw error;
  }
}

/**
 * Writes a deleted or replaced file whole again; what is in its place is kept as `.damaged`.
 * @param opened still reads the former file
 * @param size of its whole lines, in bytes
 */
async function restoreFile(file: string, opened: FileHandle, size: number): Promise<void> {
  await makePrivateFolder(dirname(file));
  const copy = `${file}.restored`;
  await rm(copy, { force: true });
  const content = opened.createReadStream({ start: 0, end: size - 1, autoClose: false });
  await pipeline(content, createWriteStream(copy, { flags: 'wx', mode: PRIVATE_FILE_MODE }));
  await moveAside(file);
  await rename(copy, file);
}

/** Synchronous, because lines that another window adds later must not count. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Maximum bytes of a header; real ones are much shorter. */
const MAX_HEADER_BYTES = 1_024;

async function firstLine(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  return buffer.toString('utf8', 0, bytesRead).split('\n')[0] ?? '';
}

async function endsInMidLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

type Output = Extract<Action, { type: 'terminalOutput' }>;

/** UTF-16 units of one command's output that are written immediately. */
const MAX_IMMEDIATE = 2 * MAX_TERMINAL_TAIL_CHARS;
/** Maximum UTF-16 units that are retained. Beyond it the older half is dropped, since a card shows at most `2 * MAX_TERMINAL_TAIL_CHARS`. */
const MAX_RETAINED = 4 * MAX_TERMINAL_TAIL_CHARS;

/**
 * Limits the output of a command in the transcript, so that an endless command does not fill the disk. The beginning is written
 * immediately; of the rest, only what a card shows is written, when the command ends or the transcript is closed. A crash loses only this
 * rest.
 */
class TerminalOutputCap {
  readonly #written = new Map<string, number>();
  readonly #retained = new Map<string, string>();

  /** The actions to write now; every action that is not terminal output passes unchanged. */
  transform(action: Action): readonly Action[] {
    if (action.type === 'terminalExited') return [...this.#release(action.terminalId), action];
    if (action.type !== 'terminalOutput') return [action];
    const { terminalId, data } = action;
    const written = this.#written.get(terminalId) ?? 0;
    if (written < MAX_IMMEDIATE) {
      this.#written.set(terminalId, written + data.length);
      return [action];
    }
    const retained = (this.#retained.get(terminalId) ?? '') + data;
    this.#retained.set(terminalId, retained.length > MAX_RETAINED ? lastChars(retained, MAX_RETAINED / 2) : retained);
    return [];
  }

  /** Writes the retained output of all commands. */
  rest(): readonly Action[] {
    return Array.from(this.#retained.keys()).flatMap((terminalId) => this.#release(terminalId));
  }

  #release(terminalId: string): Output[] {
    const data = this.#retained.get(terminalId);
    this.#retained.delete(terminalId);
    return data === undefined ? [] : [{ type: 'terminalOutput', terminalId, data }];
  }
}
