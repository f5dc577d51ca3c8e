import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import type { CheckpointRewind } from '../../../shared/state/reviewState';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';

const RestoreNote = lazyComponent(async () => (await import('./minorEntries')).RestoreNote);

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
