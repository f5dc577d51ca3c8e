import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { HttpOptions } from '../../node/http/httpGet';
import { httpGet } from '../../node/http/httpGet';

export interface DownloadOptions extends Partial<HttpOptions> {
  /** `total` is undefined when the server does not report it. */
  onProgress?(bytes: number, total: number | undefined): void;
}

/** The largest agent known is 460 MB unpacked. */
const MAX_DOWNLOAD = 1024 ** 3;

/**
 * Downloads a file, and verifies its checksum where that is known.
 * @param to absolute path of a file that does not exist yet
 * @param sha256 expected checksum, lower-case hex
 * @returns the actual SHA-256
 * @throws ParleyError; also when the checksum differs
 * @throws CanceledError
 */
export async function downloadVerified(
  url: string,
  to: string,
  sha256: string | undefined,
  options: DownloadOptions = {},
): Promise<string> {
  const answer = await httpGet(url, { ...options, limit: options.limit ?? MAX_DOWNLOAD });
  const length = answer.headers.get('content-length');
  const total = length === null ? undefined : Number(length);
  const hash = createHash('sha256');
  let bytes = 0;
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of answer.body) {
      hash.update(chunk);
      bytes += chunk.length;
      options.onProgress?.(bytes, total);
      yield chunk;
    }
  };
  await pipeline(Readable.from(watched(), { objectMode: true }), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
  const found = hash.digest('hex');
  if (sha256 !== undefined && found !== sha256) throw wrongSum(url, sha256, found);
  return found;
}

function wrongSum(url: string, expected: string, found: string): ParleyError {
  return new ParleyError('badInput', t('The checksum of the file from {0} does not match the registry', url), {
    nextStep: t(
      'Nothing was installed. Try again later. If the problem persists, report it to the authors of the agent.',
    ),
    detail: t('Expected SHA-256: {0}\nActual SHA-256: {1}', expected, found),
  });
}
