import { t } from '../../base/l10n';

/** A notice about files that changed in a turn, but not by its agent. */
export interface TurnNotice {
  readonly severity: 'info' | 'warning';
  readonly title: string;
  readonly text: string;
}

const MAX_SHOWN = 10;

/**
 * @param fromGit branches, tags or commits, by file that git brought
 * @param byOthers files that another program changed
 * @param missed files that the checkpoint lacks
 * @param odd files whose names are not UTF-8
 * @param omitted files of which there was no copy when the turn began
 */
export function turnNotices(
  fromGit: ReadonlyMap<string, string>,
  byOthers: ReadonlySet<string>,
  missed: readonly string[],
  odd: readonly string[],
  omitted: readonly string[],
  label: (path: string) => string,
): readonly TurnNotice[] {
  const notices = [
    gitNotice(fromGit, label),
    otherProgramNotice(byOthers, label),
    missedNotice(missed, label),
    unreviewedNotice(
      odd,
      t(
        'These files were created, changed or deleted. Their names are not UTF-8, so Parley neither shows nor undoes that.',
      ),
      label,
    ),
    unreviewedNotice(
      omitted,
      t(
        'These files were changed or deleted. When the turn began, they were larger than 10 MiB or could not be read, so Parley has no copy of them.',
      ),
      label,
    ),
  ];
  return notices.flatMap((notice) => notice ?? []);
}

function gitNotice(sources: ReadonlyMap<string, string>, label: (path: string) => string): TurnNotice | undefined {
  if (sources.size === 0) return undefined;
  const names = [...new Set(sources.values())].join(', ');
  const title =
    sources.size === 1 ? t('Git: 1 file from {0}', names) : t('Git: {0} files from {1}', sources.size, names);
  const why = t(
    'These files are as git has them, so they are not among the changes. Undo All leaves them as they are.',
  );
  return { severity: 'info', title, text: `${why}\n\n${listed([...sources.keys()].map(label))}` };
}

function otherProgramNotice(paths: ReadonlySet<string>, label: (path: string) => string): TurnNotice | undefined {
  if (paths.size === 0) return undefined;
  const title =
    paths.size === 1
      ? t('Changed meanwhile by another program: 1 file')
      : t('Changed meanwhile by another program: {0} files', paths.size);
  const why = t(
    'The agent’s processes did not run when these files changed, so they are not among the changes. Undo All leaves them as they are.',
  );
  return { severity: 'info', title, text: `${why}\n\n${listed([...paths].map(label))}` };
}

function missedNotice(paths: readonly string[], label: (path: string) => string): TurnNotice | undefined {
  if (paths.length === 0) return undefined;
  const title =
    paths.length === 1
      ? t('Not in the checkpoint of this message: 1 file')
      : t('Not in the checkpoint of this message: {0} files', paths.length);
  const why = t('A copy could not be stored before the change, so Restore Checkpoint leaves these files unchanged.');
  return {
    severity: 'warning',
    title,
    text: `${why}

${listed(paths.map(label))}`,
  };
}

function unreviewedNotice(
  paths: readonly string[],
  why: string,
  label: (path: string) => string,
): TurnNotice | undefined {
  if (paths.length === 0) return undefined;
  const title = paths.length === 1 ? t('Not under review: 1 file') : t('Not under review: {0} files', paths.length);
  return { severity: 'warning', title, text: `${why}\n\n${listed(paths.map(label))}` };
}

/** The first labels, one a line, and the number of the others. */
export function listed(labels: readonly string[]): string {
  const shown = labels.toSorted().slice(0, MAX_SHOWN);
  const others = labels.length - shown.length;
  return [...shown, ...(others > 0 ? [t('and {0} more', others)] : [])].join('\n');
}
