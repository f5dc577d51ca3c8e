import type { Signal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import type { CommandCompletion } from './commandCompletion';
import { useCommands } from './commandCompletion';
import type { MentionTarget } from './mentionCompletion';
import { useMentions } from './mentionCompletion';

/** What completes the text at the caret: `/` commands or `@` mentions, of which only one can be meant. */
export function useCompletion(text: Signal<string>, mentioned: MentionTarget): CommandCompletion {
  const commands = useCommands(text);
  const mentions = useMentions(text, mentioned);
  const shown = mentions.list ? mentions : commands;
  return {
    aria: shown.aria,
    list: shown.list,
    onKey: shown.onKey,
    look: (box) => {
      commands.look(box);
      mentions.look(box);
    },
    close: () => {
      commands.close();
      mentions.close();
    },
  };
}

/** Keys that move the caret without changing the text. */
const CARET_KEYS = /^(?:Arrow|Home|End)/;

interface CompletionHandlers {
  readonly onInput: (event: TargetedEvent<HTMLTextAreaElement>) => void;
  readonly onClick: (event: TargetedEvent<HTMLTextAreaElement>) => void;
  readonly onKeyUp: (event: TargetedEvent<HTMLTextAreaElement, KeyboardEvent>) => void;
  readonly onBlur: () => void;
}

/**
 * What a text box tells its completion.
 * @param text of the box, which takes what is typed
 */
export function completionHandlers(text: Signal<string>, { look, close }: CommandCompletion): CompletionHandlers {
  return {
    onInput: ({ currentTarget }) => {
      text.value = currentTarget.value;
      look(currentTarget);
    },
    onClick: ({ currentTarget }) => look(currentTarget),
    onKeyUp: ({ key, currentTarget }) => void (CARET_KEYS.test(key) && look(currentTarget)),
    onBlur: close,
  };
}
