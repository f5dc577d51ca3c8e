import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisible, escapeInvisibleInline } from '../../../base/untrustedText';
import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import type { Queue as QueueState, QueuePauseReason, QueuedMessage } from '../../../shared/state/messageQueueState';
import { pauseText } from '../../../shared/text/statusText';
import { Icon, IconButton } from '../../controls/icon';
import { editOf, queuedKey, storeEdit } from '../../page/messageEditMemory';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { BackgroundPanel } from '../panels/backgroundPanel';

const MessageEditor = lazyComponent(async () => (await import('./messageEditor')).MessageEditor, 'soon');

/** MIME type of a dragged message. */
const DRAGGED = 'application/x-parley-queued';

/** Background work and the queued messages, above the message box. */
export function QueuedMessages(): JSX.Element {
  return (
    <>
      <BackgroundPanel />
      <Queue />
    </>
  );
}

function Queue(): JSX.Element | null {
  const { store } = usePage();
  const queue = store.queue.value;
  const editing = useEditing(queue);
  if (queue.messages.length === 0) return null;
  return (
    <section class="bar-box queue" aria-label={t('Queue')}>
      <QueueBar queue={queue} />
      <ul class="dock-list queued" aria-label={t('Queued messages')}>
        {queue.messages.map((message, at) => (
          <Item key={message.id} message={message} at={at} queue={queue} editing={editing} />
        ))}
      </ul>
    </section>
  );
}

function QueueBar({ queue }: { queue: QueueState }): JSX.Element {
  const { messages, paused } = queue;
  const count = messages.length === 1 ? t('1 queued message') : t('{0} queued messages', messages.length);
  return (
    <div class="queue-bar">
      <Icon name={paused ? 'debug-pause' : 'clock'} />
      <span class="queue-text" dir="auto">
        {paused ? pauseText(paused) : count}
      </span>
      {paused && <QueueAnswers paused={paused} />}
    </div>
  );
}

/** What the user can do about a pause. */
function QueueAnswers({ paused }: { paused: QueuePauseReason }): JSX.Element {
  const { post, events } = usePage();
  const answer = (message: PageMessage): void => {
    post(message);
    // The button disappears.
    events.focusComposer.fire();
  };
  return (
    <>
      {paused.why === 'budget' && !paused.stopped && (
        <>
          <button
            type="button"
            class="button small primary"
            onClick={() => answer({ type: 'answerBudget', continues: true })}
          >
            {t('Continue')}
          </button>
          <button type="button" class="button small" onClick={() => answer({ type: 'answerBudget', continues: false })}>
            {t('Stop')}
          </button>
        </>
      )}
      {paused.why !== 'notSent' && (paused.why !== 'budget' || paused.stopped) && (
        <button
          type="button"
          class="button small"
          title={t('Resume queue')}
          onClick={() => answer({ type: 'resumeQueue' })}
        >
          {t('Resume')}
        </button>
      )}
    </>
  );
}

/** The message being edited. The host holds it back; the edit survives a reload. */
function useEditing(queue: QueueState): Signal<string | undefined> {
  const { store, memory, post } = usePage();
  const session = (store.epoch.value !== undefined && store.state?.id) || '';
  const editedId = queue.messages.find(({ id }) => editOf(memory.load(), queuedKey(session, id)))?.id;
  const editing = useSignal<string | undefined>(editedId);
  const shown = useRef(session);
  if (shown.current !== session) {
    // Must run first: the host still holds a message back that is being edited.
    shown.current = session;
    editing.value = editedId;
  }
  const isThere = queue.messages.some(({ id }) => id === editing.value);
  const heldId = editing.value !== undefined && isThere ? editing.value : undefined;
  const announced = useRef<{ readonly session: string; readonly heldId: string | undefined }>(undefined);
  useEffect(() => {
    const before = announced.current?.session === session ? announced.current.heldId : undefined;
    announced.current = { session, heldId };
    // A page only releases its own hold, also before the host has confirmed it; other pages have their own.
    if (heldId !== before) post({ type: 'holdQueued', ...(heldId !== undefined && { id: heldId }) });
  }, [heldId, session, post]);
  return editing;
}

interface ItemProps {
  readonly message: QueuedMessage;
  readonly at: number;
  readonly queue: QueueState;
  readonly editing: Signal<string | undefined>;
}

function Item(props: ItemProps): JSX.Element {
  const { message, at, queue, editing } = props;
  const { store } = usePage();
  const { id } = message;
  const { move, onKeyDown } = useMoving(props);
  const drag = useDrag(message, at);
  if (editing.value === id) {
    return (
      <li class="queued-item" data-queued={id}>
        <QueuedEditor message={message} memoryKey={queuedKey(store.state?.id ?? '', id)} editing={editing} />
      </li>
    );
  }
  return (
    <li
      class={drag.isOver ? 'queued-item drop-here' : 'queued-item'}
      data-queued={id}
      onKeyDown={onKeyDown}
      {...drag.handlers}
    >
      <QueuedText message={message} isNext={queue.next === id} />
      <ItemActions
        message={message}
        at={at}
        count={queue.messages.length}
        onMove={move}
        onEdit={() => (editing.value = id)}
      />
    </li>
  );
}

