import type { AgentState } from '../agent/connection/agentLaunch';
import { assertNever } from '../base/assert';
import { omitUndefined } from '../base/json';
import type { Connection } from '../shared/state/sessionState';
import { promptCapabilities } from './turn/promptContent';
import { supportsSteering } from './turn/steerRequest';

/** @param signIn set while the agent requires a sign-in */
export function toConnection(state: AgentState, signIn?: Connection): Connection {
  switch (state.status) {
    case 'stopped':
      return { status: 'idle' };
    case 'starting':
      return { status: 'starting' };
    case 'reconnecting':
      return { status: 'reconnecting', attempt: state.attempt };
    case 'ready':
      return (
        signIn ?? {
          status: 'ready',
          ...(supportsSteering(state) && { steers: true }),
          ...omitUndefined({ accepts: promptCapabilities(state) }),
        }
      );
    case 'failed':
      return { status: 'failed', message: state.error.message, ...omitUndefined({ detail: state.error.detail }) };
    case 'exited':
      return {
        status: 'exited',
        ...omitUndefined({ code: state.code, signal: state.signal, detail: state.stderr || undefined }),
      };
    default:
      return assertNever(state);
  }
}
