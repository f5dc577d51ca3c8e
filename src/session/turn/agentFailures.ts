import type { AgentState } from '../../agent/connection/agentLaunch';
import { ParleyError, errorSentences, isCancellation } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { ErrorAction } from '../../shared/state/sessionState';
import { exitText } from '../../shared/text/statusText';
import { isAboutSignIn, isAuthRequired } from '../agents/signInFlow';
import type { SessionModel } from '../sessionModel';
import { limitResetAt } from './usageLimitRetry';

/**
 * What the conversation shows when the agent of a session exits, refuses or fails, and what the user can do then. Nothing is restarted
 * by itself.
 */
export class AgentFailures {
  /** The exit is shown as the failure of a turn or of the start. */
  #isExitShown = false;

  constructor(private readonly model: SessionModel) {}

  /** Whether an exit is, or will be, shown as the failure of a request. */
  expectExit(isShown: boolean): void {
    this.#isExitShown = isShown;
  }

  /** The process has ended. In a turn, the failure of its prompt is shown instead. */
  showExit(state: Extract<AgentState, { status: 'exited' }>, title: string): void {
    if (this.#isExitShown || this.model.state.turn.status === 'running') return;
    this.#show(t('{0} exited ({1}).', title, exitText(state)), state.stderr, ['restart', 'showLog']);
  }

  /**
   * The user stopped a turn before the session was open. A hung agent would stop the next message, too.
   * @param title of the agent; undefined if none is being started
   */
  showUnopened(title: string | undefined): void {
    if (title === undefined) return;
    const message = t('{0} has not opened the session yet. If it does not respond, restart the agent.', title);
    this.#show(message, undefined, ['restart', 'retry']);
  }

  /** Adds an error entry; ignores a cancellation. */
  show(error: unknown): void {
    if (isCancellation(error)) return;
    const { model } = this;
    if (isAuthRequired(error)) {
      const title = model.state.agent?.title ?? t('The agent');
      const message = `${t('{0} requires sign-in. Sign in, then retry.', title)} ${errorSentences(error)}`;
      this.#show(message, undefined, ['signIn', 'retry', 'showLog']);
      return;
    }
    const detail = ParleyError.is(error) ? error.detail : undefined;
    const retryAt = limitResetAt(error, model.state.limits, model.now());
    this.#show(errorSentences(error), detail, remediesFor(error), retryAt);
  }

  #show(message: string, detail: string | undefined, remedies: readonly ErrorAction[], retryAt?: number): void {
    const optional = omitUndefined({ detail: detail || undefined, retryAt });
    this.model.dispatch({ type: 'errorShown', message, ...optional, remedies, at: this.model.now() });
  }
}

function remediesFor(error: unknown): ErrorAction[] {
  if (isAboutSignIn(error)) return ['signIn', 'retry', 'showLog'];
  if (ParleyError.is(error, 'folderNotFound')) return ['chooseFolder', 'retry'];
  if (ParleyError.is(error, 'agentNotFound')) return ['openSettings', 'restart'];
  if (ParleyError.is(error, 'agentExited') || ParleyError.is(error, 'agentProtocol'))
    return ['restart', 'retry', 'showLog'];
  return ['retry', 'showLog'];
}