/** Moves a message by buttons, and by Alt and an arrow. */
function useMoving({ message: { id }, at, queue }: ItemProps): {
  readonly move: (to: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
} {
  const { post } = usePage();
  const move = (to: number): void => {
    if (to < 0 || to >= queue.messages.length) return;
    post({ type: 'moveQueued', id, to });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    move(at + (event.key === 'ArrowUp' ? -1 : 1));
  };
  return { move, onKeyDown };
}

function QueuedText({ message, isNext }: { message: QueuedMessage; isNext: boolean }): JSX.Element {
  const { id, text, attachments } = message;
  const labels = attachments.map(({ label }) => escapeInvisibleInline(label)).join('\n');
  return (
    <>
      <span class="queued-text" id={`queued-${id}`} title={escapeInvisible(text)} dir="auto">
        {text.trim() === '' ? t('Attachments only') : escapeInvisibleInline(text)}
      </span>
      {attachments.length > 0 && (
        <span class="queued-count muted" title={labels}>
          <Icon name="attach" />
          <span aria-hidden="true">{attachments.length}</span>
          <span class="hidden-text">
            {attachments.length === 1 ? t('1 attachment') : t('{0} attachments', attachments.length)}
          </span>
        </span>
      )}
      {isNext && <span class="queued-next muted">{t('Sending…')}</span>}
    </>
  );
}

interface ItemActionsProps {
  readonly message: QueuedMessage;
  readonly at: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onEdit: () => void;
}

function ItemActions({ message, at, count, onMove, onEdit }: ItemActionsProps): JSX.Element {
  const { post, store } = usePage();
  const { id } = message;
  const connection = store.connection.value;
  const isRunning = store.turn.value.status === 'running';
  const canSteer = connection.status === 'ready' && connection.steers === true;
  const how = canSteer ? t('Send now to the current turn') : t('Stop this turn and send now');
  return (
    <span class="queued-actions" role="group" aria-labelledby={`queued-${id}`}>
      {at > 0 && (
        <IconButton icon="arrow-up" label={t('Move up')} title={t('Move up (Alt+Up)')} onClick={() => onMove(at - 1)} />
      )}
      {at < count - 1 && (
        <IconButton
          icon="arrow-down"
          label={t('Move down')}
          title={t('Move down (Alt+Down)')}
          onClick={() => onMove(at + 1)}
        />
      )}
      <IconButton icon="edit" label={t('Edit')} onClick={onEdit} />
      <IconButton icon="trash" label={t('Remove')} onClick={() => post({ type: 'removeQueued', id })} />
      <IconButton
        icon="send"
        label={t('Send now')}
        title={isRunning ? how : t('Send now')}
        onClick={() => post({ type: 'sendQueued', id })}
      />
    </span>
  );
}

interface QueuedEditorProps {
  readonly message: QueuedMessage;
  readonly memoryKey: string;
  readonly editing: Signal<string | undefined>;
}

function QueuedEditor({ message, memoryKey, editing }: QueuedEditorProps): JSX.Element {
  const { post, memory, events } = usePage();
  const { id } = message;
  const end = (): void => {
    editing.value = undefined;
    events.focusComposer.fire();
  };
  return (
    <MessageEditor
      label={t('Edit queued message')}
      message={{ text: message.text, attached: message.attachments }}
      memoryKey={memoryKey}
      submitLabel={t('Save')}
      onSubmit={(text, attachments) => {
        memory.save(storeEdit(memory.load(), memoryKey, undefined));
        post({ type: 'changeQueued', id, text, attachments });
        end();
      }}
      onCancel={end}
    />
  );
}

interface Drag {
  readonly isOver: boolean;
  readonly handlers: {
    readonly draggable: true;
    readonly onDragStart: (event: DragEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDragLeave: () => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

function useDrag({ id }: QueuedMessage, at: number): Drag {
  const { post } = usePage();
  const isOver = useSignal(false);
  const handlers: Drag['handlers'] = {
    draggable: true,
    onDragStart: ({ dataTransfer }) => {
      dataTransfer?.setData(DRAGGED, id);
      if (dataTransfer) dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event) => {
      if (!event.dataTransfer?.types.includes(DRAGGED)) return;
      event.preventDefault();
      isOver.value = true;
    },
    onDragLeave: () => void (isOver.value = false),
    onDrop: (event) => {
      isOver.value = false;
      const dropped = event.dataTransfer?.getData(DRAGGED) ?? '';
      if (dropped === '') return;
      event.preventDefault();
      if (dropped !== id) post({ type: 'moveQueued', id: dropped, to: at });
    },
  };
  return { isOver: isOver.value, handlers };
}
