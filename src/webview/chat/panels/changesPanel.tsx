import { useSignal, useSignalEffect } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { PageMessage } from '../../../shared/protocol/chatPageProtocol';
import { isFinishedPlan } from '../../../shared/state/planState';
import type { ChangedFile, ConflictReason, FileStatus } from '../../../shared/state/reviewState';
import { Icon, IconButton } from '../../controls/icon';
import { usePage } from '../pageContext';
import { LineCounts } from '../toolCalls/diffCard';
import { PathName } from '../toolCalls/pathName';

/** Rows before "Show all". */
const FIRST_ROWS = 100;
/** A list with more files is collapsed until the user expands it. */
const UNFOLDED_FILES = 5;

/** Files with changes to review; nothing when there are none. */
export function ChangesPanel(): JSX.Element | null {
  const { store } = usePage();
  const chosen = useFolding();
  const files = store.changes.value;
  if (files.length === 0) return null;
  const isWorking = store.turn.value.status === 'running' || !isFinishedPlan(store.plan.value);
  const isOpen = chosen.value ?? (!isWorking && files.length <= UNFOLDED_FILES);
  return (
    <section class="bar-box changes" role="region" aria-label={t('Changes')}>
      <div class="changes-bar">
        <button type="button" class="bar" aria-expanded={isOpen} onClick={() => (chosen.value = !isOpen)}>
          <Icon name="chevron-right" class="chevron" />
          <FileCount count={files.length} />
          <LineCounts added={sum(files, 'added')} removed={sum(files, 'removed')} />
        </button>
        <Actions />
      </div>
      {isOpen && <Files files={files} />}
    </section>
  );
}

/** "3 files changed", of which a narrow page shows "3 files", in languages whose sentence contains that. */
function FileCount({ count }: { count: number }): JSX.Element {
  const whole = count === 1 ? t('1 file changed') : t('{0} files changed', count);
  const short = count === 1 ? t('1 file') : t('{0} files', count);
  const start = whole.indexOf(short);
  if (start < 0) return <span class="bar-text">{whole}</span>;
  return (
    <span class="bar-text">
      <span class="changes-rest">{whole.slice(0, start)}</span>
      {short}
      <span class="changes-rest">{whole.slice(start + short.length)}</span>
    </span>
  );
}

/**
 * Whether the list is open; undefined until the user decides. The conversation gets the height while the user writes a message or reads
 * far up: the list then stays folded until the next turn, since it would move the page again.
 */
function useFolding(): Signal<boolean | undefined> {
  const { store, stick } = usePage();
  const chosen = useSignal<boolean | undefined>(undefined);
  useSignalEffect(() => {
    if (store.turn.value.status === 'running') chosen.value = undefined;
  });
  useSignalEffect(() => {
    if (stick.value?.isFar.value) chosen.value = false;
  });
  useEffect(() => {
    const onInput = ({ target }: Event): void => {
      if (target instanceof Element && target.matches('.composer .message-box')) chosen.value = false;
    };
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  }, [chosen]);
  return chosen;
}

const ACTIONS = [
  { label: t('Keep All'), icon: 'check-all', title: t('Accept all agent changes'), message: { type: 'keepAll' } },
  { label: t('Undo All'), icon: 'discard', title: t('Undo all agent changes'), message: { type: 'undoAll' } },
  {
    label: t('Review'),
    icon: 'diff-multiple',
    title: t('Show all changes in one diff editor'),
    message: { type: 'reviewChanges' },
  },
] as const satisfies readonly { label: string; icon: string; title: string; message: PageMessage }[];

/** Characters of all labels that fit beside the counts in a narrow page; with more, as in German, it shows icons. A very narrow one always does. */
const MAX_LABELS = 30;
const HAS_LONG_LABELS = ACTIONS.map(({ label }) => label).join('').length > MAX_LABELS;

function Actions(): JSX.Element {
  const { post } = usePage();
  return (
    <div class={HAS_LONG_LABELS ? 'changes-actions long' : 'changes-actions'}>
      {ACTIONS.map(({ label, icon, title, message }) => (
        <button key={label} type="button" class="bar-action" title={title} onClick={() => post(message)}>
          <Icon name={icon} />
          <span>{label}</span>
        </button>
      ))}
    </div>
  );
}

function Files({ files }: { files: readonly ChangedFile[] }): JSX.Element {
  const all = useSignal(false);
  const shown = all.value ? files : files.slice(0, FIRST_ROWS);
  return (
    <div class="dock-list changed-files">
      <ul>
        {shown.map((file) => (
          <Row key={file.path} file={file} />
        ))}
      </ul>
      {shown.length < files.length && (
        <button type="button" class="link-button" onClick={() => (all.value = true)}>
          {t('Show all {0} files', files.length)}
        </button>
      )}
    </div>
  );
}

const STATUS: Readonly<Record<FileStatus, { readonly icon: string; readonly word: string }>> = {
  created: { icon: 'diff-added', word: t('new') },
  changed: { icon: 'diff-modified', word: t('changed') },
  deleted: { icon: 'diff-removed', word: t('deleted') },
  renamed: { icon: 'diff-renamed', word: t('renamed') },
};

const CONFLICTS: Readonly<Record<ConflictReason, string>> = {
  edited: t('You changed the same lines. Review the diff before you undo.'),
  unsaved: t('The file changed on disk, but its editor has unsaved changes.'),
};

const UNSURE = t('Parley cannot tell whether the agent changed this file. Undo asks first.');

function Row({ file }: { file: ChangedFile }): JSX.Element {
  const { post } = usePage();
  const { path, label, status, from, conflict, isUnsure } = file;
  const { icon, word } = STATUS[status] ?? STATUS.changed;
  const title = [from === undefined ? path : `${from} → ${path}`, conflict && CONFLICTS[conflict], isUnsure && UNSURE];
  return (
    <li class={`changed-file ${status}`}>
      <Icon name={icon} />
      <button
        type="button"
        class="changed-path"
        aria-label={label}
        title={title.filter(Boolean).join('\n')}
        onClick={() => post({ type: 'openChange', path })}
      >
        <PathName label={label} />
      </button>
      <Note word={word} file={file} />
      {!file.binary && <LineCounts added={file.added} removed={file.removed} />}
      <IconButton icon="check" label={t('Keep {0}', label)} onClick={() => post({ type: 'keepFile', path })} />
      <IconButton icon="discard" label={t('Undo {0}', label)} onClick={() => post({ type: 'undoFile', path })} />
    </li>
  );
}

/** The status; the usual one, "changed", is for screen readers only. */
function Note({ word, file }: { word: string; file: ChangedFile }): JSX.Element {
  const { status, binary, mode, conflict, isUnsure } = file;
  if (conflict !== undefined) {
    return (
      <span class="changed-note conflict" title={CONFLICTS[conflict] ?? ''}>
        <Icon name="warning" />
        {t('conflict')}
      </span>
    );
  }
  const unsure = isUnsure && t('author unknown');
  const marks = [status === 'changed' ? undefined : word, binary ? t('binary') : undefined, mode, unsure];
  const words = marks.filter(Boolean);
  if (words.length === 0) return <span class="hidden-text">{word}</span>;
  return (
    <span class="changed-note muted" title={isUnsure && t('Another program may have made this change.')}>
      {words.join(', ')}
    </span>
  );
}

function sum(files: readonly ChangedFile[], side: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[side], 0);
}
