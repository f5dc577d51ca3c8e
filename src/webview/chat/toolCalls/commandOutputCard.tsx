import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { Terminal } from '../../../shared/state/terminalState';
import type { ToolEntry } from '../../../shared/state/toolCallState';
import type { EntryCell } from '../chatStore';
import { GrowingText } from '../text/growingText';
import { Output } from './terminalCard';
import { exitCode } from './toolCallFields';

/** Styled like a terminal, scrolled to the end. */
export function CommandOutputCard({ entry, text }: { entry: ToolEntry; text: string }): JSX.Element {
  const cell = useMemo<EntryCell<Terminal | undefined>>(() => ({ value: signal(textTerminal('')), appended: '' }), []);
  const growing = useMemo(() => followText(cell), [cell]);
  useLayoutEffect(() => growing.follow(text), [growing, text]);
  const code = exitCode(entry.rawOutput);
  return (
    <div class="card terminal" role="group" aria-label={t('Output')}>
      {code !== undefined && (
        <div class="card-header">
          <span class="muted meta terminal-state">
            <span class={code === 0 ? '' : 'failed'}>{t('exit code {0}', code)}</span>
          </span>
        </div>
      )}
      <Output cell={cell} />
    </div>
  );
}

/** Converts and shows only what a text adds. */
function followText(cell: EntryCell<Terminal | undefined>): GrowingText {
  return new GrowingText({
    push: (added) => {
      // The terminal screen needs carriage returns.
      cell.appended = added.replace(/\r?\n/g, '\r\n');
      cell.value.value = textTerminal((cell.value.peek()?.output ?? '') + cell.appended);
    },
    restart: () => void (cell.value.value = textTerminal('')),
  });
}

function textTerminal(output: string): Terminal {
  return { terminalId: '', command: '', output, truncated: false, startedAt: 0 };
}
