import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { LineAppender } from '../../markdown/lineAppender';
import { usePage } from '../pageContext';

interface CodeTextProps {
  readonly text: string;
  /** A fence info string or file extension; may be empty. */
  readonly language: string;
  /** Lines shown before "Show all". */
  readonly lines?: number;
}

/** Highlighted file text, collapsed after some lines. */
export function CodeText({ text, language, lines = 12 }: CodeTextProps): JSX.Element {
  const { report } = usePage();
  const [all, setAll] = useState(false);
  const host = useRef<HTMLElement>(null);
  const rows = text.replace(/\n$/, '').split('\n');
  const isLong = rows.length > lines;
  useLayoutEffect(() => {
    const code = host.current;
    if (!code) return;
    code.replaceChildren();
    const shown = new LineAppender(code, 'code-line');
    for (const row of all ? rows : rows.slice(0, lines)) shown.line(row);
    if (language === '') return;
    code.dataset['language'] = language;
    void import('../../highlighting/highlightWhenIdle')
      .then(({ highlightWhenIdle }) => highlightWhenIdle(code))
      .catch(report);
  }, [text, language, all, lines]);
  return (
    <div class="folded">
      <pre class="code" dir="ltr" tabIndex={0}>
        <code ref={host} />
      </pre>
      {isLong && !all && (
        <button type="button" class="link-button" onClick={() => setAll(true)}>
          {t('Show all {0} lines', rows.length)}
        </button>
      )}
    </div>
  );
}
