import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { CompactionEntry } from '../../../shared/state/compactionState';
import type { CheckpointRewind } from '../../../shared/state/reviewState';
import type { SessionMessageEntry } from '../../../shared/state/sessionMessageState';
import type { NoticeEntry, PromptExpansion, UnknownEntry } from '../../../shared/state/sessionState';
import { compactionLabel } from '../../../shared/text/statusText';
import { CollapsibleText, prettyJson } from '../../controls/collapsibleText';
import { Icon } from '../../controls/icon';
import { usePage } from '../pageContext';
import { Blocks } from '../text/blockViews';
import { Markdown } from '../text/markdownText';

/** A context compaction: one muted line with a collapsed summary. */
export function Compaction({ entry }: { entry: CompactionEntry }): JSX.Element {
  const open = useSignal(false);
  const isRunning = entry.status === 'in_progress';
  const canFold = entry.text !== '' || entry.blocks.length > 0;
  const line = (
    <>
      <Icon name={isRunning ? 'loading' : 'fold'} class={isRunning ? 'spin' : ''} />
      <span>{compactionLabel(entry)}</span>
    </>
  );
  return (
    <article class="entry compaction" aria-label={t('Compaction')}>
      {canFold ? (
        <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          <Icon name="chevron-right" class="chevron" />
          {line}
        </button>
      ) : (
        <span class="fold">{line}</span>
      )}
      {canFold && open.value && (
        <div class="thought-body">
          <Markdown text={entry.text} finished={!isRunning} />
          {entry.blocks.length > 0 && <Blocks blocks={entry.blocks} />}
        </div>
      )}
    </article>
  );
}

/** A message from one session to another. */
export function SessionMessageView({ entry }: { entry: SessionMessageEntry }): JSX.Element {
  return (
    <article class="entry relay" aria-label={t('Message between agents')}>
      <p class="muted meta">
        <Icon name="mail" /> {relayTitle(entry)}
      </p>
      <Markdown text={entry.text} />
      {entry.blocks.length > 0 && <Blocks blocks={entry.blocks} />}
    </article>
  );
}

function relayTitle({ from, to }: SessionMessageEntry): string {
  if (from !== undefined && to !== undefined) return t('Message from {0} to {1}', from, to);
  if (from !== undefined) return t('Message from {0}', from);
  return to === undefined ? t('Message') : t('Message to {0}', to);
}

/** An unknown update, shown as JSON (I4). */
export function UnknownUpdate({ entry }: { entry: UnknownEntry }): JSX.Element {
  return (
    <article class="entry raw" aria-label={t('Raw update')}>
      <details>
        <summary class="muted">
          <Icon name="json" /> {entry.label}
        </summary>
        <CollapsibleText text={prettyJson(entry.value)} />
      </details>
    </article>
  );
}

/** The text that replaced the name of a prompt. */
export function ExpandedPrompt({ expansion }: { expansion: PromptExpansion }): JSX.Element {
  const { post } = usePage();
  const { path } = expansion;
  return (
    <details class="sent-prompt">
      <summary>{t('Sent: {0}', expansion.label)}</summary>
      <CollapsibleText text={expansion.text} lines={20} />
      {path !== undefined && (
        <button type="button" class="button" onClick={() => post({ type: 'openFile', path })}>
          {t('Open prompt file')}
        </button>
      )}
    </details>
  );
}

const NOTICE_ICONS = { info: 'info', warning: 'warning', error: 'error' } as const;

export function NoticeView({ entry }: { entry: NoticeEntry }): JSX.Element {
  const { post } = usePage();
  const { session } = entry;
  return (
    <article class={`entry notice ${entry.severity}`} aria-label={t('Notice')}>
      <Icon name={NOTICE_ICONS[entry.severity] ?? 'info'} />
      <div>
        <strong dir="auto">{entry.title}</strong>
        {entry.text !== undefined && (
          <p class="muted" dir="auto">
            {entry.text}
          </p>
        )}
        {session !== undefined && (
          <button type="button" class="link-button" onClick={() => post({ type: 'openSession', id: session })}>
            {t('Open Session')}
          </button>
        )}
      </div>
    </article>
  );
}

/** Names a restored checkpoint, with a button to undo the restore. */
export function RestoreNote({ rewind }: { rewind: CheckpointRewind }): JSX.Element {
  const { store, post } = usePage();
  const isLast = useComputed(() => store.rewinds.value.at(-1) === rewind).value;
  const note = useRef<HTMLDivElement>(null);
  // The note moves its message down: the focus in there stays on the screen.
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (note.current?.closest('.slot')?.contains(activeElement)) activeElement?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div class="rewind" role="note" aria-label={t('Checkpoint restored')} ref={note}>
      <Icon name="history" />
      <span>
        {t('Files were restored to the state before this message')}{' '}
        {isLast && (
          <button
            type="button"
            class="link-button"
            onClick={() => post({ type: 'undoRestore', undoId: rewind.undoId })}
          >
            {t('Undo Restore')}
          </button>
        )}
      </span>
    </div>
  );
}
