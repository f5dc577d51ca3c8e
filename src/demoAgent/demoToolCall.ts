import type { ToolCall, ToolCallContent, ToolCallLocation, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { isCancellation, errorMessage } from '../base/errors';
import type { Turn } from './demoTurn';

/** What is known of a tool call when it is announced. */
export interface ToolStart {
  readonly title: string;
  readonly kind: ToolKind;
  readonly content?: ToolCallContent[];
  readonly locations?: ToolCallLocation[];
  readonly rawInput: object;
}

/** A tool call that the client has been told of and that is not finished. */
export class DemoToolCall {
  readonly call: ToolCall;
  readonly #turn: Turn;

  constructor(turn: Turn, call: ToolCall) {
    this.#turn = turn;
    this.call = call;
  }

  /** Tells the client what has changed; what is left out stays as it was. */
  async change(patch: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    const { toolCallId } = this.call;
    await this.#turn.update({ sessionUpdate: 'tool_call_update', toolCallId, ...patch });
  }
}

/**
 * Announces a tool call and does its work; the work reports its own end. If it throws, the call is shown as
 * failed, the reason is said, and the turn goes on: a demo that stops at the first error shows less.
 */
export async function runDemoTool(
  turn: Turn,
  start: ToolStart,
  work: (tool: DemoToolCall) => Promise<string>,
): Promise<string> {
  const call: ToolCall = { toolCallId: turn.session.nextToolCallId(), status: 'pending', ...start };
  await turn.update({ sessionUpdate: 'tool_call', ...call });
  await turn.pace.step(turn.signal);
  const tool = new DemoToolCall(turn, call);
  try {
    return await work(tool);
  } catch (error) {
    if (turn.signal.aborted || isCancellation(error)) throw error;
    const reason = errorMessage(error);
    await tool.change({ status: 'failed', rawOutput: { error: reason } });
    await turn.say(`That did not work: ${reason}`);
    return 'failed';
  }
}
