import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import { DisposableStore } from '../../base/lifecycle';
import type { Disposable } from '../../base/lifecycle';
import type { SessionState } from '../../shared/state';
import type { ViewSession, ViewSessions } from '../ports';
import type { Step } from './steps';
import { STEPS, stepsTaken } from './steps';

/** Opens the walkthrough. */
export async function openWalkthrough(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'parley.parley#start', false);
}

/** Completes the steps of the walkthrough as the person takes them, in whichever way. */
export function followFirstSteps(
  sessions: Pick<ViewSessions, 'active' | 'onDidChange' | 'onDidChangeActive'>,
): Disposable {
  const store = new DisposableStore();
  const done = new Set<Step>();
  const before = new WeakMap<ViewSession, SessionState>();
  const look = (session: ViewSession): void => {
    if (done.size === STEPS.length) return;
    const steps = stepsTaken(before.get(session), session.state);
    before.set(session, session.state);
    for (const step of steps) {
      if (done.has(step)) continue;
      done.add(step);
      void vscode.commands.executeCommand('setContext', `parley.done.${step}`, true);
    }
  };
  const events: readonly Event<ViewSession>[] = [sessions.onDidChange, sessions.onDidChangeActive];
  for (const event of events) store.add(event(look));
  look(sessions.active);
  return store;
}
