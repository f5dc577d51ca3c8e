import { randomUUID } from 'node:crypto';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

/** A client of the A2A gateway, built with the official SDK. */
export interface GatewayClient {
  readonly client: Client;
  /**
   * Runs a command to its end.
   * @param contextId Conversation that the command continues.
   */
  run(command: object, contextId?: string): Promise<Ended>;
  /** Runs a command and returns the streamed events. */
  stream(command: object): AsyncGenerator<StreamResponse, void, undefined>;
}

export interface Ended {
  readonly state: string;
  /** The data part of the artifact. */
  readonly answer: Answer;
  readonly task: Task;
}

export interface Answer {
  readonly mcp_request_id_echo?: unknown;
  readonly mcp_response_id?: unknown;
  readonly mcp_result?: unknown;
  readonly mcp_error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export async function connectClient(url: string, token: string): Promise<GatewayClient> {
  const withToken: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl: withToken })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: withToken }),
  });
  const client = await factory.createFromUrl(url);
  return {
    client,
    run: async (command, contextId) => {
      const answer = await client.sendMessage(request(command, contextId));
      if (!('id' in answer)) throw new Error('a task was expected');
      return ended(answer);
    },
    stream: (command) => client.sendMessageStream(request(command)),
  };
}

export function ended(task: Task): Ended {
  const content = task.artifacts[0]?.parts[0]?.content;
  const state = TaskState[task.status?.state ?? 0] ?? '';
  return { state, answer: (content?.$case === 'data' ? content.value : {}) as Answer, task };
}

/** A message with the command as its data part. */
export function request(value: object, contextId = ''): Parameters<Client['sendMessage']>[0] {
  const part = {
    content: { $case: 'data' as const, value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
  const message = {
    messageId: randomUUID(),
    contextId,
    taskId: '',
    role: Role.ROLE_USER,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}
