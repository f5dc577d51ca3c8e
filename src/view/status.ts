import { showHiddenInLine, withoutIcons } from '../base/visible';
import type { SessionState } from '../shared/state';
import { connectionText } from '../shared/words';

/** What the status bar says. Pure. */
export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  /** Name for screen readers: no icon codes. */
  readonly label: string;
}

/** Agent, state, and "n waiting" when something needs the person. */
export function statusText(state: SessionState, waiting: number): StatusText {
  const connection = showHiddenInLine(connectionText(state.agent, state.connection));
  const working = state.turn.status === 'running';
  const said =
    working && state.connection.status === 'ready' ? connection.replace(/: ready$/, ': working') : connection;
  const parts = waiting > 0 ? [said, `${waiting} waiting`] : [said];
  const label = `Parley: ${parts.join(', ')}`;
  const action = waiting > 0 ? 'Click to answer what waits.' : 'Click to open the chat.';
  return {
    text: `$(${iconOf(state, waiting)}) ${withoutIcons(parts.join(', '))}`,
    tooltip: `${label}\n${action}`,
    label,
  };
}

function iconOf(state: SessionState, waiting: number): string {
  if (waiting > 0) return 'bell-dot';
  if (state.connection.status === 'failed' || state.connection.status === 'exited') return 'error';
  return state.turn.status === 'running' || ['starting', 'reconnecting'].includes(state.connection.status)
    ? 'loading~spin'
    : 'comment-discussion';
}
