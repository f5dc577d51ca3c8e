import { Buffer } from 'node:buffer';
import { t } from '../../../base/l10n';
import { archiveError } from './archiveLimits';

/** A larger result of one step (at most 1.5 blocks of compressed data) is a bomb; a normal step gives a few MB. */
const MAX_AT_ONCE = 256 * 1024 * 1024;
/** Small steps keep the extension host responsive while a block is decompressed. */
const STEP_BYTES = 64 * 1024;

/**
 * Decompresses bzip2. The library pushes its output: each input chunk is written only after the previous output was
 * consumed.
 */
export async function* unbzip2(source: AsyncIterable<Uint8Array>, maxAtOnce = MAX_AT_ONCE): AsyncGenerator<Uint8Array> {
  const { default: unbzip2Stream } = await import('unbzip2-stream');
  const decoder = unbzip2Stream();
  const out: Uint8Array[] = [];
  const failures: unknown[] = [];
  let atOnce = 0;
  decoder.on('data', (chunk: Uint8Array) => {
    atOnce += chunk.length;
    // Thrown inside the library's own loop, which stops it.
    if (atOnce > maxAtOnce) throw archiveError(t('it unpacks to far more than it should'));
    out.push(chunk);
  });
  decoder.on('error', (error: unknown) => failures.push(error));
  const taken = function* (): Generator<Uint8Array> {
    if (failures.length > 0) throw failures[0];
    yield* out.splice(0);
    atOnce = 0;
  };
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      decoder.write(Buffer.from(chunk.subarray(start, start + STEP_BYTES)));
      yield* taken();
    }
  }
  decoder.end();
  yield* taken();
}
