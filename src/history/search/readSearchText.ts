import { entriesFrom } from '../../shared/state/entryPages';
import type { Entry, SessionState } from '../../shared/state/sessionState';
import { emptySession } from '../../shared/state/sessionState';
import { applyStored, transcriptActions } from '../transcriptFile';
import { entryText } from './entrySearchText';
import type { TrigramSet } from './trigrams';
import { TrigramBuilder } from './trigrams';
import type { TextChunk } from './scanText';
import { toChunk } from './scanText';
import { searchIndexLine } from './searchIndexFile';
import type { TimeSlicer } from './timeSlicer';

/** UTF-16 units of a chunk, except for the last line. */
const CHUNK_CHARS = 131_072;

/**
 * Reads search data from the transcript itself; undefined when aborted.
 * @throws ParleyError `badInput` when a newer version wrote it
 */
export async function readForSearch(
  folder: string,
  id: string,
  signal: AbortSignal,
  slices: TimeSlicer,
): Promise<{ readonly trigrams: TrigramSet; readonly chunks: readonly TextChunk[] } | undefined> {
  const state = await stateOf(folder, id, signal, slices);
  const collector = new TrigramBuilder();
  const chunks: TextChunk[] = [];
  for (const text of state ? textChunks(state) : []) {
    const chunk = toChunk(text);
    collector.add(chunk.folded);
    chunks.push(chunk);
    if (slices.isDue) await slices.pause();
    if (signal.aborted) return undefined;
  }
  return state && { trigrams: collector.trigrams, chunks };
}

export function entryLine(index: number, entry: Entry, { terminals }: SessionState): string {
  return searchIndexLine({ entry: index, kind: entry.kind, text: entryText(entry, terminals) });
}

async function stateOf(
  folder: string,
  id: string,
  signal: AbortSignal,
  slices: TimeSlicer,
): Promise<SessionState | undefined> {
  let state = emptySession(id);
  for await (const actions of transcriptActions(folder, id)) {
    for (const action of actions) {
      state = applyStored(state, action);
      if (slices.isDue) await slices.pause();
    }
    if (signal.aborted) return undefined;
  }
  return state;
}

/** The lines of all entries in chunks. */
function* textChunks(state: SessionState): Generator<string> {
  let stretch = '';
  for (const [index, entry] of entriesFrom(state.entries)) {
    stretch += entryLine(index, entry, state);
    if (stretch.length < CHUNK_CHARS) continue;
    yield stretch;
    stretch = '';
  }
  if (stretch !== '') yield stretch;
}
