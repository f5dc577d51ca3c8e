import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { Terminal } from '../../../shared/state/terminalState';
import type { ToolEntry } from '../../../shared/state/toolCallState';
import type { EntryCell } from '../chatStore';
import { exitCode, resultText, unfenced } from './toolCallFields';
import { Output } from './terminalCard';

/** Output of an agent-owned command that is only reported as text. */
export function commandOutput({ tool, content, rawOutput, waiting }: ToolEntry): string | undefined {
  if (tool !== 'execute' || waiting > 0 || content.some(({ type }) => type === 'terminal')) return undefined;
  const text = resultText({ content, rawOutput });
  return text === undefined || text.trim() === '' ? undefined : unfenced(text).text;
}

/** Styled like a terminal, scrolled to the end. */
export function CommandOutput({ entry, text }: { entry: ToolEntry; text: string }): JSX.Element {
  const cell = useRef<EntryCell<Terminal | undefined>>(undefined);
  cell.current ??= { value: signal(textTerminal(text)), appended: '' };
  useLayoutEffect(() => {
    const shown = cell.current;
    if (shown && shown.value.peek()?.output !== textTerminal(text).output) shown.value.value = textTerminal(text);
  }, [text]);
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
      <Output cell={cell.current} />
    </div>
  );
}

/** The terminal screen needs carriage returns. */
function textTerminal(text: string): Terminal {
  const output = text.replace(/\r?\n/g, '\r\n');
  return { terminalId: '', command: '', output, truncated: false, startedAt: 0 };
}
