import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Part, Task } from '@a2a-js/sdk';
import { AGENT_CARD_PATH, AgentCard, TaskState, formatSSEEvent } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus } from '@a2a-js/sdk/server';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { Emitter } from '../../src/base/event';

/** A real A2A agent on 127.0.0.1, built with the official SDK. The text of the message controls its behavior. */
export interface SampleAgent {
  readonly url: string;
  readonly headers: IncomingHttpHeaders[];
  /** Overrides parts of the agent card. */
  card: { description: string; streaming: boolean; interfaceUrl: string };
  /** Fire when a `wait` starts and when it is canceled. */
  readonly waiting: Emitter<void>;
  readonly canceled: Emitter<void>;
  close(): void;
}

export async function startSampleAgent(): Promise<SampleAgent> {
  const waiting = new Emitter<void>();
  const canceled = new Emitter<void>();
  const headers: IncomingHttpHeaders[] = [];
  let rpc: JsonRpcTransportHandler | undefined;
  const server = createServer((request, response) => {
    headers.push(request.headers);
    if (request.url === `/${AGENT_CARD_PATH}`) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(AgentCard.toJSON(cardOf(agent))));
      return;
    }
    rpc ??= new JsonRpcTransportHandler(
      new DefaultRequestHandler(cardOf(agent), new InMemoryTaskStore(), executor(waiting, canceled)),
    );
    void answer(rpc, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const card = { description: 'An agent for tests', streaming: true, interfaceUrl: url };
  const agent: SampleAgent = { url, headers, card, waiting, canceled, close };
  return agent;
}

async function answer(rpc: JsonRpcTransportHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const context = new ServerCallContext({ requestedVersion: '1.0' });
  const given = await rpc.handle(Buffer.concat(chunks).toString(), context);
  if (!(Symbol.asyncIterator in given)) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const event of given) response.write(formatSSEEvent(event));
  response.end();
}

function cardOf({ card }: SampleAgent): AgentCard {
  const skill = { description: 'Does it', tags: [], examples: [], inputModes: [], outputModes: [] };
  return {
    name: 'Sample',
    description: card.description,
    version: '1.0.0',
    provider: undefined,
    supportedInterfaces: [{ url: card.interfaceUrl, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: card.streaming, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      { id: 'do it', name: 'Do it', ...skill, securityRequirements: [] },
      { id: 'do_it', name: 'Do it too', ...skill, securityRequirements: [] },
    ],
    signatures: [],
  };
}

function part(content: NonNullable<Part['content']>, mediaType = ''): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}

function executor(waiting: Emitter<void>, canceled: Emitter<void>): AgentExecutor {
  const stops = new Map<string, () => void>();
  return {
    cancelTask: async (taskId) => stops.get(taskId)?.(),
    execute: async ({ taskId, contextId, userMessage, task }, bus) => {
      const content = userMessage.parts[0]?.content;
      const said = content?.$case === 'text' ? content.value : '';
      const tell = teller(bus, taskId, contextId, task);
      tell(TaskState.TASK_STATE_WORKING, 'thinking');
      if (said === 'ask') tell(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which one?');
      else if (said === 'fail') tell(TaskState.TASK_STATE_FAILED, 'It broke');
      else if (said === 'wait') {
        await new Promise<void>((resolve) => {
          stops.set(taskId, resolve);
          waiting.fire();
        });
        tell(TaskState.TASK_STATE_CANCELED, 'stopped');
        canceled.fire();
      } else {
        const data = { said, skill: userMessage.metadata?.['skill'], more: userMessage.parts[1]?.content };
        const parts = [part({ $case: 'text', value: `You said ${said}.` }), part({ $case: 'data', value: data })];
        const image = part({ $case: 'raw', value: Buffer.from('png') }, 'image/png');
        const link = part({ $case: 'url', value: 'https://example.com/a.txt' }, 'text/plain');
        const artifact = { name: '', description: '', metadata: undefined, extensions: [], artifactId: 'one' };
        const event = { taskId, contextId, lastChunk: false, metadata: undefined };
        bus.publish(AgentEvent.artifactUpdate({ ...event, artifact: { ...artifact, parts }, append: false }));
        bus.publish(
          AgentEvent.artifactUpdate({ ...event, artifact: { ...artifact, parts: [image, link] }, append: true }),
        );
        tell(TaskState.TASK_STATE_COMPLETED);
      }
    },
  };
}

function teller(
  bus: ExecutionEventBus,
  taskId: string,
  contextId: string,
  task: Task | undefined,
): (state: TaskState, said?: string) => void {
  const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
  bus.publish(
    AgentEvent.task(task ?? { id: taskId, contextId, status, artifacts: [], history: [], metadata: undefined }),
  );
  return (state, said) => {
    const message = {
      messageId: randomUUID(),
      contextId,
      taskId,
      role: 2,
      parts: [part({ $case: 'text', value: said ?? '' })],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    const now = { state, message: said === undefined ? undefined : message, timestamp: undefined };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: now, metadata: undefined }));
  };
}
