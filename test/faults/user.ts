import { strict as assert } from 'node:assert';
import { entriesFrom, entryAt, lastEntry } from '../../src/shared/state/entryPages';
import type { Connection, ErrorEntry } from '../../src/shared/state/sessionState';
import type { Outcome } from './faults';
import { expectedOutcome } from './faults';
import type { FaultWindow } from './faultWindow';

const ORDER: readonly Outcome[] = ['goesOn', 'error', 'stop', 'forceStop', 'restart'];
const MAX_TRIES = 5;

const LAST = 'text alive at last';

/** Continues as a user would, by what the page shows, until the agent has answered again. */
export async function getOn(window: FaultWindow): Promise<Outcome> {
  const user = new User(window);
  window.finish();
  await user.meet();
  for (let count = 0; !window.bench.text.includes('alive at last'); count++) {
    assert.ok(count < MAX_TRIES, `no way on:\n${window.bench.text}`);
    await user.sendAgain();
  }
  return user.outcome;
}

class User {
  readonly #window: FaultWindow;
  #outcome: Outcome = 'goesOn';

  constructor(window: FaultWindow) {
    this.#window = window;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  /** Waits for the effect of the fault, and ends what hangs. */
  async meet(): Promise<void> {
    const isFailure = expectedOutcome(this.#window.cell) === 'error';
    const comes = await this.#window.comes(() => this.#isSettled() && (!isFailure || this.#failure() !== undefined));
    if (!comes) await this.#endWhatHangs();
    await this.#useWayOn();
  }

  async sendAgain(): Promise<void> {
    const window = this.#window;
    if (window.state.connection.status === 'signIn') window.acts(window.session.auth.signIn('login'));
    else window.acts(window.session.send(LAST));
    if (!(await window.comes(() => this.#isSettled()))) await this.#endWhatHangs();
    await this.#useWayOn();
  }

  /** Answers any pending request. */
  #isSettled(): boolean {
    const { session, state, isActing } = this.#window;
    for (const index of state.waiting) {
      const asked = entryAt(state.entries, index);
      if (asked?.kind === 'permission' && asked.options[0])
        session.userRequests.answer(asked.permissionId, asked.options[0].optionId);
      if (asked?.kind === 'elicitation')
        void session.userRequests.elicitations.answer(asked.elicitationId, { action: 'accept', content: {} });
    }
    const { turn, connection, waiting } = this.#window.state;
    const isBusy = connection.status === 'starting' || (connection.status === 'signIn' && 'signingIn' in connection);
    return !isActing && turn.status === 'idle' && !isBusy && waiting.length === 0;
  }

  /** Presses Stop, then Force Stop if available. If nothing seems to run, the next message shows that the agent hangs. */
  async #endWhatHangs(): Promise<void> {
    const window = this.#window;
    const { session } = window;
    const { connection, turn: before } = window.state;
    if (connection.status === 'signIn') {
      session.auth.cancel();
      await window.waitFor('the sign-in is canceled', () => !window.isActing);
      // The button of the sign-in card.
      this.#did('restart');
      return this.#restart();
    }
    if (before.status !== 'running') return undefined;
    session.turn.stop();
    await window.waitFor('Stop ends the turn, or Force Stop is offered', () => {
      const { turn } = window.state;
      return turn.status === 'idle' || turn.overdue === true;
    });
    const { turn } = session.state;
    if (turn.status === 'idle') {
      this.#did('stop');
      return undefined;
    }
    this.#did('forceStop');
    window.disarm();
    return session.restarter.forceStop();
  }

  /** Presses the button of an error, if there is one. */
  async #useWayOn(): Promise<void> {
    const failure = this.#failure();
    if (!failure) return;
    this.#did('error');
    const { remedies } = failure;
    assert.ok(remedies.includes('restart') || remedies.includes('retry'), `no way on from: ${failure.message}`);
    if (remedies.includes('restart')) await this.#restart();
  }

  async #restart(): Promise<void> {
    this.#window.disarm();
    await this.#window.session.restart();
  }

  #did(outcome: Outcome): void {
    if (ORDER.indexOf(outcome) > ORDER.indexOf(this.#outcome)) this.#outcome = outcome;
  }

  /** The alert that the page shows below the transcript, or the error at its end. */
  #failure(): Pick<ErrorEntry, 'message' | 'remedies'> | undefined {
    const { connection, entries } = this.#window.state;
    const last = lastEntry(entries);
    if (last?.kind === 'error') return last;
    return connectionFailure(connection);
  }
}

function connectionFailure(connection: Connection): Pick<ErrorEntry, 'message' | 'remedies'> | undefined {
  if (connection.status === 'failed') return { message: connection.message, remedies: ['restart'] };
  if (connection.status === 'exited') return { message: 'exited', remedies: ['restart'] };
  if (connection.status === 'signIn' && connection.error !== undefined)
    return { message: connection.error, remedies: ['restart'] };
  return undefined;
}

/** The transcript, for a comparison. */
export function transcript({ state }: FaultWindow): readonly string[] {
  return Array.from(entriesFrom(state.entries), ([, entry]) => {
    const text = 'text' in entry ? entry.text : 'message' in entry ? entry.message : '';
    return `${entry.kind}: ${text ?? ''}`;
  });
}
