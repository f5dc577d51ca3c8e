import { effect, useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { assertNever } from '../../../base/assert';
import { t } from '../../../base/l10n';
import { DisposableStore } from '../../../base/lifecycle';
import { ENTRIES_PER_PAGE } from '../../../shared/state/sessionState';
import type { Entry } from '../../../shared/state/sessionState';
import type { TurnFile, TurnSummary } from '../../../shared/state/turnSummary';
import { formatDuration } from '../../../shared/text/formatDuration';
import { Icon } from '../../controls/icon';
import { StickToEnd, scrollByKeys } from '../../controls/stickToEnd';
import type { ChatStore, EntryCell, EntryPageCells } from '../chatStore';
import { handleConfigOptionKeys } from '../composer/configOptions/configOptionKeys';
import { isStopKey, stopTurn } from '../composer/stopKeys';
import { ErrorBoundary } from '../errorBoundary';
import { lazyComponent } from '../lazyComponent';
import { useEvent, usePage } from '../pageContext';
import { PermissionView } from '../requests/permissionEntry';
import { TurnStatus } from '../text/turnStatus';
import { LineCounts } from '../toolCalls/diffCard';
import type { UnfoldedReads } from '../toolCalls/readGroup';
import { ReadGroup, isRunOpen, toggleRun, useReadRuns } from '../toolCalls/readGroup';
import { ToolCallRow } from '../toolCalls/toolCallRow';
import { CheckpointNote, isRewound } from './checkpointNote';
import { entryHeight } from './entryHeight';
import { handleEntryKeys } from './entryNavigation';
import { AgentMessage, ErrorMessage, Thought, UserMessage } from './messages';
import { useReveal } from './useReveal';

/** Loaded while the page opens: most pages show a conversation. */
const Welcome = lazyComponent(async () => (await import('../welcome')).Welcome, 'soon');
const Elicitation = lazyComponent(async () => (await import('../requests/elicitationCard')).ElicitationCard, 'soon');
const FindBox = lazyComponent(async () => (await import('./findBox')).FindBox, 'soon');
const Compaction = lazyComponent(async () => (await import('./minorEntries')).Compaction);
const MessageRail = lazyComponent(async () => (await import('./messageRail')).MessageRail);
const NoticeView = lazyComponent(async () => (await import('./minorEntries')).NoticeView, 'soon');
const SessionMessageView = lazyComponent(async () => (await import('./minorEntries')).SessionMessageView);
const SubagentRow = lazyComponent(async () => (await import('./subagent')).SubagentRow);
const UnknownUpdate = lazyComponent(async () => (await import('./minorEntries')).UnknownUpdate, 'soon');

/** Milliseconds without many new entries that end a flood. Earlier pages wait for its end: more entries would remove them again. */
const FLOOD_END_MS = 600;
/** Maximum pages in the DOM: about 1,500 entries. "Load earlier" adds more. */
const MAX_PAGES = Math.ceil(1500 / ENTRIES_PER_PAGE);
/** Pages added by one "Load earlier". */
const EARLIER_PAGES = 32;

/** The conversation. A new entry causes rendering of its page of entries only, never of the whole list. */
export function Transcript(): JSX.Element {
  const { store, events } = usePage();
  const isFinding = useSignal(false);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const first = useFirstPage(scroller);
  useStick(scroller, content, first);
  const unfolded = useSignal<ReadonlySet<number>>(new Set());
  useEvent(events.find.event, () => void (isFinding.value = true));
  useEvent(events.reveal.event, ({ entry }) => void (unfolded.value = new Set([...unfolded.peek(), entry])));
  useReveal(scroller, first);
  const pages = Array.from({ length: store.pageCount.value - first.value }, (_, at) => first.value + at);
  return (
    <div class="conversation">
      {isFinding.value && <FindBox log={scroller} onClose={() => (isFinding.value = false)} />}
      <div class="log" role="log" aria-label={t('Conversation')} aria-live="off" tabIndex={0} ref={scroller}>
        <MessageRail log={scroller} />
        <div class="log-content" ref={content} inert={store.isProvisional.value}>
          {store.pageCount.value === 0 && <Welcome />}
          {first.value > 0 && <LoadEarlier first={first} />}
          {pages.map((index) => (
            <EntryPage key={index} index={index} unfolded={unfolded} />
          ))}
          {store.pageCount.value > 0 && <TurnStatus />}
        </div>
      </div>
      <JumpToLatest />
    </div>
  );
}

/**
 * Index of the first page in the DOM: those that fill the view at once, earlier ones when idle, limited unless the user loads more.
 * A loaded session often comes after the page has drawn its beginning.
 */
function useFirstPage(scroller: Ref): Signal<number> {
  const { store, stick } = usePage();
  const first = useSignal(lastPages(store));
  // Before the pages are rendered.
  useLayoutEffect(() => {
    let handle = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let count = store.pageCount.peek();
    const more = (): void => {
      // A stored conversation has no earlier entries.
      if (first.peek() <= count - MAX_PAGES || first.peek() === 0 || store.isProvisional.peek()) return;
      first.value = Math.max(first.peek() - 1, count - MAX_PAGES, 0);
      handle = requestIdleCallback(more);
    };
    const stopFilling = (): void => (clearTimeout(timer), cancelIdleCallback(handle));
    const fill = (delay = 0): void => {
      stopFilling();
      timer = setTimeout(() => (handle = requestIdleCallback(more)), delay);
    };
    const stopWaiting = effect(() => void (store.isProvisional.value || fill()));
    let floodedAt = -Infinity;
    const stop = effect(() => {
      const before = count;
      count = store.pageCount.value;
      const goal = count - MAX_PAGES;
      const isStuck = stick.peek()?.stuck.peek() !== false;
      if (count - before > 2 && isStuck && !isInUse(scroller.current)) {
        first.value = lastPages(store);
        fill(performance.now() - floodedAt < FLOOD_END_MS ? FLOOD_END_MS : 0);
        floodedAt = performance.now();
      } else if (goal > first.peek() && isStuck) {
        // Visible pages stay; only pages far above the end are removed.
        first.value = goal;
      }
    });
    return () => (stop(), stopWaiting(), stopFilling());
  }, [store, first, stick, scroller]);
  return first;
}

/** Index of the first of the last pages that fill the view. */
function lastPages(store: ChatStore): number {
  let page = store.pageCount.peek();
  for (let height = 0; page > 0 && height < window.innerHeight;) height += pageHeight(store.page(--page));
  return page;
}

/** A rough height in CSS pixels; infinite before the first entries of a stored conversation. */
function pageHeight(page: EntryPageCells | undefined): number {
  if (!page || page.cells.length === 0) return Infinity;
  return page.cells.reduce((height, { value }) => height + entryHeight(value.peek()), 0);
}

/** Whether an entry has the focus, or a part of the selection. */
function isInUse(log: HTMLElement | null): boolean {
  const selection = getSelection();
  const isSelected = selection?.isCollapsed === false && selection.containsNode(log ?? document, true);
  return isSelected || (document.activeElement !== log && log?.contains(document.activeElement) === true);
}

type Ref = { current: HTMLDivElement | null };

function useStick(scroller: Ref, content: Ref, first: Signal<number>): void {
  const { store, events, stick, post, report, memory } = usePage();
  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    const log = scroller.current;
    const hasEnd = (): boolean => store.entryCount.peek() > 0;
    const sticking = new StickToEnd(log, content.current, hasEnd);
    if (hasEnd()) sticking.toEnd();
    stick.value = sticking;
    const owned = new DisposableStore();
    const keepPlace = async (session: string): Promise<void> => {
      const { ScrollPosition } = await import('../scrollPosition');
      if (stick.peek() === sticking) owned.add(new ScrollPosition({ log, session, stick: sticking, first, memory }));
    };
    keepPlace(store.state?.id ?? '').catch(report);
    const onKeyDown = (event: KeyboardEvent): void => {
      const { mac } = store.environment.peek();
      if (!event.defaultPrevented && isStopKey(event, mac)) stopTurn(event, store.turn.peek(), post);
      if (isFindKey(event, mac) && !store.tools.open.peek()) {
        event.preventDefault();
        // Not for VS Code: where it does not know that the view has the focus, it opens the find widget of the editor.
        event.stopPropagation();
        events.find.fire();
      }
      handleConfigOptionKeys(event, store.configOptions.peek(), mac, report);
      handleEntryKeys(event, { log, mac, toComposer: () => events.focusComposer.fire() });
      scrollByKeys(event, log);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      owned.dispose();
      sticking.dispose();
      if (stick.peek() === sticking) stick.value = undefined;
    };
  }, [store, events, post, report, scroller, content, stick, first, memory]);
}

