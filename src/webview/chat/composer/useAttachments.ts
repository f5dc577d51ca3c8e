import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { t } from '../../../base/l10n';
import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import type { Attachment } from '../../../shared/state/attachments';
import { MAX_ATTACHMENTS, MAX_TOTAL, attachmentContent, withAttachments } from '../../../shared/state/attachments';
import { draftOf, storeDraft } from '../../page/draftMemory';
import { useHostMessage, usePage } from '../pageContext';
import { reportComposing } from '../reportComposing';
import { removeMention } from './mentionText';

/** Attachments of the draft. */
export interface ComposerAttachments {
  readonly attached: Signal<readonly Attachment[]>;
  /** Why attachments or messages were refused. */
  readonly remarks: Signal<readonly string[]>;
  readonly attach: (attachments: readonly Attachment[], remarks: readonly string[]) => void;
  readonly remove: (attachment: Attachment) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly drop: Dropping;
}

interface Dropping {
  readonly isOver: boolean;
  readonly handlers: {
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDragLeave: () => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

export function useAttachments(text: Signal<string>): ComposerAttachments {
  const { events, post } = usePage();
  const attached = useSignal<readonly Attachment[]>([]);
  const remarks = useSignal<readonly string[]>([]);
  const attach = createAttach(attached, remarks);
  const remove = (attachment: Attachment): void => {
    text.value = removeMention(text.peek(), attachment, attached.peek());
    attached.value = attached.peek().filter((one) => one !== attachment);
    remarks.value = [];
    events.focusComposer.fire();
  };
  useFromHost(text, attached, remarks, attach);
  const { takeFiles, onPaste } = useFiles(attach);
  return {
    attached,
    remarks,
    attach,
    remove,
    onPaste,
    drop: useDrop(takeFiles, post),
  };
}

/** Adds attachments up to the limit of a message. */
export function createAttach(
  attached: Signal<readonly Attachment[]>,
  remarks: Signal<readonly string[]>,
): ComposerAttachments['attach'] {
  return (added, why) => {
    const all = withAttachments(attached.peek(), added);
    const fit = fitToLimit(all);
    attached.value = fit;
    const left = all.length - fit.length;
    remarks.value =
      left === 0 ? why : [...why, t('Could not attach {0} more: the message has reached its attachment limit.', left)];
  };
}

function fitToLimit(all: readonly Attachment[]): readonly Attachment[] {
  let left = MAX_TOTAL;
  const fit = all.filter((one) => (left -= attachmentContent(one).length) >= 0).slice(0, MAX_ATTACHMENTS);
  return fit.length === all.length ? all : fit;
}

/** Handles attachments and returned messages from the host. */
function useFromHost(
  text: Signal<string>,
  attached: Signal<readonly Attachment[]>,
  remarks: Signal<readonly string[]>,
  attach: ComposerAttachments['attach'],
): void {
  const page = usePage();
  const { store, events, attachTarget, memory, drafts } = page;
  useHostMessage('attach', ({ attachments, remarks: why }) => {
    const target = attachTarget.peek();
    if (target) return target(attachments, why);
    attach(attachments, why);
    if (attachments.length > 0) reportComposing(page);
    events.focusComposer.fire();
  });
  useHostMessage('sendRefused', ({ session, text: refused, attachments, reason }) => {
    if (session !== store.state?.id) {
      const stored = memory.load();
      const { text: written, attached: before, at = 0 } = draftOf(stored, session);
      const draft = {
        text: joinTexts(refused, written),
        attached: withAttachments(attachments, before),
        at: Math.max(Date.now(), at + 1),
      };
      memory.save(storeDraft(stored, session, draft));
      drafts.store(session, draft);
      return;
    }
    text.value = joinTexts(refused, text.peek());
    const own = attachments.filter(({ kind }) => kind !== 'active');
    attached.value = withAttachments(own, attached.peek());
    remarks.value = [t('Not sent: {0}', reason)];
  });
}

function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text.trim() !== '').join('\n');
}

/** Attaches pasted or dropped files that the agent supports. */
export function useFiles(attach: ComposerAttachments['attach']): {
  readonly takeFiles: (files: FileList) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
} {
  const { store, report } = usePage();
  const takeFiles = (files: FileList): void => {
    // The list is empty after the event.
    const all = [...files];
    const connection = store.connection.peek();
    const name = store.agent.peek()?.title ?? t('The agent');
    const to = { name, accepts: connection.status === 'ready' ? connection.accepts : undefined };
    const read = async (): Promise<void> => {
      const { readFiles } = await import('./attachmentFiles');
      attach(...(await readFiles(all, to)));
    };
    read().catch(report);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const data = event.clipboardData;
    // Office programs add an image of copied text; the text is used.
    if (!data || data.files.length === 0 || data.types.includes('text/plain')) return;
    event.preventDefault();
    takeFiles(data.files);
  };
  return { takeFiles, onPaste };
}

/** @param takeUris for URIs dragged from the editor */
export function useDrop(
  takeFiles: (files: FileList) => void,
  takeUris: (intent: Extract<PageMessage, { type: 'attachUris' }>) => void,
): Dropping {
  const isOver = useSignal(false);
  const handlers = {
    onDragOver: (event: DragEvent): void => {
      if (!event.dataTransfer || !isDroppable(event.dataTransfer)) return;
      event.preventDefault();
      isOver.value = true;
    },
    onDragLeave: (): void => void (isOver.value = false),
    onDrop: (event: DragEvent): void => {
      isOver.value = false;
      const data = event.dataTransfer;
      if (!data || !isDroppable(data)) return;
      event.preventDefault();
      const uris = droppedUris(data);
      if (uris.length > 0)
        takeUris({
          type: 'attachUris',
          uris: uris.slice(0, MAX_ATTACHMENTS),
          left: uris.slice(MAX_ATTACHMENTS).length,
        });
      else takeFiles(data.files);
    },
  };
  return { isOver: isOver.value, handlers };
}

/** Text dragged within the page is handled by the box. */
function isDroppable({ types }: DataTransfer): boolean {
  return types.includes('Files') || types.some((type) => type.endsWith('uri-list'));
}

/** URIs dropped from the editor's Explorer, tabs or search results. */
function droppedUris(data: DataTransfer): readonly string[] {
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  const lines = list.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => /^(?:file|vscode-remote):/i.test(line));
}
