import type { ClientFeature, RequestContext, RequestHandler } from '../agent/clientFeature';
import type { JsonObject } from '../base/json';
import { asArray, asString, isObject, requireObject, requireString } from '../base/json';
import { invalidParams } from '../base/jsonRpc';
import { t } from '../base/l10n';
import type { SessionLookup } from '../session/sessionHandle';
import { requireSession } from '../session/sessionHandle';
import type { PermissionOutcome } from '../shared/state/toolCallState';

interface PermissionParams {
  readonly sessionId: string;
  readonly toolCall: unknown;
  /** Each has an `optionId` and a `name`; other fields are unchanged. */
  readonly options: readonly JsonObject[];
}

interface PermissionResult {
  readonly outcome: { readonly outcome: 'selected'; readonly optionId: string } | { readonly outcome: 'cancelled' };
}

/** Serves `session/request_permission`, which every client supports without a capability. */
export function permissionFeature(lookup: SessionLookup): ClientFeature {
  return {
    capabilities: {},
    handlers: [
      {
        method: 'session/request_permission',
        parse: parsePermission,
        handle: (params, context) => requestPermission(lookup, params, context),
      } satisfies RequestHandler<PermissionParams>,
    ],
  };
}

/** Keeps unknown kinds and extra fields; skips options without an id, which cannot be answered. */
export function parsePermission(params: unknown): PermissionParams {
  const object = requireObject(params);
  const options = asArray(object['options'])
    .filter(isObject)
    .flatMap((option) => {
      const optionId = asString(option['optionId']);
      if (optionId === undefined) return [];
      const name = asString(option['name'])?.trim();
      return [{ ...option, optionId, name: name === undefined || name === '' ? optionId : name }];
    });
  return { sessionId: requireString(object, 'sessionId'), toolCall: object['toolCall'], options };
}

async function requestPermission(
  lookup: SessionLookup,
  params: PermissionParams,
  context: RequestContext,
): Promise<PermissionResult> {
  const session = requireSession(lookup, params.sessionId);
  const { toolCall, sessionId } = params;
  const options = withoutCopies(params.options);
  const { signal } = context;
  const warn = (title: string, text: string): void =>
    session.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: Date.now() });
  if (options.length === 0) {
    // The request could never be answered, and the turn would hang.
    const text = t('The agent requested permission but provided no options. The request was canceled.');
    warn(t('Permission request without options'), text);
    await session.userRequests.requestPermission({ sessionId, toolCall, options, signal });
    return cancelled;
  }
  const unclear = unclearReason(options);
  if (unclear) {
    const { text, problem } = unclear;
    warn(t('Permission request with unclear options'), text);
    // Not asked, but in the transcript and in the audit log.
    await session.userRequests.requestPermission({ sessionId, toolCall, options: [], signal, refusal: text });
    throw invalidParams(problem);
  }
  // Asked before the first await, so that the question takes its place in wire order (I3).
  const outcome = await session.userRequests.requestPermission({ sessionId, toolCall, options, signal });
  return toWire(outcome, options);
}

/** An option that repeats another one means the same. */
function withoutCopies(options: PermissionParams['options']): PermissionParams['options'] {
  const seen = new Map(options.toReversed().map((option) => [copyKey(option), option]));
  return options.filter((option) => seen.get(copyKey(option)) === option);
}

function copyKey({ optionId, name, kind }: JsonObject): string {
  return JSON.stringify([optionId, name, kind]);
}

/** Each is a button. */
const MAX_OPTIONS = 100;

/** Why no answer would be clear: a text for the user, and one for the agent. */
function unclearReason(
  options: PermissionParams['options'],
): { readonly text: string; readonly problem: string } | undefined {
  if (options.length > MAX_OPTIONS)
    return {
      text: t('The agent offered more than {0} options. The request was rejected.', MAX_OPTIONS),
      problem: `"options" has more than ${MAX_OPTIONS} options`,
    };
  const ids = options.map(({ optionId }) => optionId);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated === undefined) return undefined;
  // Any button could be understood as another one: “Reject” as “Allow”.
  return {
    text: t('The agent gave several options the same id, so no answer would be clear. The request was rejected.'),
    problem: `"options" has several options with the optionId ${JSON.stringify(repeated)}`,
  };
}

const cancelled: PermissionResult = { outcome: { outcome: 'cancelled' } };

/** Only returns an option that was offered (I7). */
function toWire(outcome: PermissionOutcome, options: readonly JsonObject[]): PermissionResult {
  if (outcome.type === 'canceled') return cancelled;
  const { optionId } = outcome;
  if (!options.some((option) => option['optionId'] === optionId)) return cancelled;
  return { outcome: { outcome: 'selected', optionId } };
}
