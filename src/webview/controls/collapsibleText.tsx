import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../base/l10n';

/** Lines per element: layout of one long text node takes more than linear time (measured for streaming text). */
const LINES_PER_ELEMENT = 100;

/** Text with a limited number of lines; "Show all" expands it. */
export function CollapsibleText({ text, lines = 12 }: { text: string; lines?: number }): JSX.Element {
  const [all, setAll] = useState(false);
  const rows = text.split('\n');
  const isLong = rows.length > lines || text.length > lines * 200;
  const shown = all || !isLong ? rows : rows.slice(0, lines).map((row) => cut(row, 200));
  return (
    <div class="folded">
      <pre class="code" dir="ltr">
        {chunks(shown).map((chunk, index) => (
          <code key={index}>{chunk}</code>
        ))}
      </pre>
      {isLong && !all && (
        <button type="button" class="link-button" onClick={() => setAll(true)}>
          {t('Show all')}
        </button>
      )}
    </div>
  );
}

function cut(row: string, max: number): string {
  return row.length <= max ? row : `${row.slice(0, max)}…`;
}

function chunks(rows: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < rows.length; at += LINES_PER_ELEMENT) {
    joined.push(rows.slice(at, at + LINES_PER_ELEMENT).join('\n'));
  }
  return joined;
}

/** Any value for display: strings unchanged, other values as JSON. */
export function prettyJson(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 2) ?? String(value);
}
