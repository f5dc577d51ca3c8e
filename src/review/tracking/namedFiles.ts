import { entriesFrom } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import type { ToolEntry } from '../../shared/state/toolCallState';
import { entrySearchText } from '../../shared/text/entrySearchText';

/** What separates paths in commands, their output and JSON. */
const SEPARATOR = /[\s'"`=:;,|&()<>{}[\]]+/;

/**
 * Tells which paths the tool calls of a turn have in their text: absolute, or relative to any folder.
 * @param entry the first of the turn
 * @param withOutput the text of their results counts, too
 */
export function namedFiles(state: SessionState, entry: number, withOutput: boolean): (path: string) => boolean {
  const words = new Set<string>();
  addWords(words, state, entry, withOutput);
  return (path) => {
    const segments = path.split(/[/\\]+/);
    return segments.some((_, at) => words.has(segments.slice(at).join('/')));
  };
}

function addWords(words: Set<string>, state: SessionState, entry: number, withOutput: boolean): void {
  for (const [, each] of entriesFrom(state.entries, entry)) {
    if (each.kind === 'subagent') addWords(words, each.child, 0, withOutput);
    if (each.kind !== 'tool') continue;
    for (const word of textOf(each, state, withOutput).split(SEPARATOR))
      words.add(word.replaceAll(/\\+/g, '/').replace(/^\.\//, ''));
  }
}

function textOf(call: ToolEntry, { terminals }: SessionState, withOutput: boolean): string {
  const { rawOutput: _rawOutput, ...rest } = call;
  return entrySearchText(withOutput ? call : { ...rest, content: [] }, terminals);
}
