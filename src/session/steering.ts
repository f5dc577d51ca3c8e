import { randomUUID } from 'node:crypto';
import type { AgentState } from '../agent/connection';
import { asObject, asString } from '../base/json';
import { messageOf } from '../base/errors';
import type { Binding } from './binding';
import type { LinkedSession } from './agents';
import type { Block } from '../shared/content';
import type { Expansion } from '../shared/state';
import { toPrompt } from './attached';

/** The extension by which an agent takes a message while a turn runs (acp.md, section 7; gate `_meta.steering.supported`). */
const STEERING = '_session/steering';

/** Whether the agent takes messages into a running turn. */
export function steers(state: AgentState): boolean {
  return state.status === 'ready' && asObject(state.info.meta?.['steering'])?.['supported'] === true;
}

export interface SteeringOptions {
  readonly session: LinkedSession;
  readonly binding: Binding;
  readonly now: () => number;
  /** The agent may echo the text from here on; what it returns is called when the agent did not take it. */
  readonly expectEcho: (text: string, blocks: readonly Block[]) => () => void;
  /** Sends the text as an ordinary prompt: the turn has ended meanwhile. */
  readonly prompt: (text: string, blocks: readonly Block[]) => Promise<void>;
}

/** What the person typed, and what it stands for. */
export interface Message {
  readonly text: string;
  readonly expansion?: Expansion;
  /** What was attached, as far as the agent's abilities are known fit for it. */
  readonly blocks: readonly Block[];
}

/** The text that the agent gets. */
export function sentText({ text, expansion }: Message): string {
  return expansion?.text ?? text;
}

/** Brings a message into the running turn. It never rejects, and the text is never lost: what was not taken is said, with the text. */
export async function steer(
  message: Message,
  { session, binding, now, prompt, expectEcho }: SteeringOptions,
): Promise<void> {
  const bound = binding.current;
  if (!bound) return;
  const { text, blocks } = message;
  const sent = sentText(message);
  const forget = expectEcho(sent, blocks);
  const params = {
    sessionId: bound.agentSessionId,
    prompt: toPrompt(sent, blocks),
    _meta: { steering: { idleBehavior: 'promptRequired' } },
  };
  let outcome: string | undefined;
  try {
    await bound.link.connection.request(STEERING, params, {
      // In wire order: what the agent answers to it comes after it in the transcript (I3).
      onSettled: (settled) => {
        outcome = 'result' in settled ? asString(asObject(settled.result)?.['outcome']) : undefined;
        if (outcome !== 'injected' && outcome !== 'startedNewTurn') return;
        show(session, message, now());
      },
    });
  } catch (error) {
    forget();
    sayNotTaken(session, text, messageOf(error), now());
    return;
  }
  if (outcome === 'injected' || outcome === 'startedNewTurn') return;
  forget();
  if (outcome === 'promptRequired') await prompt(text, blocks);
  else sayNotTaken(session, text, undefined, now());
}

/** The message in the transcript. An id of its own: two such messages in a row are two. */
function show(session: LinkedSession, { text, expansion, blocks }: Message, at: number): void {
  const of = { role: 'user', messageId: randomUUID(), at } as const;
  if (text !== '') session.dispatch({ type: 'textAppended', ...of, text, ...(expansion && { expansion }) });
  for (const block of blocks) session.dispatch({ type: 'blockAppended', ...of, block });
}

function sayNotTaken(session: LinkedSession, text: string, why: string | undefined, at: number): void {
  const title = 'The agent did not take this message into its turn';
  const said = why === undefined ? text : `${text}\n\n${why}`;
  session.dispatch({ type: 'noticeShown', severity: 'warning', title, text: said, at });
}
