import { asNumber, asString, omitUndefined, requireObject, requireString } from '../base/json';
import { invalidParams } from '../base/jsonRpc';
import { parseElicitationForm } from '../session/userRequests/elicitationForm';
import type { ElicitationQuestion } from '../shared/state/elicitationState';

/** An `elicitation/create` that can be shown. It is about a session, or about a request of ours outside any session. */
export interface ElicitationParams {
  readonly message: string;
  readonly question: ElicitationQuestion;
  readonly sessionId?: string;
  readonly requestId?: string | number;
  /** The agent's own id, by which it says that what happens in the browser is over. */
  readonly elicitationId?: string;
}

/** @throws RpcError -32602 that names what is missing, or the mode or type that this client does not offer */
export function parseElicitation(value: unknown): ElicitationParams {
  const params = requireObject(value);
  const message = requireString(params, 'message');
  const sessionId = asString(params['sessionId']);
  const requestId = asString(params['requestId']) ?? asNumber(params['requestId']);
  if (sessionId === undefined && requestId === undefined) {
    throw invalidParams('"sessionId" or "requestId" must say what the question is about');
  }
  const elicitationId = asString(params['elicitationId']);
  return { message, question: parseElicitationForm(params), ...omitUndefined({ sessionId, requestId, elicitationId }) };
}
