import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { t } from '../../base/l10n';
import type { Attachment } from '../../shared/state/attachments';
import { storeHiddenSuggestion } from '../page/draftMemory';
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
  const suggested = store.suggestion.value;
  const { hidden, hide } = useHidden();
  const isFree = text.value === '' && attached.value.length === 0 && store.turn.value.status !== 'running';
  if (suggested === undefined || !isFree || suggested === hidden) return { text: undefined, onKey: () => false };
  const onKey = (event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
    if (event.key === 'Tab') text.value = suggested;
    else if (event.key === 'Escape') hide(suggested);
    else return false;
    event.preventDefault();
    return true;
  };
  return { text: t('{0} (Tab to use)', suggested), onKey };
}

/** The suggestion that the user has hidden in this session; remembered over a reload. */
function useHidden(): { readonly hidden: string | undefined; readonly hide: (suggested: string) => void } {
  const { store, memory } = usePage();
  const session = (store.epoch.value !== undefined && store.state?.id) || '';
  const changes = useSignal(0);
  const hidden = useMemo(() => memory.load().hiddenSuggestions?.[session], [session, memory, changes.value]);
  const hide = (suggested: string | undefined): void => {
    memory.save(storeHiddenSuggestion(memory.load(), session, suggested));
    changes.value += 1;
  };
  const isWithdrawn = hidden !== undefined && store.suggestion.value === undefined;
  useEffect(() => {
    // The next suggestion is a new one, whatever its text is.
    if (isWithdrawn) hide(undefined);
  }, [isWithdrawn, session]);
  return { hidden, hide };
}
