import type { Signal } from '@preact/signals';
import { useHostMessage, usePage } from '../pageContext';

/** A text that a link has put into the message box. */
export interface LinkedPrompt {
  readonly session: string;
  /** Ignored parts of the link. */
  readonly remarks: readonly string[];
  /** The draft before. */
  readonly before: string;
  /** Milliseconds of the page's clock. */
  readonly at: number;
}

/** Milliseconds for which Enter does not send: the key press may have been meant for another window. */
const ENTER_GUARD_MS = 500;

export function isRecentlyFilled(filled: LinkedPrompt | undefined): boolean {
  return filled !== undefined && performance.now() - filled.at < ENTER_GUARD_MS;
}

/** Fills the box from links; only the user sends it. */
export function useLinkedPrompt(text: Signal<string>, filled: Signal<LinkedPrompt | undefined>): void {
  const { store, events } = usePage();
  useHostMessage('fillComposer', ({ session, text: filling, remarks }) => {
    if (session !== store.state?.id) return;
    filled.value = { session, remarks, before: text.peek(), at: performance.now() };
    if (filling !== '') text.value = filling;
    events.focusComposer.fire();
  });
}
