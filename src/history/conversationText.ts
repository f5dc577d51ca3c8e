import { t } from '../base/l10n';
import { MAX_EMBEDDED } from '../shared/state/attachments';
import type { Block } from '../shared/state/contentBlocks';
import { entriesFrom } from '../shared/state/entryPages';
import type { Entry, SessionState } from '../shared/state/sessionState';
import { CONVERSATION_TITLE, CONVERSATION_URI } from '../shared/text/priorConversation';

export function conversationText(state: SessionState): string {
  return Array.from(entriesFrom(state.entries), ([, entry]) => messageText(entry))
    .filter((text) => text !== undefined)
    .join('\n\n');
}

function messageText(entry: Entry): string | undefined {
  if (entry.kind === 'user') return `## You\n\n${entry.text}`;
  if (entry.kind === 'agent') return `## Agent\n\n${entry.text}`;
  return entry.kind === 'tool' ? `- ${entry.title} (${entry.status})` : undefined;
}

/** The conversation as context for an agent. A long one loses its beginning, with a note. */
export function conversationBlock(state: SessionState): Block {
  const whole = conversationText(state);
  const available = MAX_EMBEDDED - 1_000;
  const omittedCount = whole.length - available;
  const shown =
    omittedCount > 0 ? t('[{0} earlier characters omitted]\n\n{1}', omittedCount, whole.slice(-available)) : whole;
  const preface = t('This conversation took place before you joined. Continue from here.');
  const text = `${CONVERSATION_TITLE}\n\n${preface}\n\n${shown}`;
  return { type: 'resource', uri: CONVERSATION_URI, text, mimeType: 'text/markdown' };
}
