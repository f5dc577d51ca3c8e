import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { ToolContent, ToolKind } from '../../../shared/state/contentBlocks';
import type { SessionState } from '../../../shared/state/sessionState';
import type { ToolEntry } from '../../../shared/state/toolCallState';
import { STATUS_LABELS, displayStatus } from '../../../shared/text/statusText';
import type { DisplayStatus } from '../../../shared/text/statusText';
import { commandText, toolCommand } from '../../../shared/text/toolInput';
import { Icon } from '../../controls/icon';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { commandOutput } from './commandOutput';
import { DiffCard } from './diffCard';
import { TerminalCard, isSameCommand } from './terminalCard';
import { ToolDetail } from './toolCallDetail';
import { hasFoldedContent } from './toolCallFields';
import { namesFirst, relativeTitle } from './toolCallTitle';

const KIND_ICONS: Record<ToolKind, string> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'move',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'arrow-swap',
  other: 'tools',
};

const CommandOutputCard = lazyComponent(async () => (await import('./commandOutputCard')).CommandOutputCard);
const ToolRest = lazyComponent(async () => (await import('./toolCallFolded')).ToolCallFolded);

/** One tool call: a row, its cards, and folded content. */
export function ToolCallRow({ entry }: { entry: ToolEntry }): JSX.Element {
  const chosen = useSignal<boolean | undefined>(undefined);
  const { store } = usePage();
  const all = bodyOf(entry, store.state?.terminals);
  // A rejected call is shown as one line.
  const isRejected = entry.status === 'rejected' && entry.waiting === 0;
  const canFold = hasFoldedContent(entry) || (isRejected && hasBody(all));
  // A failed call shows its error; one that was cut off has none.
  const hasError = entry.status === 'failed' && (entry.content.length > 0 || entry.rawOutput !== undefined);
  const isOpen = canFold && (chosen.value ?? hasError);
  const body = isRejected && !isOpen ? NO_BODY : all;
  const whole = relativeTitle(entry, store.state?.agentSession?.cwd);
  const title = entry.title === '' ? t('Tool call') : escapeInvisibleInline(whole);
  const shown = entry.title === '' ? title : escapeInvisibleInline(shownTitle(entry, whole));
  return (
    <div class={`entry tool ${entry.status}`} role="group" aria-label={t('Tool: {0}', title)}>
      <Icon name={KIND_ICONS[entry.tool] ?? KIND_ICONS.other} class="tool-icon" />
      <div class="tool-row">
        <ToolName
          title={title}
          shown={shown}
          {...(canFold && { open: isOpen, onToggle: () => (chosen.value = !isOpen) })}
        />
        <ToolDetail entry={entry} title={shown} />
        <Status status={displayStatus(entry)} />
      </div>
      {(hasBody(body) || isOpen) && (
        <div class="tool-body">
          {body.cards.map((content, index) => (
            <Card key={index} content={content} title={title} applied={entry.status === 'done'} />
          ))}
          {body.output !== undefined && <CommandOutputCard entry={entry} text={body.output} />}
          {isOpen && <ToolRest entry={entry} />}
        </div>
      )}
    </div>
  );
}

/** The request below shows a command that waits whole: the row does not repeat it. */
function shownTitle(entry: ToolEntry, title: string): string {
  const command = entry.waiting > 0 && entry.tool === 'execute' ? toolCommand(entry.rawInput) : undefined;
  return command && isSameCommand(title, commandText(command)) ? t('Command') : namesFirst(title, entry);
}

interface ToolNameProps {
  readonly title: string;
  /** The title with a base name instead of a path. */
  readonly shown: string;
  readonly open?: boolean;
  /** Undefined without folded content. */
  readonly onToggle?: () => void;
}

function ToolName({ title, shown, open, onToggle }: ToolNameProps): JSX.Element {
  const name = <bdi class="tool-title">{shown}</bdi>;
  if (!onToggle) {
    return (
      <span class="tool-name" title={title}>
        {name}
      </span>
    );
  }
  return (
    <button type="button" class="tool-name" aria-expanded={open} title={title} onClick={onToggle}>
      {name}
    </button>
  );
}

/** Shown below the row without unfolding it. */
interface Body {
  readonly cards: readonly ToolContent[];
  /** Output of a command. */
  readonly output: string | undefined;
}

const NO_BODY: Body = { cards: [], output: undefined };

/** A pending request shows diffs and commands itself: a command that waits has neither output nor a duration. */
function bodyOf(entry: ToolEntry, terminals: SessionState['terminals'] = {}): Body {
  const cards = entry.content.filter((content) => {
    if (content.type === 'terminal') return entry.waiting === 0 || (terminals[content.terminalId]?.output ?? '') !== '';
    return content.type === 'diff' && entry.waiting === 0;
  });
  return { cards, output: commandOutput(entry) };
}

function hasBody({ cards, output }: Body): boolean {
  return cards.length > 0 || output !== undefined;
}

function Card({
  content,
  title,
  applied,
}: {
  content: ToolContent;
  title: string;
  applied: boolean;
}): JSX.Element | null {
  if (content.type === 'diff') return <DiffCard diff={content} applied={applied} />;
  if (content.type === 'terminal') return <TerminalCard terminalId={content.terminalId} title={title} />;
  return null;
}

/** Always read out; common statuses show an icon only. */
export function Status({ status }: { status: DisplayStatus }): JSX.Element {
  return (
    <span class={`tool-status ${status}`}>
      {status === 'done' && <Icon name="check" />}
      {status === 'running' && <Icon name="loading" class="spin" />}
      <span role="status" aria-live="off" class={status === 'done' ? 'hidden-text' : ''}>
        {STATUS_LABELS[status]}
      </span>
    </span>
  );
}
