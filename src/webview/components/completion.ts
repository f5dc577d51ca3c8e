import type { Signal } from '@preact/signals';
import type { Attachment } from '../../shared/attachments';
import type { CommandCompletion } from './commandList';
import { useCommands } from './commandList';
import { useMentions } from './mentionList';

/** What completes the text at the caret: `/` commands or `@` mentions, of which only one can be meant. */
export function useCompletion(text: Signal<string>, attach: (attachment: Attachment) => void): CommandCompletion {
  const commands = useCommands(text);
  const mentions = useMentions(text, attach);
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
