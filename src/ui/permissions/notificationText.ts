import { t } from '../../base/l10n';
import { normalizeText, truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { PermissionOption } from '../../shared/state/toolCallState';
import { formText, reasonTexts, requestText } from '../pendingRequests';
import type { PendingForm, PendingPermissionRequest } from '../pendingRequests';

/** Maximum UTF-16 units of a notification. Longer requests are decided where their full text is visible. */
const MAX_TEXT = 400;
/** Maximum number of option buttons; VS Code shows them and "Show" in one row. */
const MAX_OPTIONS = 3;
/**
 * Maximum width in characters at which VS Code shows option names in full: of all names together, and of a single name
 * if there are three.
 */
const MAX_NAMES = 36;
const MAX_NAME = 12;
const MAX_TITLE = 40;

/** The text of a notification and the options with buttons. */
export interface NotificationText {
  readonly sentence: string;
  readonly options: readonly LabeledOption[];
}

/** Parley's own button. */
export const SHOW = t('Show');

/** An option and the text of its button: its name, or a word for its kind where the name does not fit. */
export interface LabeledOption {
  readonly option: PermissionOption;
  readonly label: string;
}

const SHORT_LABELS: Readonly<Record<PermissionOption['kind'], string | undefined>> = {
  allow_once: t('Allow'),
  allow_always: t('Always Allow'),
  reject_once: t('Reject'),
  reject_always: t('Reject'),
  other: undefined,
};

/** @param hasSeveral there are other sessions: the text then contains the session's title */
export function requestNotification(
  { session, permission }: PendingPermissionRequest,
  hasSeveral: boolean,
): NotificationText {
  const { agent, title, detail, summary, isPartial } = requestText(session, permission);
  const chat = hasSeveral && session.state.title !== undefined ? quoteTitle(session.state.title) : undefined;
  const who = [agent, chat].filter((part) => part !== undefined).join(', ');
  const textWith = (more: string | undefined): string => {
    const what = `${who === '' ? '' : `${who}: `}${title}${more === undefined ? '' : ` (${more})`}`;
    return [what, ...reasonTexts(permission)].join('. ');
  };
  const full = textWith(detail);
  if (full.length <= MAX_TEXT && !isPartial) return { sentence: full, options: buttonsOf(permission.options) };
  return { sentence: cut(textWith(summary)), options: [] };
}

/** Forms are answered in the page only. */
export function formNotification(form: PendingForm): NotificationText {
  const text = formText(form);
  return { sentence: text.length <= MAX_TEXT ? text : cut(text), options: [] };
}

/** The option's name; else its kind, or the name in quotes, if the name looks like that of Parley's own button. */
export function nameBeside(own: string, { name, kind }: PermissionOption): string {
  return lettersOf(name) === lettersOf(own) ? (SHORT_LABELS[kind] ?? `“${name}”`) : name;
}

function lettersOf(text: string): string {
  return normalizeText(text.replace(/\$\([a-z\d~-]+\)/gi, ''), 'NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * All options if they fit, else the first of each kind with the words of the buttons; none where only the names tell what several of them
 * allow. "Show" opens the chat with all options.
 */
function buttonsOf(options: readonly PermissionOption[]): readonly LabeledOption[] {
  const widths = options.map(({ name }) => displayWidth(name));
  if (options.length <= MAX_OPTIONS && widths.reduce((sum, width) => sum + width, 0) <= MAX_NAMES)
    return options.map((option) => ({ option, label: nameBeside(SHOW, option) }));
  const buttons: LabeledOption[] = [];
  for (const option of options) {
    const short = SHORT_LABELS[option.kind];
    // One button for each word: "Reject" stands for the first option that rejects.
    if (short === undefined || buttons.some(({ option: { kind } }) => SHORT_LABELS[kind] === short)) continue;
    const isShort = displayWidth(option.name) <= MAX_NAME;
    const isOneOfSome =
      !option.kind.startsWith('reject') && options.some((o) => o !== option && o.kind === option.kind);
    if (isShort || !isOneOfSome) buttons.push({ option, label: isShort ? nameBeside(SHOW, option) : short });
  }
  return buttons;
}

/** In columns: Chinese, Japanese and Korean characters take two. */
export function displayWidth(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (character >= '\u1100' ? 2 : 1), 0);
}

function quoteTitle(title: string): string {
  return `“${truncate(escapeInvisibleInline(title), MAX_TITLE)}”`;
}

function cut(text: string): string {
  return t('{0}… Select “Show” to see the full text.', text.slice(0, MAX_TEXT));
}
