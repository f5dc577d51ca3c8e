import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { locale, t } from '../../../base/l10n';
import type { ThoughtDisplay } from '../../../base/settings';
import { truncate, decodePercent } from '../../../base/text';
import { CLOCK } from '../../../base/timestamps';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import { contextOf } from '../../../shared/state/attachments';
import type { Block } from '../../../shared/state/contentBlocks';
import type { Entry, ErrorEntry, ErrorAction, UserEntry } from '../../../shared/state/sessionState';
import { formatDuration } from '../../../shared/text/formatDuration';
import { CollapsibleText } from '../../controls/collapsibleText';
import { Icon } from '../../controls/icon';
import { Time } from '../../controls/timeOfDay';
import type { EntryCell } from '../chatStore';
import { attachmentIcon } from '../composer/attachmentIcon';
import { lastPrompt } from '../composer/promptHistory';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { Blocks } from '../text/blockViews';
import { StreamingMarkdown } from '../text/markdownText';

const AgentMenu = lazyComponent(async () => (await import('./messageMenu')).AgentMenu, 'soon');
const UserActions = lazyComponent(async () => (await import('./messageMenu')).UserActions, 'soon');
const RetryLater = lazyComponent(async () => (await import('../retryLater')).RetryLater);
const SentEditor = lazyComponent(async () => (await import('./sentMessageEditor')).SentMessageEditor, 'soon');
const SentPrompt = lazyComponent(async () => (await import('./minorEntries')).ExpandedPrompt, 'soon');

interface UserMessageProps {
  readonly entry: UserEntry;
  /** Index in the session; undefined in a child session. */
  readonly index?: number;
}

/** The user's text, shown without Markdown. */
export function UserMessage({ entry, index }: UserMessageProps): JSX.Element {
  const { editing } = usePage();
  const isEdited = useComputed(() => index !== undefined && editing.value === index).value;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'F2' || index === undefined) return;
    event.preventDefault();
    editing.value = index;
  };
  return (
    <article class="entry user" aria-label={t('You')} tabIndex={-1} onKeyDown={onKeyDown}>
      {isEdited && index !== undefined ? (
        <SentEditor entry={entry} index={index} />
      ) : (
        <>
          <Bubble entry={entry} />
          <UserLine entry={entry} index={index} />
        </>
      )}
    </article>
  );
}

function Bubble({ entry }: { entry: UserEntry }): JSX.Element {
  return (
    <div class="bubble">
      {entry.blocks.length > 0 && <SentAttachments blocks={entry.blocks} />}
      {entry.text !== '' && <Plain text={entry.text} />}
      {entry.expansion && <SentPrompt expansion={entry.expansion} />}
    </div>
  );
}

/** Lines and UTF-16 units of a message that are shown initially; slightly longer messages are not collapsed. */
const FOLDED_SIZE = { lines: 12, units: 1200 };
const MIN_FOLD_FACTOR = 1.6;

/** Long messages are collapsed, so that pasted text does not hide the answer. */
function Plain({ text }: { text: string }): JSX.Element {
  const open = useSignal(false);
  const first = text.split('\n', FOLDED_SIZE.lines).join('\n');
  const isLong =
    text.length > FOLDED_SIZE.units * MIN_FOLD_FACTOR || text.split('\n').length > FOLDED_SIZE.lines * MIN_FOLD_FACTOR;
  return (
    <>
      <p class="plain" dir="auto">
        {isLong && !open.value ? truncate(`${first}…`, FOLDED_SIZE.units) : text}
      </p>
      {isLong && (
        <button type="button" class="link-button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          {open.value ? t('Show less') : t('Show all')}
        </button>
      )}
    </>
  );
}

/** Created once: for each message it would take longer than to draw the message. */
const MINUTES = new Intl.DateTimeFormat(locale(), CLOCK);

function UserLine({ entry, index }: { entry: UserEntry; index: number | undefined }): JSX.Element {
  return (
    <div class="user-line meta">
      {index !== undefined && <UserActions entry={entry} index={index} />}
      <Time at={entry.at} format={MINUTES} />
    </div>
  );
}

