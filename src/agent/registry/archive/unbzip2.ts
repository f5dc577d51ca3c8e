import { Buffer } from 'node:buffer';
import { archiveError } from './archiveLimits';

/** More than this out of one step (at most one and a half blocks of compressed data) is a bomb; an honest step gives a few MB. */
const MOST_AT_ONCE = 256 * 1024 * 1024;
/** Small steps keep the editor's other extensions alive while a block is worked on. */
const STEP = 64 * 1024;

/** Decompresses bzip2. The library pushes: each piece of input is given once what came of the one before was taken. */
export async function* unbzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { default: unbzip2Stream } = await import('unbzip2-stream');
  const decoder = unbzip2Stream();
  const out: Uint8Array[] = [];
  const failures: unknown[] = [];
  let atOnce = 0;
  decoder.on('data', (chunk: Uint8Array) => {
    atOnce += chunk.length;
    // Thrown into the library's own loop, which it ends.
    if (atOnce > MOST_AT_ONCE) throw archiveError('it unpacks to far more than it should');
    out.push(chunk);
  });
  decoder.on('error', (error: unknown) => failures.push(error));
  const taken = function* (): Generator<Uint8Array> {
    if (failures.length > 0) throw failures[0];
    yield* out.splice(0);
    atOnce = 0;
  };
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += STEP) {
      decoder.write(Buffer.from(chunk.subarray(start, start + STEP)));
      yield* taken();
    }
  }
  decoder.end();
  yield* taken();
}
