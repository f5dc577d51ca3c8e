import type { ReadonlySignal, Signal } from '@preact/signals';
import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { firstLine, truncate } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import { nextListIndex } from '../../controls/listNavigation';
import type { ChatStore } from '../chatStore';
import { usePage } from '../pageContext';
import type { MessageMark } from './messageMarks';
import { MARK_HEIGHT_PX, marksOf, placesOfMessages } from './messageMarks';
import type { FilesByMessage } from './messagePreview';
import { MessagePreview, describeFiles } from './messagePreview';

/** Minimum width of a page with a rail, in pixels; also in media/chat/messageRail.css. */
const MIN_WIDTH_PX = 600;
const MIN_MESSAGES = 3;
const MAX_TITLE = 200;

interface MessageRailProps {
  /** The scrolling conversation, which contains the rail. */
  readonly log: { readonly current: HTMLElement | null };
}

/**
 * A mark for each message of the user, beside the scroll bar. It shows what the message changed, and scrolls to the
 * message.
 */
export function MessageRail({ log }: MessageRailProps): JSX.Element | null {
  const { store, events } = usePage();
  const rail = useRef<HTMLDivElement>(null);
  const height = useRailHeight(log);
  const marks = useMarks(store, height);
  const files = useComputed(() => filesByMessage(store));
  /** The message whose mark has the tab stop, and the one whose preview is shown. */
  const current = useSignal<number | undefined>(undefined);
  const shown = useSignal<number | undefined>(undefined);
  if (marks.length === 0) return null;
  const found = marks.findIndex(({ entries }) => entries.some((entry) => entry === current.value));
  const tabStop = found < 0 ? marks.length - 1 : found;
  const firsts = firstTurns(marks);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Escape') events.focusComposer.fire();
    const next = nextListIndex(event.key, tabStop, marks.length);
    if (next === undefined) return;
    event.preventDefault();
    rail.current?.querySelectorAll('button')[next]?.focus({ preventScroll: true });
  };
  return (
    <div class="rail-anchor">
      <div
        class="message-rail"
        role="toolbar"
        aria-label={t('Turn timeline')}
        aria-orientation="vertical"
        style={{ blockSize: `${height.value}px` }}
        ref={rail}
        onKeyDown={onKeyDown}
      >
        {marks.map((mark, at) => {
          const place = { mark, first: firsts[at] ?? 1, isTabStop: at === tabStop };
          return <Mark key={mark.entries[0]} {...place} {...{ current, shown, files, height }} />;
        })}
      </div>
    </div>
  );
}

function useMarks(store: ChatStore, height: ReadonlySignal<number>): readonly MessageMark[] {
  const places = useComputed(() => placesAtTurns(store));
  return useComputed(() => {
    if (height.value === 0 || places.value.length < MIN_MESSAGES) return [];
    return marksOf(places.value, height.value);
  }).value;
}

/** During a turn only a new message changes the result: a streaming answer costs nothing. */
function placesAtTurns(store: ChatStore): ReturnType<typeof placesOfMessages> {
  if (store.turn.value.status !== 'running') void store.entryCount.value;
  return store.state ? placesOfMessages(store.state.entries) : [];
}

function filesByMessage(store: ChatStore): FilesByMessage {
  return new Map([...store.turnEnds.value.values()].map(({ entry, files = [] }) => [entry, files]));
}

/** 0 where the page is too narrow. */
function useRailHeight(log: MessageRailProps['log']): ReadonlySignal<number> {
  const height = useSignal(0);
  useLayoutEffect(() => {
    const { current } = log;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => {
      height.value = current.offsetWidth < MIN_WIDTH_PX ? 0 : current.clientHeight;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [log, height]);
  return height;
}

interface MarkProps {
  readonly mark: MessageMark;
  /** Number of its first turn, from 1. */
  readonly first: number;
  readonly isTabStop: boolean;
  readonly current: Signal<number | undefined>;
  readonly shown: Signal<number | undefined>;
  readonly files: ReadonlySignal<FilesByMessage>;
  readonly height: ReadonlySignal<number>;
}

function Mark(props: MarkProps): JSX.Element {
  const { store } = usePage();
  const { mark, shown, files, height } = props;
  const { top, entries } = mark;
  const [entry] = entries;
  const titles = useComputed(() => new Map(entries.map((each) => [each, titleOf(store, each)]))).value;
  const isShown = useComputed(() => shown.value === entry).value;
  const hide = (): void => void (shown.value = undefined);
  return (
    <div
      class={entries.length > 1 ? 'rail-place several' : 'rail-place'}
      style={{ top: `${top}px` }}
      onMouseEnter={() => void (shown.value = entry)}
      onMouseLeave={hide}
    >
      <MarkButton {...props} title={titles.get(entry) ?? ''} />
      {isShown && (
        <MessagePreview titles={titles} files={files.value} room={roomFor(top, height.value)} onEscape={hide} />
      )}
    </div>
  );
}

function MarkButton({
  mark,
  first,
  isTabStop,
  current,
  shown,
  files,
  title,
}: MarkProps & { title: string }): JSX.Element {
  const { store, events } = usePage();
  const { entries } = mark;
  const [entry] = entries;
  const onFocus = (): void => {
    current.value = entry;
    shown.value = entry;
  };
  const hide = (): void => void (shown.value = undefined);
  const go = (): void => {
    hide();
    events.reveal.fire({ entry });
  };
  return (
    <button
      type="button"
      class="rail-mark"
      tabIndex={isTabStop ? 0 : -1}
      aria-label={turnsLabel(first, entries.length)}
      aria-description={[title, describeFiles(entries, files.value)].filter(Boolean).join('. ')}
      data-vscode-context={contextOf(mark, store)}
      onFocus={onFocus}
      onBlur={hide}
      onClick={go}
    />
  );
}

function firstTurns(marks: readonly MessageMark[]): readonly number[] {
  let next = 1;
  return marks.map(({ entries }) => {
    const first = next;
    next += entries.length;
    return first;
  });
}

/** Not the message's words: an accessible name of a button must not look like an answer of a permission request. */
function turnsLabel(first: number, count: number): string {
  return count > 1 ? t('Turns {0} to {1}', first, first + count - 1) : t('Turn {0}', first);
}

/** The larger part of the rail, above or below a mark: a preview that does not fit would enlarge the conversation. */
function roomFor(top: number, height: number): { readonly side: 'above' | 'below'; readonly pixels: number } {
  const below = height - top;
  const above = top + MARK_HEIGHT_PX;
  return below >= above ? { side: 'below', pixels: below } : { side: 'above', pixels: above };
}

/** A message of an imported or loaded session is not the user's own text. */
function titleOf(store: ChatStore, index: number): string {
  const entry = store.entry(index)?.value.value;
  const line = entry?.kind === 'user' ? firstLine(entry.text) : '';
  return line === '' ? t('Attachments only') : escapeInvisibleInline(truncate(line, MAX_TITLE));
}

/** The context of VS Code's context menu. Of several messages it applies to the first: a restore undoes all turns of the mark. */
function contextOf({ entries: [entry] }: MessageMark, store: ChatStore): string {
  const hasCheckpoint = store.checkpoints.value.some((each) => each.entry === entry);
  return JSON.stringify({ webviewSection: 'entry', entry, ...(hasCheckpoint && { checkpoint: true }) });
}
