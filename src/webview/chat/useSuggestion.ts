import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { t } from '../../base/l10n';
import type { Attachment } from '../../shared/protocol/attachments';
import { usePage } from './pageContext';

/** The message that the agent suggests, while the message box is empty. */
export interface Suggestion {
  /** Shown in the box; undefined where nothing is suggested. */
  readonly text: string | undefined;
  /** Tab takes the suggestion into the box, Escape hides it. True when the key was used. */
  onKey(event: KeyboardEvent): boolean;
}

export function useSuggestion(text: Signal<string>, attached: Signal<readonly Attachment[]>): Suggestion {
  const { store } = usePage();
  const hidden = useSignal<string | undefined>(undefined);
  const suggested = store.suggestion.value;
  const isFree = text.value === '' && attached.value.length === 0 && store.turn.value.status !== 'running';
  if (suggested === undefined || !isFree || suggested === hidden.value) return { text: undefined, onKey: () => false };
  const onKey = (event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
    if (event.key === 'Tab') text.value = suggested;
    else if (event.key === 'Escape') hidden.value = suggested;
    else return false;
    event.preventDefault();
    return true;
  };
  return { text: t('{0} (Tab to use)', suggested), onKey };
}
