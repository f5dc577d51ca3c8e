import { ParleyError, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asNumber, asObject, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Direction, TrafficEntry } from './trafficEntries';

/**
 * Saved traffic: a file of JSON lines. The first may be a header; every other is `{dir, t, …}` with `msg` (a message),
 * `noise`, `stderr`, or `beginning` (of a message that was too large to record). `t` counts milliseconds.
 * docs/traffic.md describes it.
 */

const RECORDING_FORMAT = 1;

/** The recording program. Contains neither paths nor user names. */
export interface RecordingHeader {
  readonly parley: string;
  readonly editor: string;
  readonly platform: string;
  readonly agent: string;
}

export type RecordedLine = { readonly dir: Direction; readonly t: number } & (
  | { readonly msg: JsonObject }
  | { readonly noise: string }
  | { readonly stderr: string }
  | { readonly beginning: string; readonly bytes: number }
);

/** Folders of this machine and their placeholders in a shared file. */
type PathPlaceholders = readonly (readonly [folder: string, name: string])[];

export function toPathPlaceholders(folders: readonly string[], home: string): PathPlaceholders {
  const named = folders.map((folder, at) => [folder, at === 0 ? '/workspace' : `/workspace${at + 1}`] as const);
  return [...named, [home, '/home/user'] as const];
}

/** The content of the file. `entries` are already redacted by the recorder. */
export function writeRecording(
  header: RecordingHeader,
  entries: readonly TrafficEntry[],
  placeholders: PathPlaceholders,
): string {
  const start = entries[0]?.at ?? 0;
  const lines = entries.map((entry) => withPlaceholders(recordedLine(entry, start), placeholders));
  const first = { format: RECORDING_FORMAT, ...header, recorded: new Date(start).toISOString() };
  return [first, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function recordedLine(entry: TrafficEntry, start: number): RecordedLine {
  const { dir } = entry;
  const t = entry.at - start;
  if ('message' in entry) return { dir, t, msg: asObject(entry.message) ?? {} };
  if ('noise' in entry) return { dir, t, noise: entry.noise };
  if ('stderr' in entry) return { dir, t, stderr: entry.stderr };
  return { dir, t, beginning: entry.beginning, bytes: entry.bytes };
}

/** A copy with placeholders for folders of this machine in all strings and field names. */
function withPlaceholders(value: unknown, placeholders: PathPlaceholders): unknown {
  const longestFirst = placeholders.filter(([folder]) => folder.length > 1).sort(([a], [b]) => b.length - a.length);
  const patterns = longestFirst.map(([folder, name]) => [pathPattern(folder), name] as const);
  return mapStrings(value, (text) =>
    patterns.reduce((replaced, [pattern, name]) => replaced.replace(pattern, name), text),
  );
}

/** Matches the folder and paths inside, but no folder with a longer name; also escaped, and inside a URI. */
function pathPattern(folder: string): RegExp {
  const parts = folder.split(/[\\/]/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`${parts.join(String.raw`(?:\\{1,2}|/)`)}(?![\\w-]|\\.\\w)`, 'g');
}

/** A copy of a JSON value with all strings and field names mapped. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [map(name), mapStrings(field, map)]));
}

/**
 * Parses a saved file.
 * @throws ParleyError that names the first invalid line
 */
export function parseRecording(text: string): RecordedLine[] {
  return [...recordedLines(text)].filter((line) => line !== undefined);
}

/**
 * Parses a saved file line by line, so that the caller can pause.
 * @returns Undefined for an empty line and the header.
 * @throws As {@link parseRecording}
 */
export function* recordedLines(text: string): Generator<RecordedLine | undefined, void> {
  let [number, count] = [0, 0];
  for (let from = text.startsWith('\uFEFF') ? 1 : 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end);
    from = end < 0 ? text.length : end + 1;
    number += 1;
    const value = line.trim() === '' ? undefined : parseLine(line, number);
    const isHeader = value !== undefined && count === 0 && 'format' in value && !('dir' in value);
    if (isHeader) checkFormat(value, number);
    const recorded = value && !isHeader ? readLine(value, number) : undefined;
    if (recorded) count += 1;
    yield recorded;
  }
  if (count === 0) throw recordingError(1, t('the file contains no messages'));
}

function parseLine(line: string, number: number): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch (error) {
    throw recordingError(number, t('invalid JSON: {0}', errorMessage(error)));
  }
  throw recordingError(number, t('expected an object'));
}

function checkFormat(header: JsonObject, number: number): void {
  const format = header['format'];
  if (format === RECORDING_FORMAT) return;
  throw recordingError(
    number,
    t('unknown format {0}; this version of Parley supports {1}', JSON.stringify(format), RECORDING_FORMAT),
  );
}

function readLine(value: JsonObject, number: number): RecordedLine {
  const { dir, msg, noise, stderr, beginning } = value;
  const at = asNumber(value['t']) ?? 0;
  if (dir !== 'in' && dir !== 'out') throw recordingError(number, t('"dir" must be "in" or "out"'));
  if (isObject(msg)) return { dir, t: at, msg };
  if (typeof noise === 'string') return { dir, t: at, noise };
  if (typeof stderr === 'string') return { dir, t: at, stderr };
  if (typeof beginning === 'string')
    return { dir, t: at, beginning, bytes: asNumber(value['bytes']) ?? beginning.length };
  throw recordingError(
    number,
    msg === undefined ? t('expected "msg", "noise" or "stderr"') : t('"msg" must be an object'),
  );
}

function recordingError(line: number, what: string): ParleyError {
  return new ParleyError('badInput', t('Line {0}: {1}', line, what), {
    nextStep: t('Select a .jsonl file saved with “Parley: Save Traffic”.'),
  });
}