/** VS Code's key of *Find in Chat*, handled here too: the way through the extension host may be long. */
function isFindKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent, mac: boolean): boolean {
  return key.toLowerCase() === 'f' && !altKey && !shiftKey && (mac ? metaKey && !ctrlKey : ctrlKey && !metaKey);
}

function LoadEarlier({ first }: { first: Signal<number> }): JSX.Element {
  const load = (): void => {
    first.value = Math.max(0, first.peek() - EARLIER_PAGES);
  };
  return (
    <button type="button" class="link-button load-earlier" onClick={load}>
      {t('Load earlier messages')}
    </button>
  );
}

function JumpToLatest(): JSX.Element | null {
  const { stick } = usePage();
  const isAway = useComputed(() => stick.value?.stuck.value === false).value;
  // Keep the focused button: its removal would lose the focus. A click does not focus it.
  const focused = useSignal(false);
  if (!isAway && !focused.value) return null;
  return (
    <button
      type="button"
      class="jump button"
      aria-label={t('Jump to latest')}
      title={t('Jump to latest')}
      onMouseDown={(event) => event.preventDefault()}
      onFocus={() => void (focused.value = true)}
      onBlur={() => void (focused.value = false)}
      onClick={() => stick.peek()?.toEnd()}
    >
      <Icon name="arrow-down" />
    </button>
  );
}

