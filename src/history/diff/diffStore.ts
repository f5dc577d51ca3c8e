import { createHash } from 'node:crypto';
import type { DiffContent } from '../../shared/state/contentBlocks';
import { computeDiff } from './computeDiff';

/** The complete texts of a diff, which stay in the host; the page gets hunks. */
export interface DiffTexts {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** The diffs of a session by content, so that a diff repeated in every update is computed and stored once. */
export class DiffStore {
  readonly #texts = new Map<string, DiffTexts>();
  readonly #contents = new Map<string, DiffContent>();

  /** @param onNew called once per diff, to store it */
  constructor(private readonly onNew: (diffId: string, texts: DiffTexts) => void) {}

  /** `oldText` undefined means a new file. */
  add(path: string, label: string, oldText: string | undefined, newText: string): DiffContent {
    const diffId = hash(path, oldText, newText);
    const cached = this.#contents.get(diffId);
    if (cached) return cached;
    const texts = { path, oldText: oldText ?? '', newText };
    const isNew = oldText === undefined;
    const content: DiffContent = { type: 'diff', diffId, path, label, isNew, ...computeDiff(texts.oldText, newText) };
    this.#contents.set(diffId, content);
    this.#texts.set(diffId, texts);
    this.onNew(diffId, texts);
    return content;
  }

  restore(diffId: string, texts: DiffTexts): void {
    this.#texts.set(diffId, texts);
  }

  get(diffId: string): DiffTexts | undefined {
    return this.#texts.get(diffId);
  }
}

function hash(path: string, oldText: string | undefined, newText: string): string {
  const digest = createHash('sha256');
  for (const part of [path, oldText ?? '', newText]) digest.update(`${part.length}:`).update(part);
  return digest
    .update(oldText === undefined ? 'new' : 'old')
    .digest('hex')
    .slice(0, 32);
}
