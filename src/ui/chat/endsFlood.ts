import type { Action } from '../../shared/state/sessionActions';

const ENDS_FLOOD: ReadonlySet<Action['type']> = new Set([
  'elicitationAnswered',
  'elicitationAsked',
  'messageQueued',
  'permissionAnswered',
  'promptSent',
  'replayEnded',
  'stopRequested',
  'turnEnded',
]);

/** Whether the user waits for an action: a flood of new entries must not hold it back. */
export function endsFlood(action: Action): boolean {
  return ENDS_FLOOD.has(action.type) || (action.type === 'permissionAsked' && !action.outcome);
}
