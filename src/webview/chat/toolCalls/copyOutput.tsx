import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import type { Terminal } from '../../../shared/state/terminalState';
import { outputText } from '../../../shared/terminal/screenText';
import { IconButton } from '../../controls/icon';
import type { EntryCell } from '../chatStore';
import { usePage } from '../pageContext';

/** Copies what the terminal shows, without colors; a chunk of its own, since most conversations run no command. */
export function CopyOutput({ cell }: { cell: EntryCell<Terminal | undefined> }): JSX.Element | null {
  const { post } = usePage();
  const isEmpty = useComputed(() => (cell.value.value?.output ?? '') === '').value;
  const copy = (): void => post({ type: 'copy', text: outputText(cell.value.peek()?.output ?? '').trimEnd() });
  if (isEmpty) return null;
  return (
    <span class="card-actions output-actions">
      <IconButton icon="copy" label={t('Copy Output')} onClick={copy} />
    </span>
  );
}