/** @param index of the entry in the session; undefined in a child session */
export function AgentMessage({ cell, index }: { cell: EntryCell<Entry>; index?: number }): JSX.Element {
  const isWhole = useComputed(
    () => cell.value.value.kind === 'agent' && timesOf(cell.value.value).endedAt !== undefined,
  );
  return (
    <article class="entry agent" aria-label={t('Agent')}>
      <StreamingMarkdown cell={cell} />
      <CellBlocks cell={cell} />
      {isWhole.value && index !== undefined && <AgentMenu cell={cell} index={index} />}
    </article>
  );
}

function CellBlocks({ cell }: { cell: EntryCell<Entry> }): JSX.Element | null {
  const blocks = useComputed(() => {
    const entry = cell.value.value;
    return entry.kind === 'agent' || entry.kind === 'thought' ? entry.blocks : [];
  });
  return blocks.value.length > 0 ? <Blocks blocks={blocks.value} /> : null;
}

/**
 * One muted line; expanded while it streams, collapsed afterwards (setting `parley.thoughts`), until the user toggles
 * it.
 */
export function Thought({ cell }: { cell: EntryCell<Entry> }): JSX.Element {
  const chosen = useSignal<boolean | undefined>(undefined);
  const { store } = usePage();
  const isStreaming = useComputed(() => timesOf(cell.value.value).endedAt === undefined);
  const isOpen = chosen.value ?? opensBy(store.environment.value.thoughts, isStreaming.value);
  return (
    <article class="entry thought" aria-label={t('Thought')}>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => (chosen.value = !isOpen)}>
        <Icon name="chevron-right" class="chevron" />
        <ThoughtLine cell={cell} />
      </button>
      {isOpen && (
        <div class="thought-body">
          <StreamingMarkdown cell={cell} />
          <CellBlocks cell={cell} />
        </div>
      )}
    </article>
  );
}

function opensBy(setting: ThoughtDisplay = 'auto', isStreaming: boolean): boolean {
  return setting === 'auto' ? isStreaming : setting === 'expanded';
}

function ThoughtLine({ cell }: { cell: EntryCell<Entry> }): JSX.Element {
  const line = useComputed(() => {
    const { at, endedAt } = timesOf(cell.value.value);
    return endedAt === undefined ? t('Thinking…') : t('Thought for {0}', formatDuration(endedAt - at));
  });
  return <span>{line}</span>;
}

function timesOf(entry: Entry): { at: number; endedAt?: number } {
  return entry.kind === 'thought' || entry.kind === 'agent' ? entry : { at: entry.at, endedAt: entry.at };
}

/** @param index of the entry in the session; undefined in a child session */
export function ErrorMessage({ entry, index }: { entry: ErrorEntry; index?: number }): JSX.Element {
  const { store } = usePage();
  // "Retry" sends the last message again, so it is hidden after a later message, which would be sent instead of the failed one. That
  // message also started the agent, or has an error of its own.
  const hasLaterMessage = useComputed(
    () => store.entryCount.value > 0 && (lastPrompt(store.state) ?? -1) > (index ?? Infinity),
  );
  const remedies = hasLaterMessage.value
    ? entry.remedies.filter((remedy) => remedy !== 'retry' && remedy !== 'restart')
    : entry.remedies;
  const isSolved = useComputed(
    () =>
      index !== undefined &&
      (hasLaterMessage.value || (entry.remedies.includes('restart') && store.connection.value.status === 'ready')),
  ).value;
  if (isSolved) {
    return <SolvedError entry={entry} remedies={remedies.filter((remedy) => remedy !== 'restart')} />;
  }
  return (
    <article class="entry" aria-label={t('Error')}>
      <Alert message={entry.message} detail={entry.detail} remedies={remedies}>
        {index !== undefined && entry.retryAt !== undefined && remedies.includes('retry') && (
          <RetryLater entry={index} retryAt={entry.retryAt} />
        )}
      </Alert>
    </article>
  );
}

