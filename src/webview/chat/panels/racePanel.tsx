import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { AttemptAction, Race, RaceAttempt } from '../../../shared/protocol/racePageProtocol';
import { Icon, IconButton } from '../../controls/icon';
import {
  ATTEMPT_ICONS,
  AttemptFiles,
  AttemptTaken,
  AttemptTime,
  STATUS_TEXTS,
  disabledReason,
  isAvailable,
  problemsText,
} from '../../races/attemptStatus';
import { useHostMessage, usePage } from '../pageContext';
import { LineCounts } from '../toolCalls/diffCard';

/** The race in which the session is an attempt, above the message box; nothing for a session in no race. */
export function RacePanel(): JSX.Element | null {
  const { store, post } = usePage();
  const race = useSignal<Race | undefined>(undefined);
  const open = useSignal(true);
  useHostMessage('race', (message) => {
    if (message.session === store.state?.id) race.value = message.race;
  });
  useEffect(() => post({ type: 'watchRace' }), [post]);
  if (!race.value) return null;
  const name = t('Race: {0}', escapeInvisibleInline(race.value.title));
  return (
    <section class="bar-box race-panel" role="region" aria-label={name}>
      <button type="button" class="bar" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name="chevron-right" class="chevron" />
        <span class="bar-text">{name}</span>
      </button>
      {open.value && (
        <div class="dock-list race-attempts">
          {race.value.attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} isCurrent={attempt.branch === store.branch.value} />
          ))}
        </div>
      )}
    </section>
  );
}

const BUTTONS: readonly (readonly [AttemptAction, string, string])[] = [
  ['allow', t('Allow…'), 'pass'],
  ['open', t('Open'), 'comment-discussion'],
  ['compare', t('Compare'), 'diff-multiple'],
  ['takeAll', t('Take All'), 'insert'],
  ['reviewTaken', t('Review Changes'), 'diff-single'],
  ['discard', t('Discard'), 'trash'],
];

function Attempt({ attempt, isCurrent }: { attempt: RaceAttempt; isCurrent: boolean }): JSX.Element {
  const { post } = usePage();
  const { id, status, outcome, branch } = attempt;
  const agent = escapeInvisibleInline(attempt.agent);
  return (
    <article class={`race-attempt ${status}`} aria-label={agent} aria-current={isCurrent}>
      <Icon name={ATTEMPT_ICONS[status]} class={status === 'running' ? 'spin' : ''} />
      <div class="race-attempt-text">
        <bdi class="race-attempt-agent" title={escapeInvisibleInline(branch)}>
          {agent}
        </bdi>
        <span role="status">{outcome ?? STATUS_TEXTS[status]}</span>
        <AttemptTime attempt={attempt} />
        <Facts attempt={attempt} />
      </div>
      <div class="race-attempt-buttons" role="group" aria-label={t('Actions on the attempt of {0}', agent)}>
        {BUTTONS.filter(([action]) => isAvailable(action, attempt)).map(([action, label, icon]) => (
          <IconButton
            key={action}
            icon={icon}
            label={label}
            disabled={disabledReason(action, attempt)}
            onClick={() => post({ type: 'actOnAttempt', action, attempt: id })}
          />
        ))}
      </div>
    </article>
  );
}

function Facts({ attempt }: { attempt: RaceAttempt }): JSX.Element {
  const { added, removed, problems, cost } = attempt;
  return (
    <>
      <AttemptFiles attempt={attempt} />
      {added + removed > 0 && <LineCounts added={added} removed={removed} />}
      <span>{problemsText(problems)}</span>
      {cost !== undefined && <span>{cost}</span>}
      <AttemptTaken attempt={attempt} />
    </>
  );
}
