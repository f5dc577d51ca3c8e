import type { HostMessage } from '../../shared/protocol/chatPageProtocol';

/** A message outside the state, delivered after the current state. */
export type SideMessage = Exclude<HostMessage, { type: 'snapshot' | 'actions' | 'environment' }>;

/** Types of messages of which only the latest is sent. */
export const LAST_COUNTS: ReadonlySet<SideMessage['type']> = new Set([
  'focusComposer',
  'find',
  'fillComposer',
  'quoteSelection',
  'sendDraft',
  'reveal',
  'playSound',
  'showTools',
  'tools',
  'race',
  'mentions',
  'draft',
  'notice',
]);
/** User text and attachments, which must survive the page. */
export const OUTLIVES_PAGE: ReadonlySet<SideMessage['type']> = new Set([
  'fillComposer',
  'insertText',
  'compose',
  'attach',
  'sendRefused',
  'resendEnded',
]);
