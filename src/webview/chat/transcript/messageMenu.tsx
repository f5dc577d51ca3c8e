import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import type { CheckpointInfo } from '../../../shared/state/reviewState';
import type { Entry, UserEntry } from '../../../shared/state/sessionState';
import { Icon, IconButton } from '../../controls/icon';
import type { MenuItem } from '../../controls/menu';
import { MenuButton } from '../../controls/menu';
import type { EntryCell } from '../chatStore';
import { usePage } from '../pageContext';

/** @param index of the entry in the session */
export function UserActions({ entry, index }: { entry: UserEntry; index: number }): JSX.Element {
  const { store, post, editing } = usePage();
  const mark = useComputed(() => store.checkpoints.value.find((checkpoint) => checkpoint.entry === index)).value;
  const actions: MenuItem[] = [
    {
      label: t('Fork from here'),
      icon: 'repo-forked',
      title: t('Start a new chat with the conversation before this message'),
      onPick: () => post({ type: 'forkFrom', entry: index }),
    },
    ...(entry.text === '' ? [] : [copyAction(() => entry.text, post)]),
  ];
  return (
    <span class="message-actions">
      <IconButton
        icon="edit"
        label={t('Edit')}
        title={t('Edit this message and continue from here (F2)')}
        onClick={() => (editing.value = index)}
      />
      {mark && (
        <IconButton
          icon="discard"
          label={t('Restore Checkpoint')}
          title={`${t('Restore Checkpoint')}\n${restoreExplanation(mark)}`}
          onClick={() => post({ type: 'restoreCheckpoint', entry: index })}
        />
      )}
      <MessageMenu label={t('Actions for your message')} items={actions} />
    </span>
  );
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
      title: t('Start a new chat with the conversation up to this answer'),
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

/** Explains what restoring a checkpoint affects, and what it does not. */
function restoreExplanation({ coverage, skipped }: CheckpointInfo): string {
  const lines = [t('Restore files to the state before this message (shows affected files first)')];
  if (coverage === 'touched') lines.push(t('Without Git: only files that the agent changed through Parley'));
  if (skipped > 0)
    lines.push(skipped === 1 ? t('1 large file is not included') : t('{0} large files are not included', skipped));
  return lines.join('\n');
}
