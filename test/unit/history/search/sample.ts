import type { SessionListItem } from '../../../../src/history/sessionSummary';
import { TranscriptWriter } from '../../../../src/history/transcriptWriter';
import type { Action } from '../../../../src/shared/state/sessionActions';

/** Sessions on disk without agents, for tests and measurements of search. */

export function item(id: string, more: Partial<SessionListItem> = {}): SessionListItem {
  return {
    id,
    title: `Session ${id}`,
    renamed: false,
    updatedAt: 1,
    archived: false,
    status: 'idle',
    isActive: false,
    isOurs: true,
    can: { rename: true, archive: true, delete: true, fork: false },
    ...more,
  };
}

/** Actions of a conversation: alternating prompts and answers. */
export function said(...texts: readonly string[]): Action[] {
  return texts.flatMap((text, at): Action[] =>
    at % 2 === 0
      ? [{ type: 'promptSent', text, blocks: [], at }]
      : [
          { type: 'textAppended', role: 'agent', text, at },
          { type: 'turnEnded', stopReason: 'end_turn', at },
        ],
  );
}

export async function writeTranscript(folder: string, id: string, actions: readonly Action[]): Promise<void> {
  const writer = new TranscriptWriter(folder, id, (error) => {
    throw error;
  });
  for (const action of actions) writer.append(action);
  await writer.close();
}
