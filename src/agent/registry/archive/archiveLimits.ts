import { ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';

export interface ArchiveLimits {
  /** Total unpacked bytes. */
  readonly bytes: number;
  /** Files, links and folders, those that only the name of another entry contains, too. */
  readonly entries: number;
  /** Unpacked bytes per byte of the archive; applies from {@link FREE_BYTES} on. */
  readonly ratio: number;
}

/** The largest agent known unpacks to about 460 MB. */
export const ARCHIVE_LIMITS: ArchiveLimits = { bytes: 2 * 1024 ** 3, entries: 100_000, ratio: 200 };

/** Unpacked bytes allowed for even the smallest archive. */
const FREE_BYTES = 64 * 1024 * 1024;

/** Entries allowed for even the smallest archive. */
const FREE_ENTRIES = 10_000;
/** Bytes of the archive per further entry: names and headers of real programs need more. */
const BYTES_PER_ENTRY = 32;

/** The maximum of unpacked bytes for an archive of this size. */
function unpackLimit(archiveBytes: number, limits: ArchiveLimits): number {
  return Math.min(limits.bytes, Math.max(FREE_BYTES, archiveBytes * limits.ratio));
}

/**
 * Counts unpacked bytes and entries.
 * @throws ParleyError as soon as a limit is exceeded
 */
export class SizeMeter {
  readonly #budget: number;
  readonly #entries: number;
  #bytes = 0;
  #count = 0;

  constructor(archiveBytes: number, limits: ArchiveLimits) {
    this.#budget = unpackLimit(archiveBytes, limits);
    this.#entries = Math.min(limits.entries, Math.max(FREE_ENTRIES, Math.floor(archiveBytes / BYTES_PER_ENTRY)));
  }

  get left(): number {
    return this.#budget - this.#bytes;
  }

  bytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.#budget)
      throw archiveError(t('its unpacked size exceeds {0} MB', Math.round(this.#budget / 1024 / 1024)));
  }

  entries(count: number): void {
    this.#count += count;
    if (this.#count > this.#entries) throw archiveError(t('it contains more than {0} entries', this.#entries));
  }
}

/** An archive is refused. */
export function archiveError(why: string, cause?: unknown): ParleyError {
  return new ParleyError('badInput', t('Could not unpack the archive: {0}', why), {
    nextStep: t(
      'Nothing was installed. Try again later. If the problem persists, report it to the authors of the agent.',
    ),
    ...(cause === undefined ? {} : { cause }),
  });
}
