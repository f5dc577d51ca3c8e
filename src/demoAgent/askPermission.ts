import type { PermissionOption } from '@agentclientprotocol/sdk/unstable';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { CanceledError } from '../base/errors';
import { asObject, asString } from '../base/json';
import type { DemoToolCall } from './demoToolCall';
import type { DemoTurn } from './demoTurn';

/**
 * Requests permission for a tool call. Returns the selected option.
 * @throws CanceledError when the outcome is "cancelled", which a client sends while it cancels the turn
 */
export async function askPermission(
  turn: DemoTurn,
  tool: DemoToolCall,
  options: PermissionOption[],
): Promise<PermissionOption> {
  const answer = await turn.request(methods.client.session.requestPermission, {
    sessionId: turn.session.id,
    toolCall: tool.call,
    options,
  });
  // The SDK does not validate responses.
  const outcome = asObject(asObject(answer)?.['outcome']);
  if (outcome?.['outcome'] === 'cancelled') throw new CanceledError();
  const optionId = asString(outcome?.['optionId']);
  const chosen = options.find((option) => option.optionId === optionId);
  if (!chosen) throw new Error(`The client chose the option "${optionId ?? ''}", which was not offered.`);
  return chosen;
}
