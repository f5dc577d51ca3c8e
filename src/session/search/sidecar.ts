import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asNumber, asObject, asString } from '../../base/json';
import type { TranscriptFile } from '../transcript';
import type { Grams } from './grams';

/**
 * What search keeps beside a transcript: a header with the grams, and the words of each entry in a line of its own. It is made of the
 * transcript and can be made again at any time; one that does not go with the transcript's size and time is of no use.
 */
const VERSION = 1;
/** Bytes of the longest header: 16 KiB of grams in Base64, and a few numbers. */
const HEADER = 24_576;
/** In place of a line end within an entry. */
const BREAK = '\u0001';

/** One entry. */
export interface Said {
  /** Index in the transcript. */
  readonly entry: number;
  readonly kind: string;
  readonly text: string;
}

/** An entry in a line of the body, which ends with a line end. */
export function lineOf({ entry, kind, text }: Said): string {
  return `${entry}\t${kind}\t${text.replaceAll(BREAK, ' ').replace(/\s*\n\s*/g, BREAK)}\n`;
}

/** The entry of a line of the body. @param line without its end */
export function saidIn(line: string): Said {
  const [entry = '', kind = '', ...text] = line.split('\t');
  return { entry: Number(entry), kind, text: text.join('\t').replaceAll(BREAK, '\n') };
}

/** Where the words of an entry begin in a line of the body. */
export function textStart(body: string, lineStart: number): number {
  return body.indexOf('\t', body.indexOf('\t', lineStart) + 1) + 1;
}

/** The grams of a transcript; undefined when they have to be made. */
export async function readGrams(file: string, of: TranscriptFile): Promise<Grams | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER), 0, HEADER, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    return end < 0 ? undefined : gramsOf(buffer.toString('latin1', 0, end), of);
  } finally {
    await handle.close();
  }
}

function gramsOf(header: string, { size, at }: TranscriptFile): Grams | undefined {
  try {
    const fields = asObject(JSON.parse(header));
    const grams = asString(fields?.['grams']);
    const goesWith = fields?.['search'] === VERSION && asNumber(fields['size']) === size && fields['at'] === at;
    return goesWith && grams !== undefined ? new Uint8Array(Buffer.from(grams, 'base64')) : undefined;
  } catch {
    return undefined;
  }
}

/** The body; undefined when it cannot be read. */
export async function readBody(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text?.slice(text.indexOf('\n') + 1);
}

/** The old one or the new one, never half of one. */
export async function writeSidecar(file: string, of: TranscriptFile, grams: Grams, body: string): Promise<void> {
  const header = { search: VERSION, size: of.size, at: of.at, grams: Buffer.from(grams).toString('base64') };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(header)}\n${body}`);
  await rename(`${file}.new`, file);
}
