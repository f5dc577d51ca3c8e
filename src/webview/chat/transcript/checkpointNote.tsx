import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import type { CheckpointInfo, CheckpointRewind } from '../../../shared/state/reviewState';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';

const RestoreNote = lazyComponent(async () => (await import('./minorEntries')).RestoreNote);

/** Explains what restoring a checkpoint affects, and what it does not. */
export function restoreExplanation({ coverage, skipped }: CheckpointInfo): string {
  const lines = [t('Restore files to the state before this message (shows affected files first)')];
  if (coverage === 'touched') lines.push(t('Without Git: only files that the agent changed through Parley'));
  if (skipped > 0)
    lines.push(skipped === 1 ? t('1 large file is not included') : t('{0} large files are not included', skipped));
  return lines.join('\n');
}

/** Above the prompt of a restored checkpoint. */
export function CheckpointNote({ entry }: { entry: number }): JSX.Element | null {
  const { store } = usePage();
  const rewind = useComputed(() => store.rewinds.value.findLast(({ from }) => from === entry)).value;
  return rewind ? <RestoreNote key={rewind.undoId} rewind={rewind} /> : null;
}

/** The files no longer match this entry. */
export function isRewound(rewinds: readonly CheckpointRewind[], entry: number): boolean {
  return rewinds.some(({ from, to }) => from <= entry && entry < to);
}