function EntryPage({ index, unfolded }: { index: number; unfolded: UnfoldedReads }): JSX.Element | null {
  const { store } = usePage();
  const page = store.page(index);
  const runs = useReadRuns(page);
  if (!page) return null;
  const first = index * ENTRIES_PER_PAGE;
  const [open, folded] = [new Set<number>(), new Set<number>()];
  for (const { start, end } of runs) {
    const isOpen = isRunOpen({ start: first + start, end: first + end }, unfolded.value);
    for (let at = start; at < end; at++) (isOpen ? open : folded).add(at);
  }
  return (
    <div class="page">
      {page.cells.slice(0, page.count.value).map((cell, at) => {
        const run = runs.find(({ start }) => start === at);
        return (
          <Fragment key={at}>
            {run && (
              <ReadGroup
                entries={page.cells.slice(run.start, run.end).map(({ value }) => value.value)}
                open={open.has(at)}
                onToggle={() => toggleRun({ start: first + run.start, end: first + run.end }, open.has(at), unfolded)}
              />
            )}
            <Slot cell={cell} index={first + at} isFolded={folded.has(at)} />
          </Fragment>
        );
      })}
    </div>
  );
}

interface SlotProps {
  readonly cell: EntryCell<Entry>;
  readonly index: number;
  /** One row shows this entry together with others. */
  readonly isFolded: boolean;
}

/** One entry. Messages update through their cell; other entries are rendered again when they change. */
function Slot({ cell, index, isFolded }: SlotProps): JSX.Element {
  const { store } = usePage();
  const kind = useComputed(() => cell.value.value.kind).value;
  const isRewoundEntry = useComputed(() => isRewound(store.rewinds.value, index)).value;
  const height = useMemo(() => entryHeight(cell.value.peek()), [cell]);
  return (
    <div
      class={`slot ${kind}-slot height-${height}${isRewoundEntry ? ' rewound' : ''}`}
      data-entry={index}
      data-vscode-context={JSON.stringify({ webviewSection: 'entry', entry: index })}
    >
      <ErrorBoundary what={t('This entry')}>
        <CheckpointNote entry={index} />
        {!isFolded && <EntryBody cell={cell} index={index} />}
        <TurnSummaryLine entry={index} />
      </ErrorBoundary>
    </div>
  );
}

interface EntryProps {
  readonly cell: EntryCell<Entry>;
  /** Index in the session; undefined in a child session. */
  readonly index?: number;
}

