import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ParleyError } from '../base/errors';
import { asNumber, asObject, asString, parseJson } from '../base/json';
import { t } from '../base/l10n';
import type { Action } from '../shared/state/sessionActions';
import { reduce } from '../shared/state/sessionReducer';
import type { SessionState } from '../shared/state/sessionState';
import { emptySession } from '../shared/state/sessionState';
import type { DiffTexts } from './diff/diffStore';

/**
 * The transcript of a session on disk: one JSON value per line, only ever appended. The first line is a header; then come actions,
 * and the texts of diffs. A line cut off by a crash is skipped when reading and closed off before the next one is written.
 * docs/sessions.md describes it.
 */
const VERSION = 1;
const SUFFIX = '.jsonl';
/** Bytes read at once: a long transcript is read in pieces, between which other work goes on. */
const PIECE = 131_072;
/** Files that are asked about at once. */
const AT_ONCE = 64;

/** What a transcript file holds. */
export interface Transcript {
  readonly id: string;
  readonly actions: readonly Action[];
  readonly diffs: ReadonlyMap<string, DiffTexts>;
  /** Lines that could not be read. */
  readonly damaged: number;
}

/** A transcript on disk. */
export interface TranscriptFile {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** When it was last written; milliseconds since 1970. */
  readonly at: number;
}

export function transcriptFile(folder: string, id: string): string {
  return join(folder, id + SUFFIX);
}

/** The first line of a transcript. */
export function headerLine(id: string): string {
  return `${JSON.stringify({ parley: VERSION, id })}\n`;
}

/** @throws ParleyError `badInput` when the first line says that a newer version wrote the file */
export function checkVersion(first: string): void {
  const version = asNumber(asObject(parseJson(first))?.['parley']);
  if (version === undefined || version <= VERSION) return;
  const message = t('This session was saved by a newer version of Parley (format {0}).', version);
  throw new ParleyError('badInput', message, {
    nextStep: t('Update Parley to open the session. Its file was not changed.'),
  });
}

/** The transcripts in a folder, newest first. No folder means none. */
export async function listTranscripts(folder: string): Promise<TranscriptFile[]> {
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(SUFFIX));
  const found: TranscriptFile[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map((file) => about(folder, file));
    // A thousand at once would come back at once, too: nothing else would have its turn meanwhile.
    // oxlint-disable-next-line no-await-in-loop
    for (const file of await Promise.all(some)) if (file) found.push(file);
  }
  return found.sort((a, b) => b.at - a.at);
}

/** One that was deleted meanwhile is none. */
async function about(folder: string, file: string): Promise<TranscriptFile | undefined> {
  const found = await stat(join(folder, file)).catch(() => undefined);
  return found && { id: file.slice(0, -SUFFIX.length), size: found.size, at: found.mtimeMs };
}

/**
 * Reads a transcript; undefined when there is none, or nothing in it is one of ours.
 * @throws ParleyError `badInput` when a newer version wrote it
 */
export async function readTranscript(folder: string, id: string): Promise<Transcript | undefined> {
  const actions: Action[] = [];
  const diffs = new Map<string, DiffTexts>();
  let damaged = 0;
  let hasHeader = false;
  let isFirst = true;
  for await (const lines of pieces(transcriptFile(folder, id))) {
    for (const line of lines) {
      if (isFirst) {
        isFirst = false;
        checkVersion(line);
        hasHeader = asNumber(asObject(parseJson(line))?.['parley']) !== undefined;
        // A crash may have cut off the very first line: what follows is worth as much.
        if (!hasHeader) damaged++;
      } else if (line !== '' && !readLine(line, actions, diffs)) damaged++;
    }
  }
  return hasHeader || actions.length > 0 ? { id, actions, diffs, damaged } : undefined;
}

/** What was said, as a transcript tells it. */
export function stateFromTranscript({ id, actions }: Transcript): SessionState {
  return actions.reduce(applyStored, emptySession(id));
}

/** The state after an action that was kept on disk: one that this version cannot apply changes nothing, and the rest is worth as much. */
export function applyStored(state: SessionState, action: Action): SessionState {
  try {
    return reduce(state, action);
  } catch {
    return state;
  }
}

/** The actions of a transcript piece by piece, for those who cannot wait for the whole; nothing when there is none of a known version. */
export async function* transcriptActions(folder: string, id: string): AsyncGenerator<readonly Action[]> {
  const diffs = new Map<string, DiffTexts>();
  let isFirst = true;
  for await (const lines of pieces(transcriptFile(folder, id))) {
    const actions: Action[] = [];
    if (isFirst) checkVersion(lines[0] ?? '');
    isFirst = false;
    // The texts of diffs are long, and their hunks are in the actions.
    for (const line of lines) if (line.startsWith('{"action"')) readLine(line, actions, diffs);
    yield actions;
  }
}

/** The lines of a file, some at a time; none when it cannot be read. */
async function* pieces(file: string): AsyncGenerator<readonly string[]> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return;
  try {
    const decoder = new TextDecoder();
    const buffer = Buffer.alloc(PIECE);
    let rest: string[] = [];
    for (;;) {
      // Each piece follows the one before.
      // oxlint-disable-next-line no-await-in-loop
      const { bytesRead } = await handle.read(buffer, 0, PIECE);
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
    // Written by TranscriptWriter of the same version, so it is one of ours; `applyStored` skips what cannot be applied.
    actions.push(action as unknown as Action);
    return true;
  }
  const [diffId, path, oldText, newText] = ['diff', 'path', 'oldText', 'newText'].map((key) => asString(value?.[key]));
  if (diffId === undefined || path === undefined || oldText === undefined || newText === undefined) return false;
  diffs.set(diffId, { path, oldText, newText });
  return true;
}
