import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import type { Entry, UserEntry } from '../../../shared/state/sessionState';
import type { EntryCell } from '../chatStore';
import { restoreExplanation } from './checkpointNote';
import { usePage } from '../pageContext';
import { Icon } from '../../controls/icon';
import type { MenuItem } from '../../controls/menu';
import { MenuButton } from '../../controls/menu';

/** @param index of the entry in the session */
export function UserMenu({ entry, index }: { entry: UserEntry; index: number }): JSX.Element {
  const { store, post, editing } = usePage();
  const mark = useComputed(() => store.checkpoints.value.find((checkpoint) => checkpoint.entry === index)).value;
  const restore: MenuItem | undefined = mark && {
    label: t('Restore Checkpoint'),
    icon: 'discard',
    title: restoreExplanation(mark),
    onPick: () => post({ type: 'restoreCheckpoint', entry: index }),
  };
  const actions: MenuItem[] = [
    {
      label: t('Edit'),
      icon: 'edit',
      title: t('Change this message and go on from here (F2)'),
      onPick: () => (editing.value = index),
    },
    {
      label: t('Fork from here'),
      icon: 'repo-forked',
      title: t('A new chat with what was said before this message'),
      onPick: () => post({ type: 'forkFrom', entry: index }),
    },
    ...(entry.text === '' ? [] : [copyAction(() => entry.text, post)]),
    ...(restore ? [restore] : []),
  ];
  return <MessageMenu label={t('Actions for your message')} items={actions} />;
}

/** @param index of the entry in the session */
export function AgentMenu({ cell, index }: { cell: EntryCell<Entry>; index: number }): JSX.Element {
  const { post } = usePage();
  const text = (): string => {
    const entry = cell.value.peek();
    return entry.kind === 'agent' ? entry.text : '';
  };
  const actions: MenuItem[] = [
    {
      label: t('Fork from here'),
      icon: 'repo-forked',
      title: t('A new chat with what was said up to this answer'),
      onPick: () => post({ type: 'forkFrom', entry: index }),
    },
    copyAction(text, post),
  ];
  return <MessageMenu label={t('Actions for this answer')} items={actions} />;
}

function MessageMenu({ label, items }: { label: string; items: readonly MenuItem[] }): JSX.Element {
  return (
    <MenuButton label={label} items={items} class="icon-button">
      <Icon name="ellipsis" />
    </MenuButton>
  );
}

function copyAction(text: () => string, post: ReturnType<typeof usePage>['post']): MenuItem {
  return { label: t('Copy'), icon: 'copy', onPick: () => post({ type: 'copy', text: text() }) };
}
