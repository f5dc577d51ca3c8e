import type { Signal } from '@preact/signals';
import { effect, useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { DisposableStore } from '../../../base/lifecycle';
import type { Terminal } from '../../../shared/state/terminalState';
import { exitText } from '../../../shared/text/statusText';
import { Elapsed } from '../../controls/elapsed';
import { IconButton } from '../../controls/icon';
import { StickToEnd } from '../../controls/stickToEnd';
import type { EntryCell } from '../chatStore';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { GrowingText } from '../text/growingText';
import { programFirst } from './toolCallTitle';

/** Not needed at first sight. */
const CopyOutput = lazyComponent(async () => (await import('./copyOutput')).CopyOutput);

/** A terminal with live output. `title` is what the row above already shows. */
export function TerminalCard({ terminalId, title }: { terminalId: string; title: string }): JSX.Element {
  const { store, post } = usePage();
  const cell = store.terminal(terminalId);
  const command = useComputed(() => cell.value.value?.command).value;
  const exit = useComputed(() => cell.value.value?.exit).value;
  const hasCommand = command !== undefined;
  // An agent-owned command cannot be stopped from here.
  const isOwn = useComputed(() => cell.value.value?.foreign !== true).value;
  return (
    <div class="card terminal" role="group" aria-label={t('Terminal: {0}', command ?? terminalId)}>
      <div class="card-header">
        {hasCommand && !isSameCommand(title, command) && (
          <span class="terminal-command" dir="ltr" title={command}>
            {programFirst(command)}
          </span>
        )}
        <TerminalState cell={cell} />
        <span class="card-actions">
          {hasCommand && isOwn && !exit && (
            <IconButton
              icon="debug-stop"
              label={t('Stop command')}
              onClick={() => post({ type: 'stopCommand', terminalId })}
            />
          )}
          {hasCommand && (
            <IconButton
              icon="terminal"
              label={t('Show in Terminal')}
              onClick={() => post({ type: 'showTerminal', terminalId })}
            />
          )}
        </span>
      </div>
      <Output cell={cell} />
    </div>
  );
}

const PIPED = t(
  'No pseudo-terminal is available for this command. Colors may be missing, and you cannot type input. See the log for the reason.',
);

export function isSameCommand(title: string, command: string): boolean {
  return title.replaceAll('`', '').trim() === command.trim();
}

/** Duration and exit status. */
function TerminalState({ cell }: { cell: EntryCell<Terminal | undefined> }): JSX.Element {
  const times = useComputed(() => cell.value.value?.startedAt).value;
  const isPiped = useComputed(() => cell.value.value?.tty === false).value;
  const allowed = useComputed(() => cell.value.value?.allowed).value;
  const exit = useComputed(() => cell.value.value?.exit).value;
  if (times === undefined) return <span class="muted meta">{t('output not saved')}</span>;
  const hasFailed = exit !== undefined && exit.code !== 0;
  return (
    <span class="muted meta terminal-state" title={allowed}>
      {allowed !== undefined && (
        <span class="terminal-reason" dir="auto">
          <span>{t('allowed: {0}', allowed)}</span>
        </span>
      )}
      {isPiped && <span title={PIPED}>{t('no pseudo-terminal')}</span>}
      {exit && <span class={hasFailed ? 'failed' : ''}>{t('exit {0}', exitText(exit))}</span>}
      <Elapsed since={times} until={exit?.at} />
    </span>
  );
}

/** Live output, scrolled to the end. */
export function Output({ cell }: { cell: EntryCell<Terminal | undefined> }): JSX.Element {
  const { report } = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const all = useSignal(false);
  const long = useSignal(false);
  const isTruncated = useComputed(() => cell.value.value?.truncated === true).value;
  const isEmpty = useComputed(() => (cell.value.value?.output ?? '') === '').value;
  useLayoutEffect(() => {
    if (!scroller.current || !host.current) return undefined;
    const owned = new DisposableStore();
    owned.add(new StickToEnd(scroller.current, host.current));
    owned.defer(followOutput(cell, host.current, report));
    owned.defer(watchLength(scroller.current, host.current, all, long));
    return () => owned.dispose();
  }, [cell, report, all, long]);
  const canScroll = !isEmpty && !all.value;
  return (
    <>
      <CopyOutput cell={cell} />
      <div
        class={`terminal-output code ${all.value ? 'whole' : ''}`}
        ref={scroller}
        tabIndex={canScroll ? 0 : -1}
        hidden={isEmpty}
        dir="ltr"
      >
        {isTruncated && <p class="muted meta">{t('Earlier output was discarded.')}</p>}
        <div ref={host} />
      </div>
      {long.value && <ShowAll all={all} />}
    </>
  );
}

function ShowAll({ all }: { all: Signal<boolean> }): JSX.Element {
  return (
    <button
      type="button"
      class="link-button card-more"
      aria-expanded={all.value}
      onClick={() => (all.value = !all.value)}
    >
      {all.value ? t('Show less') : t('Show all')}
    </button>
  );
}

/** Sets `long` while the output exceeds the collapsed size; fully shown output stays open. */
function watchLength(
  scroller: HTMLElement,
  host: HTMLElement,
  all: Signal<boolean>,
  long: Signal<boolean>,
): () => void {
  let frame = 0;
  const updateLong = (): void => {
    if (!all.peek()) long.value = scroller.scrollHeight > scroller.clientHeight;
  };
  let height = 0;
  // Deferred: the button changes sizes that this frame observes.
  const observer = new ResizeObserver(() => {
    const isSmaller = host.offsetHeight < height;
    height = host.offsetHeight;
    // Each part of a long output would cause a second frame.
    if (long.peek() && !isSmaller) return;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(updateLong);
  });
  observer.observe(scroller);
  observer.observe(host);
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
  };
}

/** Renders output into `host`. The terminal screen is a lazy chunk: most conversations run no command. */
function followOutput(
  cell: EntryCell<Terminal | undefined>,
  host: HTMLElement,
  report: (error: unknown) => void,
): () => void {
  const owned = new DisposableStore();
  const start = async (): Promise<void> => {
    const { TerminalOutputView } = await import('../../terminal/terminalOutput');
    if (owned.isDisposed) return;
    const screen = owned.add(new TerminalOutputView(host));
    const text = new GrowingText({ push: (data) => screen.write(data), restart: () => screen.reset() });
    owned.defer(effect(() => text.follow(cell.value.value?.output ?? '', cell.appended)));
  };
  start().catch(report);
  return () => owned.dispose();
}
