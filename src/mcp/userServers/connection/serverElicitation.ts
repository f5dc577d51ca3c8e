import type { JsonObject } from '../../../base/json';
import { asString } from '../../../base/json';
import { RpcError, rpcCodes } from '../../../base/jsonRpc';
import { t } from '../../../base/l10n';
import { truncate } from '../../../base/text';
import type { ToolContext } from '../../../session/toolServer';
import { parseElicitationForm, parseElicitationUrl } from '../../../session/userRequests/elicitationForm';
import type { ElicitationReply } from '../../../shared/state/elicitationState';

/** UTF-16 units of a request as JSON, and of its message: all of it is stored and shown. */
const MAX_REQUEST = 1024 * 1024;
const MAX_MESSAGE = 10_000;
/** UTF-16 units; a URL is shown in full. */
const MAX_URL = 8_000;

/**
 * Shows a server's elicitation in the chat whose call is running. An elicitation does not name its call: without a running call, or with
 * calls of several chats, its chat is unknown.
 * @param server name of the server
 * @param calls the running calls
 * @throws RpcError -32600 if the chat is unknown, -32602 for a request that cannot be shown
 */
export async function askUser(
  server: string,
  calls: readonly ToolContext[],
  params: JsonObject,
  signal: AbortSignal,
): Promise<ElicitationReply> {
  const call = calls.at(-1);
  if (!call) throw elicitationError('The user is asked only while a tool of this server is called: ask again then.');
  if (calls.some(({ session }) => session.id !== call.session.id))
    throw elicitationError(
      'Several chats call this server at the same time, so it is unknown which one asks: ask again later.',
    );
  if (JSON.stringify(params).length > MAX_REQUEST)
    throw new RpcError(rpcCodes.invalidParams, `A request to the user may have ${MAX_REQUEST} characters`);
  const url = asString(params['url']);
  const message = asString(params['message']) ?? '';
  const withdrawn = AbortSignal.any([signal, call.signal]);
  if (params['mode'] === 'url' && url !== undefined)
    return { action: await askForUrl({ ...call, signal: withdrawn }, server, message, url) };
  const question = parseElicitationForm(params);
  return call.waitForUser(
    call.session.userRequests.elicit({
      message: truncate(message, MAX_MESSAGE),
      question,
      signal: withdrawn,
      from: fromServer(server),
    }).answer,
  );
}

/** Shows a URL in a chat. Declines a URL that cannot be shown safely. */
export async function askForUrl(
  { session, waitForUser, signal }: ToolContext,
  server: string,
  message: string,
  url: string,
): Promise<ElicitationReply['action']> {
  const question = parseElicitationUrl(url);
  if ('problem' in question || url.length > MAX_URL) return 'decline';
  const request = { message: truncate(message, MAX_MESSAGE), question, signal, from: fromServer(server) };
  return (await waitForUser(session.userRequests.elicit(request).answer)).action;
}

export function elicitationError(message: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message);
}

function fromServer(name: string): string {
  return t('The MCP server “{0}”', name);
}
