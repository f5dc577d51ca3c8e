import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { DiffContent, DiffHunk } from '../../../shared/state/contentBlocks';
import { extensionOf } from '../../../shared/text/codeFenceInfo';
import { fileReferenceLabel } from '../../../shared/text/fileReferences';
import { IconButton } from '../../controls/icon';
import { usePage } from '../pageContext';
import { showLines } from './diffLines';
import { PathName } from './pathName';

/** Lines shown before "Show all". */
const FIRST_LINES = 40;

interface DiffCardProps {
  readonly diff: DiffContent;
  /** The tool call has succeeded: Keep and Undo are possible. */
  readonly applied?: boolean;
}

/** The diff of one file, collapsed after some lines. */
export function DiffCard({ diff, applied = false }: DiffCardProps): JSX.Element {
  const { post } = usePage();
  const [all, setAll] = useState(false);
  const total = diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const hunks = all ? diff.hunks : firstLines(diff.hunks, FIRST_LINES);
  const openDiff = (): void => post({ type: 'openDiff', diffId: diff.diffId });
  // A new file cannot be opened before the edit is approved.
  const linkProps = diff.isNew && !applied ? { onClick: openDiff } : { 'data-path': diff.path };
  return (
    <div class="card diff" role="group" aria-label={t('Diff: {0}', diff.label)}>
      <div class="card-header">
        <button type="button" class="place" aria-label={diff.label} title={diff.path} dir="ltr" {...linkProps}>
          <PathName label={diff.label} />
        </button>
        <span class="counts">
          {diff.isNew && <span class="muted">{t('new file')}</span>}
          <LineCounts added={diff.added} removed={diff.removed} />
        </span>
        {applied && <KeepUndo diff={diff} />}
        <IconButton icon="diff" label={t('Open Diff')} onClick={openDiff} />
      </div>
      {diff.coarse === true && (
        <p class="card-note muted">
          {t('Too large or too different to compare line by line. Open the diff to see both versions.')}
        </p>
      )}
      {diff.omitted !== undefined && diff.omitted > 0 && (
        <p class="card-note muted">{t('{0} more lines. Select Open Diff to see all lines.', diff.omitted)}</p>
      )}
      {total > 0 && <Hunks hunks={hunks} language={extensionOf(diff.path)} />}
      {!all && total > FIRST_LINES && (
        <button type="button" class="link-button card-more" onClick={() => setAll(true)}>
          {t('Show all {0} lines', total)}
        </button>
      )}
    </div>
  );
}

/** Only while the file has changes to review. */
function KeepUndo({ diff }: { diff: DiffContent }): JSX.Element | null {
  const { store, post } = usePage();
  const isPending = useComputed(() => store.changes.value.some(({ path }) => path === diff.path)).value;
  if (!isPending) return null;
  const { diffId } = diff;
  return (
    <>
      <IconButton
        icon="check"
        label={t('Keep')}
        title={t('Keep this edit')}
        onClick={() => post({ type: 'keepDiff', diffId })}
      />
      <IconButton
        icon="discard"
        label={t('Undo')}
        title={t('Undo this edit')}
        onClick={() => post({ type: 'undoDiff', diffId })}
      />
    </>
  );
}

/** Shown for zero too, to keep rows aligned. */
export function LineCounts({ added, removed }: { added: number; removed: number }): JSX.Element {
  return (
    <span>
      <span class="added" aria-label={t('{0} added', added)} role="img">
        +{added}
      </span>{' '}
      <span class="removed" aria-label={t('{0} removed', removed)} role="img">
        −{removed}
      </span>
    </span>
  );
}

function Hunks({ hunks, language }: { hunks: readonly DiffHunk[]; language: string }): JSX.Element {
  return (
    <div class="code diff-lines" dir="ltr">
      {hunks.map((hunk, index) => (
        <Hunk key={index} hunk={hunk} isFirst={index === 0} language={language} />
      ))}
    </div>
  );
}

interface HunkProps {
  readonly hunk: DiffHunk;
  readonly isFirst: boolean;
  readonly language: string;
}

/** Entries at the end of the conversation that are probably visible. */
const LAST_ENTRIES = 4;

function Hunk({ hunk, isFirst, language }: HunkProps): JSX.Element {
  const { report, store } = usePage();
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const slot = host.current.closest<HTMLElement>('[data-entry]');
    const isNear = !slot || Number(slot.dataset['entry']) >= store.entryCount.peek() - LAST_ENTRIES;
    return showLines(host.current, hunk.lines, { language, isNear, report });
  }, [hunk, language, report, store]);
  return (
    <div class="hunk">
      {(!isFirst || hunk.newStart > 1) && <div class="hunk-start">{t('line {0}', hunk.newStart)}</div>}
      <div ref={host} />
    </div>
  );
}

function firstLines(hunks: readonly DiffHunk[], max: number): DiffHunk[] {
  const first: DiffHunk[] = [];
  let room = max;
  for (const hunk of hunks) {
    if (room <= 0) break;
    first.push(hunk.lines.length <= room ? hunk : { ...hunk, lines: hunk.lines.slice(0, room) });
    room -= hunk.lines.length;
  }
  return first;
}

export function FileLocationLink({ path, label, line, lastLine, text }: FileLocationProps): JSX.Element {
  const whole = fileReferenceLabel(label, line, lastLine);
  return (
    <button
      type="button"
      class="place"
      data-path={path}
      data-line={line}
      data-last-line={lastLine}
      aria-label={text === undefined ? whole : undefined}
      title={path}
      dir="ltr"
    >
      {text ?? <PathName label={label} suffix={whole.slice(label.length)} />}
    </button>
  );
}

interface FileLocationProps {
  readonly path: string;
  readonly label: string;
  readonly line?: number | undefined;
  readonly lastLine?: number;
  /** Replaces label and line. */
  readonly text?: string;
}
