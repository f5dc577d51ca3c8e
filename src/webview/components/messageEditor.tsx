import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../base/l10n';
import type { Attachment } from '../../shared/attachments';
import { attachmentKey, withAttachments } from '../../shared/attachments';
import type { Draft } from '../drafts';
import { editOf, withEdit } from '../edits';
import { AttachedChip, Remarks } from './attachments';
import { placeCaret } from './caret';
import { usePage } from './context';
import { useFiles } from './useAttachments';

interface MessageEditorProps {
  /** Of the box. */
  readonly label: string;
  /** The message as it is. */
  readonly message: Draft;
  /** Under which the page keeps what was changed: see `edits.ts`. */
  readonly memoryKey: string;
  /** Of the button that takes the change. */
  readonly submitLabel: string;
  readonly onSubmit: (text: string, attachments: readonly Attachment[]) => void;
  readonly onCancel: () => void;
  /** It is being taken: nothing can be changed any more. */
  readonly busy?: boolean;
  /** Why the change was not taken. */
  readonly problem?: string | undefined;
}

/** A message in its place, to be changed: Enter takes the change, Escape leaves it. What is typed survives a reload. */
export function MessageEditor(props: MessageEditorProps): JSX.Element {
  const { label, submitLabel, onSubmit, busy = false, problem } = props;
  const { text, attached, remarks, attach } = useEdit(props);
  const { takeFiles, onPaste } = useFiles(attach);
  const isEmpty = text.value.trim() === '' && attached.value.length === 0;
  const submit = (): void => {
    if (!busy && !isEmpty) onSubmit(text.peek(), attached.peek());
  };
  const cancel = useCancel(props);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') cancel();
    else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="message-editor" role="group" aria-label={label} onPaste={onPaste} {...fileDrop(takeFiles)}>
      <Remarks remarks={remarks} />
      <Attached attached={attached} busy={busy} />
      <EditBox label={label} text={text} busy={busy} onKeyDown={onKeyDown} />
      {problem !== undefined && (
        <p class="editor-problem" role="alert" dir="auto">
          {problem}
        </p>
      )}
      <div class="editor-buttons">
        <button type="button" class="button small" aria-disabled={busy} onClick={cancel}>
          {t('Cancel')}
        </button>
        <button type="button" class="button small primary" aria-disabled={busy || isEmpty} onClick={submit}>
          {busy ? t('Sending…') : submitLabel}
        </button>
      </div>
    </div>
  );
}

function fileDrop(takeFiles: (files: FileList) => void): Record<'onDragOver' | 'onDrop', (event: DragEvent) => void> {
  return {
    onDragOver: (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault(),
    onDrop: (event) => {
      const files = event.dataTransfer?.files;
      if (!files || files.length === 0) return;
      event.preventDefault();
      takeFiles(files);
    },
  };
}

/** What is being changed, as it was left before a reload, else the message as it is. */
function useEdit({ message, memoryKey }: MessageEditorProps): {
  readonly text: Signal<string>;
  readonly attached: Signal<readonly Attachment[]>;
  readonly remarks: Signal<readonly string[]>;
  readonly attach: (added: readonly Attachment[], why: readonly string[]) => void;
} {
  const { memory } = usePage();
  const first = editOf(memory.load(), memoryKey) ?? message;
  const text = useSignal(first.text);
  const attached = useSignal(first.attached);
  const remarks = useSignal<readonly string[]>([]);
  const current = { text: text.value, attached: attached.value };
  // At once: the page may go at any moment.
  useLayoutEffect(
    () => memory.save(withEdit(memory.load(), memoryKey, current)),
    [current.text, current.attached, memoryKey, memory],
  );
  const attach = (added: readonly Attachment[], why: readonly string[]): void => {
    attached.value = withAttachments(attached.peek(), added);
    remarks.value = why;
  };
  return { text, attached, remarks, attach };
}

function useCancel({ memoryKey, onCancel, busy }: MessageEditorProps): () => void {
  const { memory } = usePage();
  return () => {
    if (busy) return;
    memory.save(withEdit(memory.load(), memoryKey, undefined));
    onCancel();
  };
}

function Attached({ attached, busy }: { attached: Signal<readonly Attachment[]>; busy: boolean }): JSX.Element | null {
  if (attached.value.length === 0) return null;
  const remove = (one: Attachment): void => {
    if (!busy) attached.value = attached.peek().filter((other) => other !== one);
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
  readonly busy: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function EditBox({ label, text, busy, onKeyDown }: EditBoxProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  // The person asked for it: the cursor is where they left off.
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.focus({ preventScroll: true });
    placeCaret(box.current, text.peek(), text.peek().length);
    box.current.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <textarea
      ref={box}
      class="message-box"
      aria-label={label}
      dir="auto"
      rows={2}
      readOnly={busy}
      value={text.value}
      onInput={(event) => (text.value = event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
