import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ParleyError, isMissingPath } from '../base/errors';
import { asNumber, asObject, asString, parseJson } from '../base/json';
import { t } from '../base/l10n';
import { listIfThere } from '../node/fs/readIfThere';
import type { Action } from '../shared/state/sessionActions';
import { reduce } from '../shared/state/sessionReducer';
import type { SessionState } from '../shared/state/sessionState';
import { emptySession } from '../shared/state/sessionState';
import type { DiffTexts } from './diff/diffStore';

/**
 * The transcript of a session on disk: one JSON value per line, append-only. The first line is a header, followed by actions and the texts
 * of diffs. Reading skips a line that a crash has truncated; the next write ends that line first. Described in docs/sessions.md.
 */
const TRANSCRIPT_VERSION = 1;
const SUFFIX = '.jsonl';
/** Bytes per read. Other work runs between two reads of a long transcript. */
const READ_BYTES = 131_072;
/** Files whose size and time are read at the same time. */
const STATS_PER_BATCH = 64;

/** The content of a transcript file. */
export interface TranscriptContent {
  readonly id: string;
  readonly actions: readonly Action[];
  readonly diffs: ReadonlyMap<string, DiffTexts>;
  /** Number of lines that could not be read. */
  readonly damaged: number;
}

/** A transcript on disk. */
export interface TranscriptFile {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Time of the last write, in milliseconds since 1970. */
  readonly at: number;
}

export function transcriptFile(folder: string, id: string): string {
  return join(folder, id + SUFFIX);
}

/** The first line of a transcript. */
export function headerLine(id: string): string {
  return `${JSON.stringify({ parley: TRANSCRIPT_VERSION, id })}\n`;
}

/** @throws ParleyError `badInput` if a newer version wrote the file, according to its first line */
export function checkVersion(first: string): void {
  const version = asNumber(asObject(parseJson(first))?.['parley']);
  if (version === undefined || version <= TRANSCRIPT_VERSION) return;
  const message = t('This session was saved by a newer version of Parley (format {0}).', version);
  throw new ParleyError('badInput', message, {
    nextStep: t('Update Parley to open the session. Its file was not changed.'),
  });
}

/**
 * The transcripts in a folder, newest first; empty if the folder does not exist.
 * @throws system errors when it cannot be read
 */
export async function listTranscripts(folder: string): Promise<TranscriptFile[]> {
  const files = (await listIfThere(folder)).filter((file) => file.endsWith(SUFFIX));
  const found: TranscriptFile[] = [];
  for (let at = 0; at < files.length; at += STATS_PER_BATCH) {
    const some = files.slice(at, at + STATS_PER_BATCH).map((file) => statTranscript(folder, file));
    // In batches: the results of a thousand files at once would block other work.
    for (const file of await Promise.all(some)) if (file) found.push(file);
  }
  return found.sort((a, b) => b.at - a.at);
}

/** Undefined for a file that was deleted meanwhile. */
async function statTranscript(folder: string, file: string): Promise<TranscriptFile | undefined> {
  const found = await stat(join(folder, file)).catch(() => undefined);
  return found && { id: file.slice(0, -SUFFIX.length), size: found.size, at: found.mtimeMs };
}

/**
 * Reads a transcript; undefined when there is none, or when no line is from Parley.
 * @throws ParleyError `badInput` when a newer version wrote it
 * @throws system errors when it cannot be read
 */
export async function readTranscript(folder: string, id: string): Promise<TranscriptContent | undefined> {
  const actions: Action[] = [];
  const diffs = new Map<string, DiffTexts>();
  let damaged = 0;
  let hasHeader = false;
  let isFirst = true;
  for await (const lines of readLineBatches(transcriptFile(folder, id))) {
    for (const line of lines) {
      if (isFirst) {
        isFirst = false;
        checkVersion(line);
        hasHeader = asNumber(asObject(parseJson(line))?.['parley']) !== undefined;
        // A crash may have truncated the header; the following lines are still valid.
        if (!hasHeader) damaged++;
      } else if (line !== '' && !readLine(line, actions, diffs)) damaged++;
    }
  }
  return hasHeader || actions.length > 0 ? { id, actions, diffs, damaged } : undefined;
}

export function stateFromTranscript({ id, actions }: TranscriptContent): SessionState {
  return actions.reduce(applyStored, emptySession(id));
}

/** The state after a stored action. An action that this version cannot apply is skipped, so that the others still count. */
export function applyStored(state: SessionState, action: Action): SessionState {
  try {
    return reduce(state, action);
  } catch {
    return state;
  }
}

/** The actions of a transcript in chunks, for callers that cannot wait for all; empty without a transcript of a known version. */
export async function* transcriptActions(folder: string, id: string): AsyncGenerator<readonly Action[]> {
  const diffs = new Map<string, DiffTexts>();
  let isFirst = true;
  for await (const lines of readLineBatches(transcriptFile(folder, id))) {
    const actions: Action[] = [];
    if (isFirst) checkVersion(lines[0] ?? '');
    isFirst = false;
    // Texts of diffs are long and not needed here: the actions contain the hunks.
    for (const line of lines) if (line.startsWith('{"action"')) readLine(line, actions, diffs);
    yield actions;
  }
}

/**
 * The lines of a file in chunks; empty without a file.
 * @throws system errors
 */
async function* readLineBatches(file: string): AsyncGenerator<readonly string[]> {
  const handle = await open(file).catch((error: unknown) => {
    if (!isMissingPath(error)) throw error;
    return undefined;
  });
  if (!handle) return;
  try {
    const decoder = new TextDecoder();
    const buffer = Buffer.alloc(READ_BYTES);
    let rest: string[] = [];
    for (;;) {
      // Each piece follows the one before.
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES);
      if (bytesRead === 0) break;
      const lines = decoder.decode(buffer.subarray(0, bytesRead), { stream: true }).split('\n');
      if (lines.length === 1) {
        rest.push(lines[0] ?? '');
        continue;
      }
      lines[0] = rest.join('') + (lines[0] ?? '');
      rest = [lines.pop() ?? ''];
      yield lines;
    }
    if (rest.length > 0) yield [rest.join('') + decoder.decode()];
  } finally {
    await handle.close();
  }
}

function readLine(line: string, actions: Action[], diffs: Map<string, DiffTexts>): boolean {
  const value = asObject(parseJson(line));
  const action = asObject(value?.['action']);
  if (action && typeof action['type'] === 'string') {
    // TranscriptWriter of the same version wrote the line; `applyStored` skips what cannot be applied.
    actions.push(action as unknown as Action);
    return true;
  }
  const [diffId, path, oldText, newText] = ['diff', 'path', 'oldText', 'newText'].map((key) => asString(value?.[key]));
  if (diffId === undefined || path === undefined || oldText === undefined || newText === undefined) return false;
  diffs.set(diffId, { path, oldText, newText });
  return true;
}
