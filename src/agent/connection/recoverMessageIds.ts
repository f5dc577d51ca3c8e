import type { JsonObject } from '../../base/json';
import { parseJson } from '../../base/json';
import { rpcCodes } from '../../base/jsonRpc';
import type { OversizedLine } from '../../node/process/ndjson';
import type { RpcId } from './orderedDispatcher';

/** For messages that are too long: they still settle the request that they belong to. */

/** The readable parts of a message of which only both ends were kept. */
export interface OversizedMessage {
  readonly id?: RpcId;
  readonly method?: string;
  /** From its params. */
  readonly sessionId?: string;
}

/** Finds `id` and `method` at both ends of a message; undefined if this does not look like a message. */
export function recoverMessageIds({ beginning, ending }: OversizedLine): OversizedMessage | undefined {
  const text = beginning.trimStart();
  if (!text.startsWith('{')) return undefined;
  const fields = new Map([...fieldsAtEnd(ending), ...fieldsAtStart(text)]);
  const id = fields.get('id');
  const method = fields.get('method');
  const sessionId = /"params"\s*:\s*\{\s*"sessionId"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const recovered = {
    ...((typeof id === 'string' || typeof id === 'number') && { id }),
    ...(typeof method === 'string' && { method }),
  };
  if (Object.keys(recovered).length === 0) return undefined;
  return { ...recovered, ...(sessionId !== undefined && { sessionId: String(parseJson(sessionId)) }) };
}

const FIELD = /\s*"(id|method|jsonrpc)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|null)\s*/;
const FIRST_FIELDS = new RegExp(`^\\{(?:${FIELD.source},)*`);
const LAST_FIELDS = new RegExp(`,${FIELD.source}(?:,${FIELD.source}){0,2}\\}\\s*$`);

function fieldsAtStart(text: string): [string, unknown][] {
  return fieldsIn(FIRST_FIELDS.exec(text)?.[0] ?? '');
}

/** Fields before the last brace belong to the message itself. */
function fieldsAtEnd(text: string): [string, unknown][] {
  return fieldsIn(LAST_FIELDS.exec(text)?.[0] ?? '');
}

function fieldsIn(text: string): [string, unknown][] {
  return Array.from(text.matchAll(new RegExp(FIELD, 'g')), ([, name = '', value = '']) => [name, parseJson(value)]);
}

/** A message that settles the request that waits for the oversized message; undefined when no request waits for it. */
export function substituteMessage(
  { id, method, sessionId }: OversizedMessage,
  sentence: string,
): JsonObject | undefined {
  if (method === undefined) return { jsonrpc: '2.0', id, error: { code: rpcCodes.internalError, message: sentence } };
  if (method !== 'session/update' || sessionId === undefined) return undefined;
  const update = { sessionUpdate: 'notice', severity: 'warning', title: sentence };
  return { jsonrpc: '2.0', method, params: { sessionId, update } };
}
