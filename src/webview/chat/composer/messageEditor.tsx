import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import type { Attachment } from '../../../shared/state/attachments';
import { attachmentKey } from '../../../shared/state/attachments';
import { usePopover } from '../../controls/usePopover';
import type { Draft } from '../../page/draftMemory';
import { editOf, storeEdit } from '../../page/messageEditMemory';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { AttachedChip } from './attachedChip';
import type { CommandCompletion } from './commandCompletion';
import { CommandHint } from './commandCompletion';
import { unknownCommand } from './commandText';
import { removeMention } from './mentionText';
import { placeCaret } from './placeCaret';
import { sendOf } from './stopKeys';
import type { ComposerAttachments } from './useAttachments';
import { createAttach, useDrop, useFiles } from './useAttachments';
import { completionHandlers, useCompletion } from './useCompletion';

const AttachmentRemarks = lazyComponent(async () => (await import('./refusals')).AttachmentRemarks);
const MentionColors = lazyComponent(async () => (await import('./mentionColors')).MentionColors);
const CommandRefusal = lazyComponent(async () => (await import('./refusals')).CommandRefusal);

interface MessageEditorProps {
  readonly label: string;
  readonly message: Draft;
  /** Storage key of the edit: see `messageEditMemory.ts`. */
  readonly memoryKey: string;
  readonly submitLabel: string;
  readonly onSubmit: (text: string, attachments: readonly Attachment[]) => void;
  readonly onCancel: () => void;
  /** The edit is being submitted: the box is read-only. */
  readonly busy?: boolean;
  /** Why submitting failed. */
  readonly problem?: string | undefined;
}

/** Edits a message in place: Enter submits, Escape cancels. Completes as the message box does. Edits survive a reload. */
export function MessageEditor(props: MessageEditorProps): JSX.Element {
  const { label, submitLabel, busy = false, problem } = props;
  const { text, attached, remarks } = useEdit(props);
  const { attach, askFor } = useAttach(attached, remarks, busy);
  const { takeFiles, onPaste } = useFiles(attach);
  const drop = useDrop(takeFiles, askFor);
  const completion = useCompletion(text, {
    attach: (one) => attach([one], []),
    attachFrom: (source) => askFor({ type: 'attachFrom', source }),
  });
  const { refused, submit, submitAsText } = useSubmit(props, text, attached);
  const isEmpty = text.value.trim() === '' && attached.value.length === 0;
  const cancel = useCancel(props);
  const { store } = usePage();
  const sends = (event: KeyboardEvent): boolean => sendOf(event, store.environment.peek()) !== undefined;
  const onKeyDown = onEditKey(busy ? undefined : completion, sends, submit, cancel);
  return (
    <div
      class={drop.isOver && !busy ? 'message-editor drop-here' : 'message-editor'}
      role="group"
      aria-label={label}
      onPaste={onPaste}
      {...drop.handlers}
    >
      {remarks.value.length > 0 && <AttachmentRemarks remarks={remarks} />}
      <EditedAttachments text={text} attached={attached} busy={busy} />
      {refused.value !== undefined && <CommandRefusal refused={refused} text={text} onSend={submitAsText} />}
      <EditBox {...{ label, text, attached, busy, completion, onKeyDown }} />
      {problem !== undefined && (
        <p class="editor-problem" role="alert" dir="auto">
          {problem}
        </p>
      )}
      <Buttons {...{ submitLabel, busy, isEmpty }} onSubmit={submit} onCancel={cancel} />
    </div>
  );
}

