import { useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Attachment, AttachmentSource, Mention } from '../../../shared/state/attachments';
import { Listbox, itemId } from '../../controls/listbox';
import type { ListGroup, ListItem } from '../../controls/listbox';
import { nextListIndex } from '../../controls/listNavigation';
import { useHostMessage, usePage } from '../pageContext';
import { attachmentIcon } from './attachmentIcon';
import type { CommandCompletion } from './commandCompletion';
import type { MentionAt } from './mentionText';
import { mentionAt, mentionWord } from './mentionText';
import { placeCaret } from './placeCaret';

export interface MentionTarget {
  readonly attach: (attachment: Attachment) => void;
  /** Opens a picker in the host. */
  readonly attachFrom: (source: AttachmentSource) => void;
}

const ARIA = { 'aria-autocomplete': 'list' } as const;

/** Completes text after `@` with the host's matches. */
export function useMentions(text: Signal<string>, { attach, attachFrom }: MentionTarget): CommandCompletion {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(undefined);
  const caret = useSignal(-1);
  const active = useSignal(0);
  const at = useComputed(() => mentionAt(text.value, caret.value)).value;
  const { mentions: found, query } = useFound(at, active);
  const busy = query !== at?.query;
  const close = (): void => void (caret.value = -1);
  const pick = (index: number): void => {
    const mention = found[index];
    const element = box.current;
    close();
    if (!mention || !at || !element) return;
    const { gives } = mention;
    const word = typeof gives === 'string' ? '' : mentionWord(gives);
    const before = text.peek().slice(0, at.start) + (word === '' ? '' : `${word} `);
    text.value = before + text.peek().slice(at.end);
    placeCaret(element, text.peek(), before.length);
    if (typeof gives === 'string') attachFrom(gives);
    else attach(gives);
  };
  const updateCaret = (element: HTMLTextAreaElement): void => {
    box.current = element;
    caret.value = element.selectionStart === element.selectionEnd ? element.selectionEnd : -1;
  };
  if (found.length === 0) return nothingFound(busy ? '' : (at?.query ?? ''), updateCaret, close);
  const marked = Math.min(active.value, found.length - 1);
  const move = (index: number): void => void (active.value = index);
  const groups = groupsOf(found, marked);
  return {
    aria: { ...ARIA, 'aria-controls': id, 'aria-activedescendant': itemId(id, marked) },
    list: <Listbox {...{ id, groups, busy }} label={t('Mentions')} active={marked} onPick={pick} onHover={move} />,
    updateCaret,
    close,
    onKey: (event) => onListKey(event, { at: marked, count: found.length, move, pick, close }),
  };
}

/**
 * A note, which takes no key but Escape: `@` may be a part of the text.
 * @param query what was searched; empty: no note
 */
function nothingFound(
  query: string,
  updateCaret: CommandCompletion['updateCaret'],
  close: () => void,
): CommandCompletion {
  const note = (
    <div class="popup listbox" role="status">
      <span class="option-group muted">{t('No matches')}</span>
    </div>
  );
  const onKey = (event: KeyboardEvent): boolean => {
    if (query === '' || event.key !== 'Escape') return false;
    close();
    event.preventDefault();
    return true;
  };
  return { aria: ARIA, list: query === '' ? null : note, updateCaret, close, onKey };
}

/** Id of the last query of all message boxes. */
let lastRequestId = 0;

/** Matches and their query. */
interface Found {
  readonly mentions: readonly Mention[];
  readonly query?: string;
}

const NOTHING: Found = { mentions: [] };

/** Keeps the previous matches until new ones arrive. */
function useFound(at: MentionAt | undefined, active: Signal<number>): Found {
  const { post } = usePage();
  const found = useSignal(NOTHING);
  const request = useRef<{ readonly id: number; readonly query: string }>(undefined);
  useEffect(() => {
    active.value = 0;
    request.current = at && { id: ++lastRequestId, query: at.query };
    if (request.current) post({ type: 'findMentions', ...request.current });
    else found.value = NOTHING;
  }, [at?.start, at?.query, active, found, post]);
  useHostMessage('mentions', ({ id, mentions }) => {
    if (id === request.current?.id) found.value = { mentions, query: request.current.query };
  });
  return at ? found.value : NOTHING;
}

interface ListKeys {
  readonly at: number;
  readonly count: number;
  readonly move: (index: number) => void;
  readonly pick: (index: number) => void;
  readonly close: () => void;
}

function onListKey(event: KeyboardEvent, { at, count, move, pick, close }: ListKeys): boolean {
  const { key } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
  const moved = /^(?:Arrow(?:Up|Down)|Page)/.test(key) ? nextListIndex(key, at, count) : undefined;
  if (moved !== undefined) move(moved);
  else if (key === 'Tab' || key === 'Enter') pick(at);
  else if (key === 'Escape') close();
  else return false;
  event.preventDefault();
  return true;
}

function groupsOf(found: readonly Mention[], active: number): ListGroup[] {
  const groups = new Map<string, ListItem[]>();
  for (const [index, { label, group, detail, gives }] of found.entries()) {
    const items = groups.get(group) ?? [];
    groups.set(group, items);
    const icon = typeof gives === 'string' ? sourceIcon(gives) : attachmentIcon(gives);
    const description = detail === undefined ? undefined : escapeInvisibleInline(detail);
    items.push({ key: `${index}`, label: escapeInvisibleInline(label), description, icon, selected: index === active });
  }
  return Array.from(groups, ([name, items]) => ({ name, items }));
}

function sourceIcon(source: AttachmentSource): string {
  if (source === 'files') return 'folder-opened';
  return source === 'terminal' || source.startsWith('command ') ? 'terminal' : 'mcp';
}
