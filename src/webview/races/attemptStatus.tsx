import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { escapeInvisible } from '../../base/untrustedText';
import type { AttemptAction, RaceAttempt } from '../../shared/protocol/racePageProtocol';
import { formatDuration } from '../../shared/text/formatDuration';
import { Elapsed } from '../controls/elapsed';

export const STATUS_TEXTS: Readonly<Record<RaceAttempt['status'], string>> = {
  waiting: t('Waiting for you'),
  running: t('Running'),
  done: t('Done'),
  stopped: t('Stopped'),
  none: t('No chat'),
};

export const ATTEMPT_ICONS: Readonly<Record<RaceAttempt['status'], string>> = {
  waiting: 'bell-dot',
  running: 'loading',
  done: 'pass',
  stopped: 'circle-slash',
  none: 'git-branch',
};

/** What the user can do with an attempt now. */
export function isAvailable(action: AttemptAction, { status, taken }: RaceAttempt): boolean {
  if (action === 'reviewTaken') return taken !== undefined;
  if (action === 'allow') return status === 'waiting';
  return action !== 'open' || status !== 'none';
}

/** Why an action would do nothing. */
export function disabledReason(action: AttemptAction, { files, filesFailure }: RaceAttempt): string | undefined {
  const isUnchanged = files === 0 && filesFailure === undefined;
  return action === 'takeAll' && isUnchanged ? t('This attempt has not changed any files.') : undefined;
}

/** The time that the agent has worked. */
export function AttemptTime({ attempt: { since, ms } }: { attempt: RaceAttempt }): JSX.Element | undefined {
  if (since !== undefined) return <Elapsed since={since - ms} />;
  return ms === 0 ? undefined : <span class="elapsed">{formatDuration(ms)}</span>;
}

/** The number of changed files, or why it is not known. */
export function AttemptFiles({ attempt: { files, filesFailure } }: { attempt: RaceAttempt }): JSX.Element {
  if (filesFailure === undefined) return <span>{filesText(files)}</span>;
  return (
    <span class="attempt-failure" title={escapeInvisible(filesFailure)}>
      {t('Could not count files')}
    </span>
  );
}

/** The number of files that were taken and are not reviewed yet. */
export function AttemptTaken({ attempt: { taken } }: { attempt: RaceAttempt }): JSX.Element | undefined {
  if (taken === undefined) return undefined;
  return <span>{taken === 1 ? t('1 file taken') : t('{0} files taken', taken)}</span>;
}

function filesText(files: number | undefined): string {
  if (files === undefined) return t('Counting files…');
  if (files === 0) return t('No changes');
  return files === 1 ? t('1 file') : t('{0} files', files);
}

export function problemsText(problems: number | undefined): string {
  if (problems === undefined) return t('Problems not checked');
  return problems === 1 ? t('1 new problem') : t('{0} new problems', problems);
}
