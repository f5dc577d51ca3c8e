import type { Action } from '../../src/shared/state/sessionActions';
import { NOON } from './sample';

/** Finished turns with numbers; all but the first turn of a session change two files. */
export function railTurns(count: number, first = 0): Action[] {
  return Array.from({ length: count }, (_, at) => at + first).flatMap((at): Action[] => {
    const files = [
      { path: `/w/src/part${at}.ts`, label: `src/part${at}.ts`, status: 'changed', added: at, removed: 0 },
      { path: `/w/part${at}.md`, label: `part${at}.md`, status: 'changed', added: 0, removed: at },
    ] as const;
    return [
      { type: 'promptSent', text: `Question ${at}\nwith a second line`, blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text: 'Some words in a line.\n\n'.repeat(20), at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 5000 },
      ...(at > 0 ? [{ type: 'turnFilesTold', entry: at * 2, files } as const] : []),
    ];
  });
}
