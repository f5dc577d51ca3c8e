import type { Signal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import type { Attachment } from '../../../shared/state/attachments';
import type { CommandCompletion } from './commandCompletion';
import { useCommands } from './commandCompletion';
import type { MentionTarget } from './mentionCompletion';
import { useMentions } from './mentionCompletion';
import { mentionedStill } from './mentionText';

/** Command or mention completion; at most one is active. */
export function useCompletion(text: Signal<string>, mentioned: MentionTarget): CommandCompletion {
  const commands = useCommands(text);
  const mentions = useMentions(text, mentioned);
  const shown = mentions.list ? mentions : commands;
  return {
    aria: shown.aria,
    list: shown.list,
    onKey: shown.onKey,
    updateCaret: (box) => {
      commands.updateCaret(box);
      mentions.updateCaret(box);
    },
    close: () => {
      commands.close();
      mentions.close();
    },
  };
}

/** Keys that only move the caret. */
const CARET_KEYS = /^(?:Arrow|Home|End)/;

interface CompletionHandlers {
  readonly onInput: (event: TargetedEvent<HTMLTextAreaElement>) => void;
  readonly onClick: (event: TargetedEvent<HTMLTextAreaElement>) => void;
  readonly onKeyUp: (event: TargetedEvent<HTMLTextAreaElement, KeyboardEvent>) => void;
  readonly onBlur: () => void;
}

/**
 * Event handlers of a text box with completion.
 * @param text content of the box, updated on input
 * @param attached attachments of the text; those whose mention the user deletes are removed
 */
export function completionHandlers(
  text: Signal<string>,
  attached: Signal<readonly Attachment[]>,
  { updateCaret, close }: CommandCompletion,
): CompletionHandlers {
  return {
    onInput: ({ currentTarget }) => {
      attached.value = mentionedStill(attached.peek(), text.peek(), currentTarget.value, currentTarget.selectionStart);
      text.value = currentTarget.value;
      updateCaret(currentTarget);
    },
    onClick: ({ currentTarget }) => updateCaret(currentTarget),
    onKeyUp: ({ key, currentTarget }) => void (CARET_KEYS.test(key) && updateCaret(currentTarget)),
    onBlur: close,
  };
}
