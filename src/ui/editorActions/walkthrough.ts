import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { SessionState } from '../../shared/state/sessionState';
import type { UserAction } from '../window';
import { STEPS, completedSteps } from './walkthroughSteps';
import type { Step } from './walkthroughSteps';

/** Completes the steps of the walkthrough when the user performs them. */
export class Walkthrough implements Disposable {
  readonly #store = new DisposableStore();
  readonly #doneSteps = new Set<Step>();
  /** The last checked state of each session. */
  readonly #before = new WeakMap<Session, SessionState>();

  /** @param onDidAct the user's actions in pages */
  constructor(sessions: Sessions, onDidAct: Event<UserAction>) {
    const events: readonly Event<Session>[] = [sessions.onDidChange, sessions.onDidChangeActive];
    for (const event of events) this.#store.add(event((session) => this.#checkSteps(session)));
    this.#store.add(onDidAct(({ intent }) => intent.type === 'watchTools' && this.#complete('tools')));
    this.#checkSteps(sessions.active);
  }

  /**
   * Shows the walkthrough. VS Code evaluates context keys at the first display and later only completes steps whose
   * keys change: so completed steps are set again.
   */
  async open(): Promise<void> {
    const done = [...this.#doneSteps];
    await Promise.all(done.map((step) => setStepDone(step, false)));
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'parley.parley#start', false);
    await Promise.all(done.map((step) => setStepDone(step, true)));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #checkSteps(session: Session): void {
    if (this.#doneSteps.size === STEPS.length) return;
    const steps = completedSteps(this.#before.get(session), session.state);
    this.#before.set(session, session.state);
    for (const step of steps) this.#complete(step);
  }

  #complete(step: Step): void {
    if (this.#doneSteps.has(step)) return;
    this.#doneSteps.add(step);
    void setStepDone(step, true);
  }
}

async function setStepDone(step: Step, isDone: boolean): Promise<void> {
  await vscode.commands.executeCommand('setContext', `parley.done.${step}`, isDone);
}
