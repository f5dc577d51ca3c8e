import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisible } from '../../../base/untrustedText';
import { PathName } from './pathName';
import type { FoundFile, SearchMatch, SearchResults } from './parseSearchResults';

/** Files and lines before "Show all". */
const FIRST_ROWS = 20;
/** UTF-16 units shown of a line. */
const MAX_LINE_CHARS = 300;

/** Matches by file, as links. */
export function SearchList({ results }: { results: SearchResults }): JSX.Element {
  const [all, setAll] = useState(false);
  const { files, notes } = results;
  const rows = files.reduce((sum, { hits }) => sum + 1 + hits.length, 0);
  const shown = all ? files : firstRows(files, FIRST_ROWS);
  return (
    <div class="search-results">
      <ul aria-label={t('Results')}>
        {shown.map((file, index) => (
          <File key={index} file={file} />
        ))}
      </ul>
      {rows > FIRST_ROWS && !all && (
        <button type="button" class="link-button" onClick={() => setAll(true)}>
          {t('Show all')}
        </button>
      )}
      {notes.map((note, index) => (
        <p key={index} class="muted">
          {note}
        </p>
      ))}
    </div>
  );
}

function File({ file: { path, hits } }: { file: FoundFile }): JSX.Element {
  return (
    <li>
      <button type="button" class="place" aria-label={path} data-path={path} title={path} dir="ltr">
        <PathName label={path} />
      </button>
      {hits.length > 0 && (
        <ul>
          {hits.map((hit, index) => (
            <Hit key={index} path={path} hit={hit} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Hit({ path, hit: { line, text, isContext } }: { path: string; hit: SearchMatch }): JSX.Element {
  const shown = text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
  return (
    <li class={isContext ? 'hit context' : 'hit'}>
      <button type="button" data-path={path} data-line={line} title={`${path}:${line}`} dir="ltr">
        <span class="hit-line">{line}</span>
        <code>{escapeInvisible(shown.trim())}</code>
      </button>
    </li>
  );
}

function firstRows(files: readonly FoundFile[], max: number): FoundFile[] {
  const first: FoundFile[] = [];
  let room = max;
  for (const file of files) {
    if (room <= 0) break;
    first.push({ ...file, hits: file.hits.slice(0, room - 1) });
    room -= 1 + file.hits.length;
  }
  return first;
}
