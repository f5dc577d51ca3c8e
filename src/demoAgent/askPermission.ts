import type { PermissionOption } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { CanceledError } from '../base/errors';
import { asObject, asString } from '../base/json';
import type { DemoToolCall } from './demoToolCall';
import type { Turn } from './demoTurn';

/**
 * Asks the user about a tool call. Returns the option chosen; throws a CanceledError when the question was
 * answered "cancelled", for that is what a client answers when the turn is being canceled.
 */
export async function ask(turn: Turn, tool: DemoToolCall, options: PermissionOption[]): Promise<PermissionOption> {
  const answer = await turn.request(methods.client.session.requestPermission, {
    sessionId: turn.session.id,
    toolCall: tool.call,
    options,
  });
  // The SDK does not check responses, so this one is read with care.
  const outcome = asObject(asObject(answer)?.['outcome']);
  if (outcome?.['outcome'] === 'cancelled') throw new CanceledError();
  const optionId = asString(outcome?.['optionId']);
  const chosen = options.find((option) => option.optionId === optionId);
  if (!chosen) throw new Error(`The client chose the option "${optionId ?? ''}", which was not offered.`);
  return chosen;
}
