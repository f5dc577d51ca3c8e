import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { CheckpointInfo, CheckpointRewind } from '../../../shared/state/reviewState';
import { usePage } from '../pageContext';
import { Icon } from '../../controls/icon';

/** Explains what restoring a checkpoint affects, and what it does not. */
export function restoreExplanation({ coverage, leftOut }: CheckpointInfo): string {
  const lines = [t('Restore files to the state before this message (shows affected files first)')];
  if (coverage === 'touched') lines.push(t('Without Git: only files that the agent changed through Parley'));
  if (leftOut > 0)
    lines.push(leftOut === 1 ? t('1 large file is not included') : t('{0} large files are not included', leftOut));
  return lines.join('\n');
}

/** Above the prompt of a restored checkpoint, with a button to undo the restore. */
export function CheckpointNote({ entry }: { entry: number }): JSX.Element | null {
  const { store, post } = usePage();
  const rewind = useComputed(() => store.rewinds.value.findLast(({ from }) => from === entry)).value;
  const isLast = useComputed(() => store.rewinds.value.at(-1) === rewind).value;
  const note = useRef<HTMLDivElement>(null);
  // The note moves its message down: the focus in there stays on the screen.
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (note.current?.closest('.slot')?.contains(activeElement)) activeElement?.scrollIntoView({ block: 'nearest' });
  }, [rewind]);
  if (!rewind) return null;
  const { undoId } = rewind;
  return (
    <div class="rewind" role="note" aria-label={t('Checkpoint restored')} ref={note}>
      <Icon name="history" />
      <span>
        {t('Files were restored to the state before this message')}{' '}
        {isLast && (
          <button type="button" class="link-button" onClick={() => post({ type: 'undoRestore', undoId })}>
            {t('Undo Restore')}
          </button>
        )}
      </span>
    </div>
  );
}

/** The files no longer match this entry. */
export function isRewound(rewinds: readonly CheckpointRewind[], entry: number): boolean {
  return rewinds.some(({ from, to }) => from <= entry && entry < to);
}
