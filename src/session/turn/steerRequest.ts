import { randomUUID } from 'node:crypto';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { errorMessage } from '../../base/errors';
import { asObject, asString } from '../../base/json';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import type { SessionModel } from '../sessionModel';
import type { Message } from './promptContent';
import { promptText, toPrompt } from './promptContent';

/**
 * The extension for sending a message into a running turn (only with `_meta.steering.supported`). Whether a message steers or waits is
 * decided in `promptSender.ts`, then `messageQueue.ts`.
 */
const STEERING = '_session/steering';

export function supportsSteering(state: AgentState): boolean {
  return state.status === 'ready' && asObject(state.info.meta?.['steering'])?.['supported'] === true;
}

type SteerOutcome =
  | { readonly type: 'taken' }
  /** The turn has ended meanwhile: send it as a prompt. */
  | { readonly type: 'over' }
  /** `why` in the agent's words, if given. */
  | { readonly type: 'refused'; readonly why?: string };

/**
 * Sends a message into the running turn. Never rejects.
 * @param onTaken called in wire order when the agent has the message, before the message is in the transcript
 */
export async function steer(
  message: Message,
  model: SessionModel,
  binding: AgentSessionBinding,
  onTaken: () => void,
): Promise<SteerOutcome> {
  const bound = binding.current;
  if (!bound) return { type: 'over' };
  const { blocks } = message;
  const sent = promptText(message);
  const forget = model.repeatedPrompts.expect(sent, blocks);
  const params = {
    sessionId: bound.agentSessionId,
    prompt: toPrompt(sent, blocks),
    _meta: { steering: { idleBehavior: 'promptRequired' } },
  };
  let outcome: string | undefined;
  const isTaken = (): boolean => outcome === 'injected' || outcome === 'startedNewTurn';
  try {
    await bound.link.connection.request(STEERING, params, {
      // In wire order: the agent's reply follows it in the transcript (I3).
      onSettled: (response) => {
        outcome = 'result' in response ? asString(asObject(response.result)?.['outcome']) : undefined;
        if (!isTaken()) return;
        onTaken();
        showUserMessage(model, message);
      },
    });
  } catch (error) {
    forget();
    return { type: 'refused', why: errorMessage(error) };
  }
  if (isTaken()) return { type: 'taken' };
  forget();
  return outcome === 'promptRequired' ? { type: 'over' } : { type: 'refused' };
}

/** The message has its own id, so that two such messages in a row stay separate. */
function showUserMessage(model: SessionModel, { text, expansion, blocks }: Message): void {
  const of = { role: 'user', messageId: randomUUID(), at: model.now() } as const;
  if (text !== '') model.dispatch({ type: 'textAppended', ...of, text, ...(expansion && { expansion }) });
  for (const block of blocks) model.dispatch({ type: 'blockAppended', ...of, block });
}
