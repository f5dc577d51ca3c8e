import type { Memento } from '../../base/memento';
import type { Schema } from '../../base/schema';
import { count, list, object, string, tryParse } from '../../base/schema';
import type { CommentLines } from './commentLines';

/** The comments on some lines, as stored for the next window. */
export interface StoredComments extends CommentLines {
  readonly uri: string;
  readonly quote: readonly string[];
  readonly texts: readonly string[];
}

const KEY = 'parley.comments';

const stored: Schema<readonly StoredComments[]> = list(
  object<StoredComments>({ uri: string, first: count, last: count, quote: list(string), texts: list(string) }),
);

/** Reads the unsent comments; empty if another version stored the value. */
export function readComments(memory: Memento): readonly StoredComments[] {
  const parsed = tryParse(stored, memory.get(KEY) ?? []);
  return 'value' in parsed ? parsed.value : [];
}

export function writeComments(memory: Memento, all: readonly StoredComments[]): void {
  void memory.update(KEY, all.length > 0 ? all : undefined);
}
