import type { Signal } from '@preact/signals';
import type { SendTarget } from '../../../shared/protocol/turnIntents';
import { useHostMessage, usePage } from '../pageContext';

/** A text that a link has put into the message box. */
export interface LinkedPrompt {
  readonly session: string;
  /** Ignored parts of the link. */
  readonly remarks: readonly string[];
  /** Where the message is sent instead of to the session. */
  readonly to?: SendTarget | undefined;
  /** The draft before. */
  readonly before: string;
  /** Milliseconds of the page's clock. */
  readonly at: number;
}

/** Milliseconds for which Enter does not send: the key press may have been meant for another window. */
const ENTER_GUARD_MS = 500;

export function isRecentlyFilled(filled: LinkedPrompt | undefined): boolean {
  return filled !== undefined && !filled.to && performance.now() - filled.at < ENTER_GUARD_MS;
}

/** Where the next message of a session goes instead of to the session. */
export function targetOf(filled: LinkedPrompt | undefined, session: string | undefined): SendTarget | undefined {
  return filled?.session === session ? filled?.to : undefined;
}

/** Fills the box from links; only the user sends it. */
export function useLinkedPrompt(text: Signal<string>, filled: Signal<LinkedPrompt | undefined>): void {
  const { store, events } = usePage();
  useHostMessage('fillComposer', ({ session, text: filling, remarks, to }) => {
    if (session !== store.state?.id) return;
    filled.value = { session, remarks, to, before: text.peek(), at: performance.now() };
    if (filling !== '') text.value = filling;
    events.focusComposer.fire();
  });
}
