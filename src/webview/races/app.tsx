import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { AttemptAction, Race, RaceAttempt, RacePageMessage } from '../../shared/protocol/racePageProtocol';
import { Icon } from '../controls/icon';
import { ATTEMPT_ICONS, AttemptFiles, AttemptTime, STATUS_TEXTS, problemsText } from './attemptStatus';

interface BoardProps {
  readonly races: ReadonlySignal<readonly Race[] | undefined>;
  readonly post: (message: RacePageMessage) => void;
}

/** The attempts of each race side by side, with their live state. */
export function RacesApp({ races, post }: BoardProps): JSX.Element {
  const shown = races.value;
  return (
    <main class="races" aria-label={t('Races')}>
      <header class="races-bar">
        <h1>{t('Races')}</h1>
        <button type="button" class="button" onClick={() => post({ type: 'newRace' })}>
          {t('Race…')}
        </button>
      </header>
      {shown?.length === 0 && (
        <p class="muted">{t('There are no worktrees. Use “Race…” or “New Chat in Worktree” to create one.')}</p>
      )}
      {shown?.map((race) => (
        <RaceSection key={race.id ?? ''} race={race} post={post} />
      ))}
    </main>
  );
}

function RaceSection({ race: { id, title, attempts }, post }: { race: Race; post: BoardProps['post'] }): JSX.Element {
  const name = escapeInvisibleInline(title);
  return (
    <section class="race" aria-label={id === undefined ? name : t('Race: {0}', name)}>
      <h2>{name}</h2>
      <div class="attempts">
        {attempts.map((attempt) => (
          <Attempt key={attempt.id} attempt={attempt} post={post} />
        ))}
      </div>
    </section>
  );
}

function Attempt({ attempt, post }: { attempt: RaceAttempt; post: BoardProps['post'] }): JSX.Element {
  const { id, status, outcome, activity } = attempt;
  const agent = escapeInvisibleInline(attempt.agent);
  const act = (action: AttemptAction): void => post({ type: 'act', action, attempt: id });
  const buttons = status === 'none' ? BUTTONS.filter(([action]) => action !== 'open') : BUTTONS;
  return (
    <article class={`attempt ${status}`} aria-label={agent}>
      <h3>{agent}</h3>
      <p class="attempt-status">
        <Icon name={ATTEMPT_ICONS[status]} class={status === 'running' ? 'spin' : ''} />
        <span role="status">{outcome ?? STATUS_TEXTS[status]}</span>
        <AttemptTime attempt={attempt} />
      </p>
      <p class="attempt-activity muted">{activity === undefined ? '' : escapeInvisibleInline(activity)}</p>
      <Facts attempt={attempt} />
      <div class="attempt-buttons" role="group" aria-label={t('Actions on the attempt of {0}', agent)}>
        {buttons.map(([action, label]) => (
          <button key={action} type="button" class="button" onClick={() => act(action)}>
            {label}
          </button>
        ))}
      </div>
    </article>
  );
}

function Facts({ attempt }: { attempt: RaceAttempt }): JSX.Element {
  const { added, removed, problems, cost, branch } = attempt;
  return (
    <p class="attempt-facts">
      <AttemptFiles attempt={attempt} />
      {added + removed > 0 && (
        <span>
          <span class="added">+{added}</span> <span class="removed">−{removed}</span>
        </span>
      )}
      <span>{problemsText(problems)}</span>
      {cost !== undefined && <span>{cost}</span>}
      <span class="attempt-branch" title={escapeInvisibleInline(branch)}>
        {escapeInvisibleInline(branch)}
      </span>
    </p>
  );
}

const BUTTONS: readonly (readonly [AttemptAction, string])[] = [
  ['open', t('Open')],
  ['compare', t('Compare')],
  ['takeAll', t('Take All')],
  ['openInNewWindow', t('Open in New Window')],
  ['discard', t('Discard')],
];
