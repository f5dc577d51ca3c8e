import { ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';

/** What an archive may hold at most. */
export interface ArchiveLimits {
  /** Bytes of everything unpacked. */
  readonly bytes: number;
  readonly entries: number;
  /** Unpacked bytes for each byte of the archive; counts from {@link FREE_BYTES} on. */
  readonly ratio: number;
}

/** The largest agent known unpacks to about 460 MB. */
export const ARCHIVE_LIMITS: ArchiveLimits = { bytes: 2 * 1024 ** 3, entries: 100_000, ratio: 200 };

/** So much may come out of the smallest archive. */
const FREE_BYTES = 64 * 1024 * 1024;

/** The bytes that an archive of this size may unpack to. */
export function unpackLimit(archiveBytes: number, limits: ArchiveLimits): number {
  return Math.min(limits.bytes, Math.max(FREE_BYTES, archiveBytes * limits.ratio));
}

/**
 * Counts what comes out.
 * @throws ParleyError as soon as it is too much.
 */
export class SizeMeter {
  readonly #budget: number;
  readonly #entries: number;
  #bytes = 0;
  #count = 0;

  constructor(archiveBytes: number, limits: ArchiveLimits) {
    this.#budget = unpackLimit(archiveBytes, limits);
    this.#entries = limits.entries;
  }

  get left(): number {
    return this.#budget - this.#bytes;
  }

  bytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.#budget)
      throw archiveError(t('it unpacks to more than {0} MB', Math.round(this.#budget / 1024 / 1024)));
  }

  entry(): void {
    this.#count += 1;
    if (this.#count > this.#entries) throw archiveError(t('it holds more than {0} entries', this.#entries));
  }
}

/** An archive that is not unpacked. */
export function archiveError(why: string, cause?: unknown): ParleyError {
  return new ParleyError('badInput', t('The archive was not unpacked: {0}', why), {
    nextStep: t('Nothing was installed. Report this to the authors of the agent, or try again later.'),
    ...(cause === undefined ? {} : { cause }),
  });
}
