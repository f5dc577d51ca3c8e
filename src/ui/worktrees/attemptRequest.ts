import { truncate } from '../../base/text';
import type { Session } from '../../session/session';
import type { AttemptRequest } from '../../shared/protocol/racePageProtocol';
import type { PendingPermissionRequest } from '../pendingRequests';
import { answerRequest, pendingRequestAt, reasonTexts, requestText } from '../pendingRequests';

/** A card grows with its request: larger ones are shown in the chat only. */
const MAX_LINES = 20;
const MAX_CHARS = 2_000;
/** UTF-16 units of the title of a larger request. */
const MAX_TITLE = 160;

/** The oldest pending request of a session, for the card of its attempt. */
export function attemptRequest(session: Session): AttemptRequest | undefined {
  const request = firstPending(session);
  if (!request) return undefined;
  const { permissionId, options } = request.permission;
  const { title, lines, isPartial } = requestText(session, request.permission);
  const text = [...lines, ...reasonTexts(request.permission)];
  const isWhole = !isPartial && text.length <= MAX_LINES && text.join('').length <= MAX_CHARS;
  if (!isWhole) return { permissionId, lines: [truncate(title, MAX_TITLE)], options: [] };
  return { permissionId, lines: text, options: options.map(({ optionId, name }) => ({ optionId, name })) };
}

/** Answers the request on a card. False if the card does not show it, or no longer. */
export function answerOnCard(session: Session, permissionId: string, optionId: string): boolean {
  const request = firstPending(session);
  const isShown = attemptRequest(session)?.options.some((option) => option.optionId === optionId) ?? false;
  const option = request?.permission.options.find((each) => each.optionId === optionId);
  if (!request || !option || !isShown || request.permission.permissionId !== permissionId) return false;
  return answerRequest(request, option);
}

function firstPending(session: Session): PendingPermissionRequest | undefined {
  return session.state.waiting.flatMap((entry) => pendingRequestAt(session, entry) ?? [])[0];
}
