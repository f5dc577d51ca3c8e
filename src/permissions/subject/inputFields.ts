import { isObject } from '../../base/json';

/** Fields of raw inputs that change nothing of what a call does. */

/** Strings and lists with these names describe a call and change nothing of what it does. */
export const DESCRIPTIONS = new Set(
  `description explanation reason justification title summary call_id callId turn_id turnId thread_id threadId item_id itemId id
  process_id started_at_ms parsed_cmd commandActions source status available_decisions availableDecisions
  proposed_execpolicy_amendment proposedExecpolicyAmendment`.split(/\s+/),
);

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * Names of numbers and truth values that change how the agent waits for a command and shows it. Others may change what it does: its rights,
 * or whether a shell reads its words.
 */
const WAITING =
  /time|delay|wait|yield|poll|interval|(?:^|_)m?s(?:ec(?:ond)?s?)?$|M[Ss]$|[Ss]ec(?:onds)?$|background|block|sync|detach|stream|pty|tty|interactive|login|max|min|limit|lines|chars|tokens|bytes|output|tail|head|cols|columns|rows|width|height|count|index|order|verbose|quiet|silent|color|truncat|retr(?:y|ies)|progress|approv|safeto|show|visible|focus|reuse|persist|pid$|_?id$/i;
const RIGHTS = /danger|sandbox|escalat|elevat|privileg|unsafe|bypass|skip|sudo|root|admin|uid$|gid$/i;

export function isHarmless(field: string, value: unknown): boolean {
  if (isAbsent(value) || (DESCRIPTIONS.has(field) && !isObject(value))) return true;
  if (typeof value === 'number' || typeof value === 'boolean') return WAITING.test(field) && !RIGHTS.test(field);
  return typeof value === 'object' && Object.keys(value ?? {}).length === 0;
}
