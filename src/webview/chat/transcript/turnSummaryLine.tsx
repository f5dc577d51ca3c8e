import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import type { TurnFile } from '../../../shared/state/turnSummary';
import { formatDuration } from '../../../shared/text/formatDuration';
import { usePage } from '../pageContext';
import { LineCounts } from '../toolCalls/diffCard';

/** Minimum milliseconds for the summary of a turn without tools and files. */
const MIN_TURN_MS = 3_000;

/**
 * The summary of a turn below its last entry; nothing below other entries.
 * @param entry index
 */
export function TurnSummaryLine({ entry }: { entry: number }): JSX.Element | null {
  const { store, post } = usePage();
  const turn = useComputed(() => store.turnEnds.value.get(entry)).value;
  if (!turn) return null;
  const { ms, tools, unasked = 0, files = [] } = turn;
  if (ms < MIN_TURN_MS && tools === 0 && unasked === 0 && files.length === 0) return null;
  return (
    <div class="turn-summary meta muted" role="note" aria-label={t('Turn summary')}>
      <span>{formatDuration(ms)}</span>
      {tools > 0 && <span>{tools === 1 ? t('1 tool call') : t('{0} tool calls', tools)}</span>}
      {unasked > 0 && <span>{t('{0} ran without asking', unasked)}</span>}
      {files.length > 0 && (
        <button
          type="button"
          class="turn-files"
          title={[t('Review changes from this turn'), ...files.map(({ label }) => label)].join('\n')}
          onClick={() => post({ type: 'reviewTurn', entry: turn.entry })}
        >
          <span>{files.length === 1 ? t('1 file') : t('{0} files', files.length)}</span>
          <LineCounts added={sum(files, 'added')} removed={sum(files, 'removed')} />
        </button>
      )}
    </div>
  );
}

function sum(files: readonly TurnFile[], side: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[side], 0);
}
