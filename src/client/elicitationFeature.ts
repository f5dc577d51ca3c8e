import type { ClientFeature, RequestContext, RequestHandler } from '../agent/clientFeature';
import { asNumber, asObject, asString, omitUndefined, requireObject, requireString } from '../base/json';
import { invalidParams } from '../base/jsonRpc';
import type { SessionHandle, SessionLookup } from '../session/sessionHandle';
import { requireSession } from '../session/sessionHandle';
import { parseElicitationForm } from '../session/userRequests/elicitationForm';
import type { ElicitationReply, ElicitationQuestion } from '../shared/state/elicitationState';

/** Shows `elicitation/*` requests as a form or a URL. */
export function elicitationFeature(lookup: SessionLookup): ClientFeature {
  /** Completion callbacks by the agent's own ids. */
  const opened = new Map<string, () => void>();
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    handlers: [
      {
        method: 'elicitation/create',
        parse: parseElicitation,
        handle: (params, context) => elicit(lookup, params, context, opened),
      } satisfies RequestHandler<ElicitationParams>,
    ],
    notifications: [
      {
        method: 'elicitation/complete',
        handle: (params) => {
          const id = asString(asObject(params)?.['elicitationId']) ?? '';
          // Unknown and finished ids are ignored (ACP: elicitation).
          opened.get(id)?.();
          opened.delete(id);
        },
      },
    ],
  };
}

async function elicit(
  lookup: SessionLookup,
  params: ElicitationParams,
  { signal }: RequestContext,
  opened: Map<string, () => void>,
): Promise<ElicitationReply> {
  const { message, question, elicitationId } = params;
  // Asked before the first await, so that the question takes its place in wire order (I3).
  const request = sessionOf(lookup, params).userRequests.elicit({ message, question, signal });
  if (elicitationId !== undefined && question.mode === 'url') opened.set(elicitationId, () => request.complete());
  const answer = await request.answer;
  if (answer.action !== 'accept' && elicitationId !== undefined) opened.delete(elicitationId);
  return answer;
}

function sessionOf(lookup: SessionLookup, { sessionId }: ElicitationParams): SessionHandle {
  if (sessionId !== undefined) return requireSession(lookup, sessionId);
  const session = lookup.activeSession?.();
  if (!session) throw invalidParams('Nobody waits for this request any more');
  return session;
}

/** For a session, or for one of Parley's requests outside any session. */
interface ElicitationParams {
  readonly message: string;
  readonly question: ElicitationQuestion;
  readonly sessionId?: string;
  readonly requestId?: string | number;
  /** The agent's id for completing a URL elicitation. */
  readonly elicitationId?: string;
}

/** @throws RpcError -32602 that names what is missing, or the unsupported mode or type */
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
