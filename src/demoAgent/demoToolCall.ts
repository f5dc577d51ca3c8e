import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk/unstable';
import { isCancellation, errorMessage } from '../base/errors';
import type { DemoTurn } from './demoTurn';

/** The initial fields of a tool call. */
interface ToolStart {
  readonly title: string;
  readonly kind: ToolKind;
  readonly content?: ToolCallContent[];
  readonly locations?: ToolCallLocation[];
  readonly rawInput: object;
}

/** A reported tool call that is not finished. */
export class DemoToolCall {
  readonly call: ToolCall;

  constructor(
    private readonly turn: DemoTurn,
    call: ToolCall,
  ) {
    this.call = call;
  }

  /** Sends changed fields; omitted fields stay unchanged. */
  async change(patch: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    const { toolCallId } = this.call;
    await this.turn.update({ sessionUpdate: 'tool_call_update', toolCallId, ...patch });
  }
}

/**
 * Reports a tool call and runs its work; the work reports its own end. If it throws, the call is shown as failed with
 * the reason, and the turn continues, so that the demo shows its other scenes.
 */
export async function runDemoTool(
  turn: DemoTurn,
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
    await turn.streamMessage(`That did not work: ${reason}`);
    return 'failed';
  }
}
