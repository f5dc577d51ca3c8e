import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type {
  AttemptAction,
  AttemptRequest,
  Race,
  RaceAttempt,
  RacePageMessage,
} from '../../shared/protocol/racePageProtocol';
import { Icon } from '../controls/icon';
import { useClickGuard } from '../controls/useClickGuard';
import {
  ATTEMPT_ICONS,
  AttemptFiles,
  AttemptTaken,
  AttemptTime,
  STATUS_TEXTS,
  disabledReason,
  isAvailable,
  problemsText,
} from './attemptStatus';

type Post = (message: RacePageMessage) => void;

interface BoardProps {
  readonly races: ReadonlySignal<readonly Race[] | undefined>;
  readonly post: Post;
}

/** The attempts of each race side by side, with their live state. */
export function RacesApp({ races, post }: BoardProps): JSX.Element {
  const shown = races.value;
  const requests = shown?.flatMap(({ attempts }) => attempts.map(({ id, request }) => [id, request?.permissionId]));
  // Cards move when one comes, goes or asks something else.
  const [guarded, guard] = useClickGuard(JSON.stringify(requests));
  return (
    <main class="races" aria-label={t('Races')}>
      <header class="races-bar">
        <h1>{t('Races')}</h1>
        <button type="button" class="button primary" onClick={() => post({ type: 'newRace' })}>
          {t('Race…')}
        </button>
      </header>
      {shown?.length === 0 && (
        <p class="muted">{t('There are no worktrees. Use “Race…” or “New Chat in Worktree” to create one.')}</p>
      )}
      {shown?.map((race) => (
        <RaceSection key={race.id ?? ''} race={race} guarded={guarded} onAnswer={guard} post={post} />
      ))}
    </main>
  );
}

interface SectionProps {
  readonly race: Race;
  /** Answers are disabled for a moment. */
  readonly guarded: boolean;
  readonly onAnswer: () => void;
  readonly post: Post;
}

function RaceSection({ race: { id, title, attempts }, ...props }: SectionProps): JSX.Element {
  const name = escapeInvisibleInline(title);
  return (
    <section class="race" aria-label={id === undefined ? name : t('Race: {0}', name)}>
      <h2>{name}</h2>
      <div class="attempts">
        {attempts.map((attempt) => (
          <Attempt key={attempt.id} attempt={attempt} {...props} />
        ))}
      </div>
    </section>
  );
}

function Attempt({
  attempt,
  guarded,
  onAnswer,
  post,
}: Omit<SectionProps, 'race'> & { attempt: RaceAttempt }): JSX.Element {
  const { id, status, outcome, activity, request } = attempt;
  const agent = escapeInvisibleInline(attempt.agent);
  const answer = (permissionId: string, optionId: string): void => {
    if (guarded) return;
    onAnswer();
    post({ type: 'answer', attempt: id, permissionId, optionId });
  };
  return (
    <article class={`attempt ${status}`} aria-label={agent}>
      <h3>{agent}</h3>
      <p class="attempt-status">
        <Icon name={ATTEMPT_ICONS[status]} class={status === 'running' ? 'spin' : ''} />
        <span role="status">{outcome ?? STATUS_TEXTS[status]}</span>
        <AttemptTime attempt={attempt} />
      </p>
      {request && <Request request={request} guarded={guarded} onAnswer={answer} />}
      {!request && (activity !== undefined || status === 'running') && (
        <p class="attempt-activity muted">{escapeInvisibleInline(activity ?? '')}</p>
      )}
      <Facts attempt={attempt} />
      <div class="attempt-buttons" role="group" aria-label={t('Actions on the attempt of {0}', agent)}>
        {BUTTONS.filter(([action]) => isAvailable(action, attempt)).map(([action, label, icon]) => (
          <ActionButton key={action} action={action} label={label} icon={icon} attempt={attempt} post={post} />
        ))}
      </div>
    </article>
  );
}

interface ActionProps {
  readonly action: AttemptAction;
  readonly label: string;
  /** Instead of the label, which is long and seldom needed. */
  readonly icon: string | undefined;
  readonly attempt: RaceAttempt;
  readonly post: Post;
}

function ActionButton({ action, label, icon, attempt, post }: ActionProps): JSX.Element {
  const disabled = disabledReason(action, attempt);
  return (
    <button
      type="button"
      class="button"
      aria-disabled={disabled !== undefined}
      aria-label={icon && label}
      title={disabled ?? (icon && label)}
      onClick={() => disabled === undefined && post({ type: 'act', action, attempt: attempt.id })}
    >
      {icon === undefined ? label : <Icon name={icon} />}
    </button>
  );
}

interface RequestProps {
  readonly request: AttemptRequest;
  readonly guarded: boolean;
  readonly onAnswer: (permissionId: string, optionId: string) => void;
}

/** What the attempt asks, with the agent's options where the card shows all of it. */
function Request({ request: { permissionId, lines, options }, guarded, onAnswer }: RequestProps): JSX.Element {
  const [title = '', ...more] = lines.map(escapeInvisibleInline);
  return (
    <div class="attempt-request" role="group" aria-label={t('Permission: {0}', title)}>
      <p dir="auto">{title}</p>
      {more.length > 0 && (
        <p class="attempt-lines" dir="auto">
          {more.join('\n')}
        </p>
      )}
      {options.length === 0 && <p class="muted">{t('Open the chat to see the whole request.')}</p>}
      <div class="attempt-buttons">
        {options.map(({ optionId, name }) => (
          <button
            key={optionId}
            type="button"
            class="button"
            aria-disabled={guarded}
            onClick={() => onAnswer(permissionId, optionId)}
          >
            <bdi>{escapeInvisibleInline(name)}</bdi>
          </button>
        ))}
      </div>
    </div>
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
      <AttemptTaken attempt={attempt} />
      <span class="attempt-branch" title={escapeInvisibleInline(branch)}>
        {escapeInvisibleInline(branch)}
      </span>
    </p>
  );
}

const BUTTONS: readonly (readonly [action: AttemptAction, label: string, icon?: string])[] = [
  ['open', t('Open')],
  ['compare', t('Compare')],
  ['takeAll', t('Take All')],
  ['reviewTaken', t('Review Changes')],
  ['openInNewWindow', t('Open in New Window'), 'empty-window'],
  ['discard', t('Discard')],
];
