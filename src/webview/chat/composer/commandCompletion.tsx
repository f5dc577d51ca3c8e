import { useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { Command } from '../../../shared/state/sessionState';
import { Listbox, itemId } from '../../controls/listbox';
import type { ListboxProps } from '../../controls/listbox';
import { nextListIndex } from '../../controls/listNavigation';
import { usePage } from '../pageContext';
import { completions, argumentHint } from './commandText';

/** Command completion while the caret is in the first word. */
export interface CommandCompletion {
  /** ARIA attributes of the text box. */
  readonly aria: {
    readonly 'aria-autocomplete': 'list';
    readonly 'aria-controls'?: string;
    readonly 'aria-activedescendant'?: string;
  };
  readonly list: JSX.Element | null;
  /** Call when the caret has moved. */
  readonly updateCaret: (box: HTMLTextAreaElement) => void;
  readonly close: () => void;
  /** True when the list handled the key. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

export function useCommands(text: Signal<string>): CommandCompletion {
  const { store, post } = usePage();
  const id = useId();
  const caret = useSignal(-1);
  const active = useSignal(0);
  const found = useComputed(() => completions(text.value, caret.value, store.allCommands.value)).value ?? [];
  const at = Math.min(active.value, found.length - 1);
  const isTyping = caret.value > 0 && /^\/\S*$/.test(text.value);
  useEffect(() => {
    if (isTyping) post({ type: 'findCommands' });
  }, [isTyping, post]);
  const close = (): void => void (caret.value = -1);
  const move = (index: number): void => void (active.value = index);
  const pick = (index: number): void => {
    const command = found[index];
    close();
    if (command) text.value = `/${command.name} ${text.peek().replace(/^\/\S*\s*/, '')}`;
  };
  const updateCaret = (box: HTMLTextAreaElement): void => {
    const now = box.selectionStart === box.selectionEnd ? box.selectionEnd : -1;
    if (now !== caret.peek()) active.value = 0;
    caret.value = now;
  };
  const aria = { 'aria-autocomplete': 'list' } as const;
  if (found.length === 0) return { aria, list: null, updateCaret, close, onKey: () => false };
  return {
    aria: { ...aria, 'aria-controls': id, 'aria-activedescendant': itemId(id, at) },
    list: <CommandList id={id} commands={found} active={at} onPick={pick} onHover={move} />,
    updateCaret,
    close,
    onKey: (event) =>
      onListKey(event, { at, names: found.map(({ name }) => name), text: text.peek(), move, pick, close }),
  };
}

interface ListKeys {
  readonly at: number;
  readonly names: readonly string[];
  readonly text: string;
  readonly move: (index: number) => void;
  readonly pick: (index: number) => void;
  readonly close: () => void;
}

/** Enter sends a completely typed command; else it completes, as Tab does. */
function onListKey(event: KeyboardEvent, { at, names, text, move, pick, close }: ListKeys): boolean {
  const { key } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
  const moved = /^(?:Arrow(?:Up|Down)|Page)/.test(key) ? nextListIndex(key, at, names.length) : undefined;
  if (moved !== undefined) move(moved);
  else if (key === 'Tab' || (key === 'Enter' && text.trim() !== `/${names[at]}`)) pick(at);
  else if (key === 'Escape') close();
  else return false;
  event.preventDefault();
  return true;
}

interface CommandListProps extends Pick<ListboxProps, 'id' | 'active' | 'onPick' | 'onHover'> {
  readonly commands: readonly Command[];
}

function CommandList({ commands, ...list }: CommandListProps): JSX.Element {
  const items = commands.map(({ name, description, hint }, index) => ({
    key: name,
    label: `/${name}`,
    hint,
    description,
    selected: index === list.active,
  }));
  return <Listbox {...list} label={t('Commands')} groups={[{ items }]} />;
}

/** Shows the argument hint after the command. */
export function CommandHint({ text }: { text: string }): JSX.Element | null {
  const { store } = usePage();
  const hint = argumentHint(text, store.allCommands.value);
  if (hint === undefined) return null;
  return (
    <div class="message-hint" aria-hidden="true" dir="auto">
      <span>{text}</span>
      {hint}
    </div>
  );
}
