import type { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import type { AgentExecutor, DefaultRequestHandler, ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { parseMcpCommand } from './mcpCommand';
import type { A2a } from '../load';

/** The SDK's handler of A2A requests, which refuses a malformed command as invalid-params before it becomes a task. */
export function createRequestHandler(
  library: A2a,
  card: AgentCard,
  tasks: TaskStore,
  executor: AgentExecutor,
): DefaultRequestHandler {
  const check = ({ message }: SendMessageRequest): void => {
    const command = parseMcpCommand(message?.parts ?? []);
    if (typeof command === 'string') throw new library.RequestMalformedError(command);
    // A second one within a task would take the first one's place: it could not be canceled any more.
    if (message?.taskId) throw new library.RequestMalformedError('Each command is a task of its own: leave out taskId');
  };
  class CheckingHandler extends library.DefaultRequestHandler {
    override async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
      check(params);
      return super.sendMessage(params, context);
    }

    override async *sendMessageStream(
      params: SendMessageRequest,
      context: ServerCallContext,
    ): AsyncGenerator<StreamResponse, void, undefined> {
      check(params);
      yield* super.sendMessageStream(params, context);
    }
  }
  return new CheckingHandler(card, tasks, executor);
}