/** An error that was overcome: one line with the reason, which unfolds to the details. */
function SolvedError({ entry, remedies }: { entry: ErrorEntry; remedies: readonly ErrorAction[] }): JSX.Element {
  const step = t('Restart the agent.');
  const reason = entry.message.replace(step, '').trim();
  const text = entry.message.includes(step) ? t('{0}, restarted', reason.replace(/[.。]$/, '')) : reason;
  return (
    <article class="entry solved-error" aria-label={t('Error')}>
      <details>
        <summary class="muted">
          <Icon name="error" />
          <span dir="auto">{text}</span>
        </summary>
        {entry.detail !== undefined && entry.detail !== '' && <CollapsibleText text={entry.detail} lines={20} />}
        <div class="buttons">
          {remedies
            .filter((remedy) => remedy !== 'retry')
            .map((remedy) => (
              <RemedyButton key={remedy} remedy={remedy} />
            ))}
        </div>
      </details>
      {remedies.includes('retry') && <RemedyButton remedy="retry" />}
    </article>
  );
}

interface AlertProps {
  readonly message: string;
  readonly detail?: string | undefined;
  readonly remedies: readonly ErrorAction[];
  /** After the buttons. */
  readonly children?: ComponentChildren;
}

/** An error with its details and actions. */
export function Alert({ message, detail, remedies, children }: AlertProps): JSX.Element {
  return (
    <div class="alert" role="alert">
      <p class="alert-message" dir="auto">
        <Icon name="error" />
        <span>{message}</span>
      </p>
      {detail !== undefined && detail !== '' && (
        <details>
          <summary>{t('Details')}</summary>
          <CollapsibleText text={detail} lines={20} />
        </details>
      )}
      {remedies.length > 0 && (
        <div class="buttons">
          {remedies.map((remedy) => (
            <RemedyButton key={remedy} remedy={remedy} />
          ))}
          {children}
        </div>
      )}
    </div>
  );
}

const REMEDIES = {
  retry: { label: t('Retry'), message: { type: 'retry' } },
  restart: { label: t('Restart Agent'), message: { type: 'restartAgent' } },
  signIn: { label: t('Sign In'), message: { type: 'signIn' } },
  showLog: { label: t('Show Log'), message: { type: 'showLog' } },
  chooseFolder: { label: t('Select Folder…'), message: { type: 'chooseFolder' } },
  openSettings: { label: t('Open Settings'), message: { type: 'openSettings' } },
} as const satisfies Record<ErrorAction, unknown>;

/** Unsupported actions get no button. */
function RemedyButton({ remedy }: { remedy: ErrorAction }): JSX.Element | null {
  const { post } = usePage();
  const action = REMEDIES[remedy];
  if (!action) return null;
  return (
    <button type="button" class="button" onClick={() => post(action.message)}>
      {action.label}
    </button>
  );
}

type SentText = Extract<Block, { type: 'resource' }> & { readonly text: string };

/** The attachments of a sent message as chips; those with text can be expanded. */
function SentAttachments({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return (
    <div class="chips">
      {blocks.map((block, index) =>
        block.type === 'resource' && block.text !== undefined ? (
          <Sent key={index} block={{ ...block, text: block.text }} />
        ) : (
          <Blocks key={index} blocks={[block]} />
        ),
      )}
    </div>
  );
}

function Sent({ block }: { block: SentText }): JSX.Element {
  const { post } = usePage();
  const { uri, text } = block;
  const context = contextOf(uri);
  return (
    <details class="sent-block">
      <summary class="chip" title={escapeInvisibleInline(uri)}>
        <Icon name={context ? attachmentIcon(context) : 'file'} />
        <bdi class="chip-name">{context?.label ?? nameIn(uri)}</bdi>
      </summary>
      <CollapsibleText text={text} />
      {uri.startsWith('file:') && (
        <button type="button" class="link-button" onClick={() => post({ type: 'openLink', href: uri })}>
          {t('Open file')}
        </button>
      )}
    </details>
  );
}

/** `src/app.ts#L3-L9` as `app.ts:3-9`. */
function nameIn(uri: string): string {
  const [, path = uri, first, last] = /^(.*?)(?:#L(\d+)-L(\d+))?$/.exec(uri) ?? [];
  const lines = first === last ? first : `${first}-${last}`;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/^parley:/, '') || path;
  return escapeInvisibleInline(decodePercent(name) + (lines === undefined ? '' : `:${lines}`));
}