function onEditKey(
  completion: CommandCompletion | undefined,
  sends: (event: KeyboardEvent) => boolean,
  submit: () => void,
  cancel: () => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (completion?.onKey(event)) return event.stopPropagation();
    if (event.key === 'Escape') cancel();
    else if (sends(event)) submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

interface ButtonsProps extends Pick<MessageEditorProps, 'submitLabel' | 'onCancel'> {
  readonly busy: boolean;
  readonly isEmpty: boolean;
  readonly onSubmit: () => void;
}

function Buttons({ submitLabel, busy, isEmpty, onSubmit, onCancel }: ButtonsProps): JSX.Element {
  return (
    <div class="editor-buttons">
      <button type="button" class="button small" aria-disabled={busy} onClick={onCancel}>
        {t('Cancel')}
      </button>
      <button type="button" class="button small primary" aria-disabled={busy || isEmpty} onClick={onSubmit}>
        {busy ? t('Sending…') : submitLabel}
      </button>
    </div>
  );
}

/** Rejects an unknown command: see `CommandRefusal`. */
function useSubmit(
  { onSubmit, busy = false }: MessageEditorProps,
  text: Signal<string>,
  attached: Signal<readonly Attachment[]>,
): { readonly refused: Signal<string | undefined>; readonly submit: () => void; readonly submitAsText: () => void } {
  const { store } = usePage();
  const refused = useSignal<string | undefined>(undefined);
  const submitAsText = (): void => {
    if (busy || (text.peek().trim() === '' && attached.peek().length === 0)) return;
    refused.value = undefined;
    onSubmit(text.peek(), attached.peek());
  };
  const submit = (): void => {
    const unknown = unknownCommand(text.peek(), store.commands.peek(), store.allCommands.peek());
    if (unknown === undefined) submitAsText();
    else refused.value = text.peek();
  };
  return { refused, submit, submitAsText };
}

/** Handles attachments, also those that the host returns. Disabled while busy. */
function useAttach(
  attached: Signal<readonly Attachment[]>,
  remarks: Signal<readonly string[]>,
  busy: boolean,
): { readonly attach: ComposerAttachments['attach']; readonly askFor: (message: PageMessage) => void } {
  const { attachTarget, post } = usePage();
  const attach = createAttach(attached, remarks);
  const box = useRef<Element>(null);
  const own = useRef<ComposerAttachments['attach']>(undefined);
  const askFor = (message: PageMessage): void => {
    if (busy) return;
    box.current = document.activeElement;
    own.current = attachTarget.value = (added, why) => {
      attachTarget.value = undefined;
      attach(added, why);
      if (box.current instanceof HTMLElement) box.current.focus();
    };
    post(message);
  };
  useEffect(
    () => () => {
      // Another editor may wait for its own attachments.
      if (attachTarget.peek() === own.current) attachTarget.value = undefined;
    },
    [attachTarget],
  );
  return { attach: busy ? () => undefined : attach, askFor };
}

/** The stored edit after a reload, else the message. */
function useEdit({ message, memoryKey }: MessageEditorProps): {
  readonly text: Signal<string>;
  readonly attached: Signal<readonly Attachment[]>;
  readonly remarks: Signal<readonly string[]>;
} {
  const { memory } = usePage();
  const first = editOf(memory.load(), memoryKey) ?? message;
  const text = useSignal(first.text);
  const attached = useSignal(first.attached);
  const remarks = useSignal<readonly string[]>([]);
  const current = { text: text.value, attached: attached.value };
  // Synchronous: the page may be destroyed at any time.
  useLayoutEffect(
    () => memory.save(storeEdit(memory.load(), memoryKey, current)),
    [current.text, current.attached, memoryKey, memory],
  );
  return { text, attached, remarks };
}

function useCancel({ memoryKey, onCancel, busy }: MessageEditorProps): () => void {
  const { memory } = usePage();
  return () => {
    if (busy) return;
    memory.save(storeEdit(memory.load(), memoryKey, undefined));
    onCancel();
  };
}

interface AttachedProps {
  readonly text: Signal<string>;
  readonly attached: Signal<readonly Attachment[]>;
  readonly busy: boolean;
}

function EditedAttachments({ text, attached, busy }: AttachedProps): JSX.Element | null {
  if (attached.value.length === 0) return null;
  const remove = (one: Attachment): void => {
    if (busy) return;
    text.value = removeMention(text.peek(), one, attached.peek());
    attached.value = attached.peek().filter((other) => other !== one);
  };
  return (
    <div class="attachments">
      <ul class="attached" aria-label={t('Attached')}>
        {attached.value.map((one) => (
          <AttachedChip key={attachmentKey(one)} attachment={one} onRemove={() => remove(one)} />
        ))}
      </ul>
    </div>
  );
}

interface EditBoxProps {
  readonly label: string;
  readonly text: Signal<string>;
  readonly attached: Signal<readonly Attachment[]>;
  readonly busy: boolean;
  readonly completion: CommandCompletion;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function EditBox({ label, text, attached, busy, completion, onKeyDown }: EditBoxProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  // Runs after the user started the edit: restores the caret.
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.focus({ preventScroll: true });
    placeCaret(box.current, text.peek(), text.peek().length);
    box.current.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div class="message-area">
      <CommandHint text={text.value} />
      {attached.value.length > 0 && <MentionColors text={text.value} attached={attached.value} box={box} />}
      <textarea
        ref={box}
        class="message-box"
        aria-label={label}
        {...(!busy && completion.aria)}
        dir="auto"
        rows={2}
        readOnly={busy}
        value={text.value}
        {...completionHandlers(text, attached, completion)}
        onKeyDown={onKeyDown}
      />
      {!busy && completion.list && <OnTop anchor={box} list={completion.list} onAway={completion.close} />}
    </div>
  );
}

interface OnTopProps {
  readonly anchor: { readonly current: HTMLElement | null };
  readonly list: JSX.Element;
  readonly onAway: () => void;
}

function OnTop({ anchor, list, onAway }: OnTopProps): JSX.Element {
  const popup = useRef<HTMLDivElement>(null);
  usePopover(popup, anchor, 'start', onAway);
  return (
    <div class="on-top" popover="manual" ref={popup}>
      {list}
    </div>
  );
}
