import type { ChangeReview } from '../changeReview';
import { decodeBase } from './baselineFiles';
import { normalizedLines } from './hunks';

/** The decoded lines of baselines, which are large and rarely change. */
export class BaselineLines {
  readonly #review: ChangeReview;
  readonly #lines = new WeakMap<Uint8Array, Promise<readonly string[]>>();

  constructor(review: ChangeReview) {
    this.#review = review;
  }

  /** Empty when the file did not exist, or is not reviewed. */
  async of(path: string): Promise<readonly string[]> {
    const bytes = this.#review.baseBytes(path);
    if (!bytes) return [];
    const known = this.#lines.get(bytes) ?? decodeBase(path, bytes).then(normalizedLines, () => []);
    this.#lines.set(bytes, known);
    return known;
  }
}
