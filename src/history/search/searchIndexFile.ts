import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { asNumber, asObject, asString, parseJson } from '../../base/json';
import { writeFileAtomic } from '../../node/fs/atomicWrite';
import type { TranscriptFile } from '../transcriptFile';
import type { TrigramSet } from './trigrams';

/**
 * The search data beside a transcript: a header with the trigrams, and the text of each entry on its own line. It can be rebuilt from the
 * transcript, and is invalid if size or time of the transcript differ.
 */
const INDEX_VERSION = 3;
/** Maximum bytes of the header: 16 KiB of trigrams in Base64, and a few numbers. */
const MAX_HEADER_BYTES = 24_576;
/** Bytes per read; more than the header has. */
const READ_BYTES = 262_144;
/** Replaces line ends inside an entry. */
const BREAK = '\u0001';

export interface SearchEntry {
  /** Index in the transcript. */
  readonly entry: number;
  readonly kind: string;
  readonly text: string;
}

/** A line of the body, with its line end. */
export function searchIndexLine({ entry, kind, text }: SearchEntry): string {
  // The lookbehind avoids quadratic time for a long row of blanks.
  const line = text.replaceAll(BREAK, ' ').replace(/(?<!\s)\s*\n\s*/g, BREAK);
  return `${entry}\t${kind}\t${line}\n`;
}

/** @param line without its end */
export function parseSearchEntry(line: string): SearchEntry {
  const [entry = '', kind = '', ...text] = line.split('\t');
  return { entry: Number(entry), kind, text: text.join('\t').replaceAll(BREAK, '\n') };
}

/** Start of an entry's text in a line of the body. */
export function textStart(body: string, lineStart: number): number {
  return body.indexOf('\t', body.indexOf('\t', lineStart) + 1) + 1;
}

/** The trigrams of a transcript; undefined when they must be rebuilt. */
export async function readGrams(file: string, of: TranscriptFile): Promise<TrigramSet | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    return end < 0 ? undefined : gramsOf(buffer.toString('latin1', 0, end), of);
  } catch {
    // A folder in its place.
    return undefined;
  } finally {
    await handle.close();
  }
}

function gramsOf(header: string, { size, at }: TranscriptFile): TrigramSet | undefined {
  const fields = asObject(parseJson(header));
  const grams = asString(fields?.['grams']);
  const isCurrent = fields?.['search'] === INDEX_VERSION && asNumber(fields['size']) === size && fields['at'] === at;
  return isCurrent && grams !== undefined ? new Uint8Array(Buffer.from(grams, 'base64')) : undefined;
}

/** The body in chunks of whole lines; undefined when it is damaged or cannot be read. */
export async function readIndexBody(file: string): Promise<string[] | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const chunks = await linesFrom(handle);
    // The header fits into the first chunk.
    const [first = ''] = chunks;
    const end = first.indexOf('\n');
    const header = asObject(parseJson(first.slice(0, end)));
    chunks[0] = first.slice(end + 1);
    return header?.['length'] === lengthOf(chunks) ? chunks : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

async function linesFrom(handle: FileHandle): Promise<string[]> {
  const decoder = new TextDecoder();
  const buffer = Buffer.alloc(READ_BYTES);
  const chunks: string[] = [];
  let rest = '';
  for (;;) {
    // Each piece follows the one before.
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES);
    const text = rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
    const end = bytesRead > 0 ? text.lastIndexOf('\n') + 1 : text.length;
    if (end > 0) chunks.push(text.slice(0, end));
    if (bytesRead === 0) return chunks;
    rest = text.slice(end);
  }
}

/** In UTF-16 units. */
function lengthOf(chunks: readonly string[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** Atomic. */
export async function writeSidecar(
  file: string,
  of: TranscriptFile,
  trigrams: TrigramSet,
  chunks: readonly string[],
): Promise<void> {
  const fields = { search: INDEX_VERSION, size: of.size, at: of.at, length: lengthOf(chunks) };
  const header = { ...fields, grams: Buffer.from(trigrams).toString('base64') };
  const [first = '', ...rest] = chunks;
  await writeFileAtomic(file, [`${JSON.stringify(header)}\n${first}`, ...rest]);
}
