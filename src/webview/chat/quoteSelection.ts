import { t } from '../../base/l10n';
import type { PageContext } from './pageContext';

/** Adds the text that is selected in the conversation to the message box, as a quote. */
export function quoteSelection({ store, events }: PageContext): void {
  const selection = document.getSelection();
  const text = selection && isInConversation(selection) ? selection.toString().trim() : '';
  if (text === '') {
    const hint = t('In the conversation, select the text that you want to ask about.');
    store.notice.value = { id: 'quote', text: hint, details: [], isWarning: false };
    return;
  }
  events.insertText.fire(`${asQuote(text)}\n\n`);
  events.focusComposer.fire();
}

function isInConversation({ anchorNode, focusNode }: Selection): boolean {
  const log = document.querySelector('.log');
  return log !== null && log.contains(anchorNode) && log.contains(focusNode);
}

/** As a Markdown block quote. */
function asQuote(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
