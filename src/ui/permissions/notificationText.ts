import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisibleInline, escapeMarkdownLinks } from '../../base/untrustedText';
import type { PermissionOption } from '../../shared/state/toolCallState';
import { formText, requestText } from './pendingRequests';
import type { PendingForm, PendingPermissionRequest } from './pendingRequests';

/** Maximum UTF-16 units of a notification. Longer requests are decided where their full text is visible. */
const MAX_TEXT = 400;
/** Maximum number of option buttons; VS Code shows them in one row. */
const MAX_OPTIONS = 4;
/** Maximum UTF-16 units of all option names, which must fit into that row. */
const MAX_NAMES = 160;
const MAX_TITLE = 40;

/** The text of a notification and the options with buttons. */
export interface NotificationText {
  readonly sentence: string;
  readonly options: readonly PermissionOption[];
}

/** @param several there are other sessions: the text then contains the session's title */
export function requestNotification(
  { session, permission }: PendingPermissionRequest,
  several: boolean,
): NotificationText {
  const { agent, title, detail } = requestText(session.state, permission);
  const who = several && session.state.title !== undefined ? `${agent}, ${quotedTitle(session.state.title)}` : agent;
  const warning = permission.destructive === undefined ? '' : ` ${t('Destructive: {0}', permission.destructive)}`;
  const { sentence, complete } = cut(`${who}: ${title}${detail === undefined ? '' : ` (${detail})`}${warning}`);
  return { sentence, options: complete ? buttonsOf(permission.options) : [] };
}

/** Forms are answered in the page only. */
export function formNotification(form: PendingForm): NotificationText {
  return { sentence: cut(formText(form)).sentence, options: [] };
}

/** All options if they fit, else the first of each kind, else none; "Show" leads to all options. */
function buttonsOf(options: readonly PermissionOption[]): readonly PermissionOption[] {
  const shown =
    options.length <= MAX_OPTIONS
      ? options
      : options.filter(({ kind }, index) => kind !== 'other' && options.findIndex((o) => o.kind === kind) === index);
  return shown.reduce((sum, { name }) => sum + name.length, 0) <= MAX_NAMES ? shown : [];
}

function quotedTitle(title: string): string {
  return `“${truncate(escapeInvisibleInline(title), MAX_TITLE)}”`;
}

function cut(text: string): { readonly sentence: string; readonly complete: boolean } {
  const sentence = escapeMarkdownLinks(text);
  if (sentence.length <= MAX_TEXT) return { sentence, complete: true };
  return { sentence: t('{0}… “Show” has the rest.', sentence.slice(0, MAX_TEXT)), complete: false };
}