/** The content of an entry; also for entries of child sessions. */
function EntryBody({ cell, index }: EntryProps): JSX.Element {
  const kind = useComputed(() => cell.value.value.kind).value;
  if (kind === 'agent') return <AgentMessage cell={cell} {...(index !== undefined && { index })} />;
  if (kind === 'thought') return <Thought cell={cell} />;
  return <Whole cell={cell} {...(index !== undefined && { index })} />;
}

function Whole({ cell, index }: EntryProps): JSX.Element | null {
  const { store } = usePage();
  const entry = cell.value.value;
  switch (entry.kind) {
    case 'user':
      return <UserMessage entry={entry} {...(index !== undefined && { index })} />;
    case 'tool':
      return <ToolCallRow entry={entry} />;
    case 'permission':
      return <PermissionView entry={entry} follows={index !== undefined && entry.tool === index - 1} />;
    case 'elicitation':
      return <Elicitation entry={entry} />;
    case 'notice': {
      const turn = index === undefined ? undefined : store.turnEnds.value.get(index - 1);
      return turn && isCanceledNotice(entry, turn) ? <CanceledTurn turn={turn} /> : <NoticeView entry={entry} />;
    }
    case 'error':
      return <ErrorMessage entry={entry} {...(index !== undefined && { index })} />;
    case 'raw':
      return <UnknownUpdate entry={entry} />;
    case 'compaction':
      return <Compaction entry={entry} />;
    case 'relay':
      return <SessionMessageView entry={entry} />;
    case 'subagent':
      return <SubagentRow entry={entry} View={EntryBody} />;
    case 'agent':
    case 'thought':
      return null;
    default:
      return assertNever(entry);
  }
}

/** Minimum milliseconds for the summary of a turn without tools and files. */
const MIN_TURN_MS = 3_000;

/**
 * The summary of a turn below its last entry; nothing below other entries.
 * @param entry index
 */
function TurnSummaryLine({ entry }: { entry: number }): JSX.Element | null {
  const { store } = usePage();
  const turn = useComputed(() => store.turnEnds.value.get(entry)).value;
  const next = useComputed(() => {
    const after = store.entryCount.value > entry + 1 ? store.entry(entry + 1)?.value.value : undefined;
    return after && turn && isCanceledNotice(after, turn);
  }).value;
  // The next line says when it was canceled.
  if (!turn || next) return null;
  const { ms, tools, unasked = 0, files = [] } = turn;
  if (ms < MIN_TURN_MS && tools === 0 && unasked === 0 && files.length === 0) return null;
  return (
    <div class="turn-summary meta muted" role="note" aria-label={t('Turn summary')}>
      <span>{formatDuration(ms)}</span>
      <TurnFacts turn={turn} />
    </div>
  );
}

/** The notice of a canceled turn, which has no other text and may be in another language. */
function isCanceledNotice(entry: Entry, { stopReason }: TurnSummary): boolean {
  return stopReason === 'cancelled' && entry.kind === 'notice' && entry.text === undefined;
}

function CanceledTurn({ turn }: { turn: TurnSummary }): JSX.Element {
  return (
    <article class="entry turn-summary canceled meta muted" aria-label={t('Notice')}>
      <span>{t('Canceled after {0}', formatDuration(turn.ms))}</span>
      <TurnFacts turn={turn} />
    </article>
  );
}

function TurnFacts({ turn }: { turn: TurnSummary }): JSX.Element {
  const { post } = usePage();
  const { tools, unasked = 0, files = [] } = turn;
  return (
    <>
      {tools > 0 && <span>{tools === 1 ? t('1 tool call') : t('{0} tool calls', tools)}</span>}
      {unasked > 0 && <span>{t('{0} ran without asking', unasked)}</span>}
      {files.length > 0 && (
        <button
          type="button"
          class="turn-files"
          title={[t('Review changes from this turn'), ...files.map(({ label }) => label)].join('\n')}
          onClick={() => post({ type: 'reviewTurn', entry: turn.entry })}
        >
          <span>{files.length === 1 ? t('1 file') : t('{0} files', files.length)}</span>
          <LineCounts added={sum(files, 'added')} removed={sum(files, 'removed')} />
        </button>
      )}
    </>
  );
}

function sum(files: readonly TurnFile[], side: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[side], 0);
}
