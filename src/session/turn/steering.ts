import { randomUUID } from 'node:crypto';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { asObject, asString } from '../../base/json';
import { errorMessage } from '../../base/errors';
import type { AgentSessionBinding } from '../agents/agentSessionBinding';
import type { AttachedSession } from '../agents/agentPool';
import type { Block } from '../../shared/state/contentBlocks';
import type { PromptExpansion } from '../../shared/state/sessionState';
import { toPrompt } from './promptContent';

/** The extension by which an agent takes a message while a turn runs (only with `_meta.steering.supported`). */
const STEERING = '_session/steering';

/** Whether the agent takes messages into a running turn. */
export function canSteer(state: AgentState): boolean {
  return state.status === 'ready' && asObject(state.info.meta?.['steering'])?.['supported'] === true;
}

export interface SteeringOptions {
  readonly session: AttachedSession;
  readonly binding: AgentSessionBinding;
  readonly now: () => number;
  /** The agent may echo the text from here on; what it returns is called when the agent did not take it. */
  readonly expectEcho: (text: string, blocks: readonly Block[]) => () => void;
  /** The agent has the message: called in wire order, before it stands in the transcript. */
  readonly taken: () => void;
}

/** What came of a message that was to go into the running turn. */
export type SteerOutcome =
  | { readonly type: 'taken' }
  /** The turn has ended meanwhile: it is to be sent as a prompt. */
  | { readonly type: 'over' }
  /** `why` in the agent's words, where it says. */
  | { readonly type: 'refused'; readonly why?: string };

/** What the user typed, and what it stands for. */
export interface Message {
  readonly text: string;
  readonly expansion?: PromptExpansion;
  /** What was attached, as far as the agent's abilities are known fit for it. */
  readonly blocks: readonly Block[];
}

/** The text that the agent gets. */
export function promptText({ text, expansion }: Message): string {
  return expansion?.text ?? text;
}

/** Brings a message into the running turn. It never rejects. */
export async function steer(message: Message, options: SteeringOptions): Promise<SteerOutcome> {
  const { session, binding, now, expectEcho, taken } = options;
  const bound = binding.current;
  if (!bound) return { type: 'over' };
  const { blocks } = message;
  const sent = promptText(message);
  const forget = expectEcho(sent, blocks);
  const params = {
    sessionId: bound.agentSessionId,
    prompt: toPrompt(sent, blocks),
    _meta: { steering: { idleBehavior: 'promptRequired' } },
  };
  let outcome: string | undefined;
  const isTaken = (): boolean => outcome === 'injected' || outcome === 'startedNewTurn';
  try {
    await bound.link.connection.request(STEERING, params, {
      // In wire order: what the agent answers to it comes after it in the transcript (I3).
      onSettled: (settled) => {
        outcome = 'result' in settled ? asString(asObject(settled.result)?.['outcome']) : undefined;
        if (!isTaken()) return;
        taken();
        show(session, message, now());
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

/** The message in the transcript. An id of its own: two such messages in a row are two. */
function show(session: AttachedSession, { text, expansion, blocks }: Message, at: number): void {
  const of = { role: 'user', messageId: randomUUID(), at } as const;
  if (text !== '') session.dispatch({ type: 'textAppended', ...of, text, ...(expansion && { expansion }) });
  for (const block of blocks) session.dispatch({ type: 'blockAppended', ...of, block });
}
