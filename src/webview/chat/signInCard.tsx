import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../../base/l10n';
import type { Connection, SignInMethod } from '../../shared/state/sessionState';
import { Icon } from '../controls/icon';
import { TranslatedSentence } from '../controls/translatedSentence';
import { usePage } from './pageContext';

type SignInState = Extract<Connection, { status: 'signIn' }>;

/** The agent requires a sign-in: a button per method, and the progress. */
export function SignInCard({ state }: { state: SignInState }): JSX.Element {
  const { post } = usePage();
  const { message, detail, methods, signingIn, error } = state;
  return (
    <div class="alert sign-in" role="alert">
      <p class="alert-message" dir="auto">
        <Icon name="key" />
        <span>{message}</span>
      </p>
      {detail !== undefined && detail !== '' && (
        <p class="muted" dir="auto">
          {detail}
        </p>
      )}
      {error !== undefined && (
        <p class="sign-in-error" dir="auto">
          <Icon name="error" />
          <span>{error}</span>
        </p>
      )}
      {signingIn === undefined ? <Methods methods={methods} /> : <Progress name={signingIn} />}
      {signingIn === undefined && (
        <div class="buttons">
          <button type="button" class="button" onClick={() => post({ type: 'restartAgent' })}>
            {t('Restart Agent')}
          </button>
          {error !== undefined && (
            <button type="button" class="button" onClick={() => post({ type: 'showLog' })}>
              {t('Show Log')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Methods({ methods }: { methods: readonly SignInMethod[] }): JSX.Element {
  if (methods.length === 0) {
    return (
      <p class="muted">
        {t(
          'The agent does not provide a sign-in method. Sign in with the agent’s own command in a terminal, then restart the agent.',
        )}
      </p>
    );
  }
  return (
    <ul class="sign-in-methods" aria-label={t('Sign-in methods')}>
      {methods.map((method) => (
        <li key={method.id}>
          <Method method={method} />
        </li>
      ))}
    </ul>
  );
}

function Method({ method }: { method: SignInMethod }): JSX.Element {
  const { post } = usePage();
  const about = useId();
  const { id, name, type, description, command, unsupportedType } = method;
  return (
    <>
      {type === 'unsupported' ? (
        <bdi class="sign-in-name">{name}</bdi>
      ) : (
        <button
          type="button"
          class="button primary"
          aria-describedby={about}
          onClick={() => post({ type: 'signIn', methodId: id })}
        >
          <bdi>{name}</bdi>
        </button>
      )}
      <span class="muted" id={about} dir="auto">
        {description}
        {command !== undefined && (
          <>
            {' '}
            <TranslatedSentence text={t('Runs in a terminal: {0}')} parts={[<code>{command}</code>]} />
          </>
        )}
        {type === 'unsupported' && ` ${t('Not supported by Parley (type “{0}”).', unsupportedType ?? '')}`}
      </span>
    </>
  );
}

function Progress({ name }: { name: string }): JSX.Element {
  const { post } = usePage();
  return (
    <div class="buttons">
      <span class="muted" role="status" aria-label={t('Sign-in')} aria-live="off">
        <TranslatedSentence text={t('Signing in: {0}…')} parts={[<bdi>{name}</bdi>]} />
      </span>
      <button type="button" class="button" onClick={() => post({ type: 'cancelSignIn' })}>
        {t('Cancel')}
      </button>
    </div>
  );
}
