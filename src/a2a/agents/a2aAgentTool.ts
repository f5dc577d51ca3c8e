import { randomUUID } from 'node:crypto';
import type { AgentSkill, Artifact, Message, Part, StreamResponse, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { createDeferred, delay, settlesWithin } from '../../base/async';
import { CanceledError, isCancellation, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, asString, isObject } from '../../base/json';
import { truncate } from '../../base/text';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { JsonTool, ToolContext, ToolResult } from '../../session/toolServer';

/** Maximum milliseconds for a task. */
const CALL_TIMEOUT_MS = 600_000;
/** UTF-16 units. */
const MAX_TITLE = 200;
export const MAX_SKILL_DESCRIPTION = 4_000;
/** Milliseconds between polls of a task that is not streamed. */
const POLL_MS = 2_000;
/** Maximum milliseconds for canceling a task. */
const CANCEL_TIMEOUT_MS = 5_000;

/**
 * One skill of an A2A agent as a tool.
 * @param openClient Opens a client with the current headers.
 * @param name of the tool
 */
export function agentTool(openClient: () => Promise<Client>, name: string, skill: AgentSkill): JsonTool {
  const examples = skill.examples.slice(0, 3).map((example) => `\nExample: ${example}`);
  return {
    name,
    title: escapeInvisibleInline(truncate(skill.name, MAX_TITLE)),
    description: truncate(escapeInvisible(`${skill.description}${examples.join('')}`), MAX_SKILL_DESCRIPTION),
    input: INPUT,
    annotations: { openWorldHint: true },
    approval: 'always',
    timeout: CALL_TIMEOUT_MS,
    call: async (input, context) => {
      try {
        return await new AgentCall(openClient, skill.id, context).run(asObject(input) ?? {});
      } catch (error) {
        if (isCancellation(error)) return { text: 'Canceled.', isError: true };
        return { text: `The A2A agent could not be asked: ${errorMessage(error)}`, isError: true };
      }
    },
  };
}

const INPUT: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What the agent should do, in words.' },
    data: { type: 'object', description: 'Structured input, where the skill takes any.' },
    context_id: { type: 'string', description: 'From an earlier answer: goes on with that conversation.' },
    task_id: { type: 'string', description: 'From an answer that asked for more input: goes on with that task.' },
    // The result of a long approval contains this handle; the gate removes it from the arguments.
    handle: { type: 'string', description: 'The handle of an answer awaiting_approval: waits on for that call' },
  },
  required: ['message'],
  additionalProperties: false,
};

/** One task of an A2A agent, from the message to its result. */
class AgentCall {
  readonly #artifacts = new Map<string, Artifact>();
  /** Resolves when the agent has reported the task's id. */
  readonly #idsReported = createDeferred<void>();
  #taskId = '';
  #contextId = '';
  #state: TaskState | undefined;
  #lastMessage: Message | undefined;

  constructor(
    private readonly openClient: () => Promise<Client>,
    private readonly skill: string,
    private readonly context: ToolContext,
  ) {}

  async run(input: JsonObject): Promise<ToolResult> {
    const { signal } = this.context;
    const client = await this.openClient();
    if (signal.aborted) throw new CanceledError();
    const own = new AbortController();
    const cancel = (): void => void this.#cancelTask(client, own);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await this.#stream(client, input, own.signal);
      return this.#result();
    } catch (error) {
      if (signal.aborted) throw new CanceledError();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async #stream(client: Client, input: JsonObject, signal: AbortSignal): Promise<void> {
    const request = { tenant: '', message: this.#message(input), configuration: undefined, metadata: undefined };
    for await (const event of client.sendMessageStream(request, { signal })) this.#handleEvent(event);
    while (this.#isRunning) {
      await delay(POLL_MS, signal);
      this.#updateTask(await client.getTask({ tenant: '', id: this.#taskId, historyLength: 1 }, { signal }));
    }
  }

  #message({ message, data, context_id: contextId, task_id: taskId }: JsonObject): Message {
    const parts = [part({ $case: 'text', value: asString(message) ?? '' }, 'text/plain')];
    if (isObject(data)) parts.push(part({ $case: 'data', value: data }, 'application/json'));
    return {
      messageId: randomUUID(),
      contextId: asString(contextId) ?? '',
      taskId: asString(taskId) ?? '',
      role: Role.ROLE_USER,
      parts,
      // A2A has no field for the skill: some agents read it here, others only read the message.
      metadata: { skill: this.skill },
      extensions: [],
      referenceTaskIds: [],
    };
  }

  #handleEvent({ payload }: StreamResponse): void {
    if (payload?.$case === 'task') this.#updateTask(payload.value);
    else if (payload?.$case === 'message') this.#lastMessage = payload.value;
    else if (payload?.$case === 'artifactUpdate') this.#addArtifact(payload.value.artifact, payload.value.append);
    else if (payload?.$case === 'statusUpdate') {
      const { taskId, contextId, status } = payload.value;
      this.#setIds(taskId, contextId);
      this.#updateStatus(status);
    }
  }

  #updateTask({ id, contextId, status, artifacts }: Task): void {
    this.#setIds(id, contextId);
    // A task has all its artifacts. Many polls must not add up.
    if (artifacts.length > 0) this.#artifacts.clear();
    for (const artifact of artifacts) this.#addArtifact(artifact, false);
    this.#updateStatus(status);
  }

  #updateStatus(status: Task['status']): void {
    if (!status) return;
    this.#state = status.state;
    this.#lastMessage = status.message;
    const text = status.message && partsText(status.message.parts);
    if (this.#isRunning) this.context.progress(text === undefined || text === '' ? this.#stateName : text);
  }

  #addArtifact(artifact: Artifact | undefined, isAppended: boolean): void {
    if (!artifact) return;
    const existing = isAppended ? this.#artifacts.get(artifact.artifactId) : undefined;
    // In place: an agent may append a part at a time.
    const parts = existing?.parts ?? [];
    for (const part of artifact.parts) parts.push(part);
    this.#artifacts.set(artifact.artifactId, { ...artifact, parts });
  }

  get #isRunning(): boolean {
    const { TASK_STATE_SUBMITTED, TASK_STATE_WORKING } = TaskState;
    return this.#state === TASK_STATE_SUBMITTED || this.#state === TASK_STATE_WORKING;
  }

  /** `working`, `input required`. */
  get #stateName(): string {
    const name = TaskState[this.#state ?? 0] ?? '';
    return name.replace('TASK_STATE_', '').replaceAll('_', ' ').toLowerCase();
  }

  #result(): ToolResult {
    const isInputRequired =
      this.#state === TaskState.TASK_STATE_INPUT_REQUIRED || this.#state === TaskState.TASK_STATE_AUTH_REQUIRED;
    const isSuccess = isInputRequired || this.#state === undefined || this.#state === TaskState.TASK_STATE_COMPLETED;
    const message = this.#lastMessage?.parts ?? [];
    const parts = [...[...this.#artifacts.values()].flatMap((artifact) => artifact.parts), ...message];
    const content = parts.map(toContent);
    const ids = `task_id: ${this.#taskId}, context_id: ${this.#contextId}`;
    if (isInputRequired)
      content.push(text(`The agent needs more (${this.#stateName}). Answer with another call and ${ids}.`));
    else if (!isSuccess) content.push(text(`The task ended as ${this.#stateName}.`));
    else if (content.length === 0) content.push(text('The task is done; the agent returned nothing.'));
    const structured = { task_id: this.#taskId, context_id: this.#contextId, state: this.#stateName };
    const hasTask = this.#state !== undefined;
    return {
      text: partsText(parts),
      content,
      ...(hasTask && { structured }),
      ...(!isSuccess && { isError: true }),
    };
  }

  /** Cancels the task at the agent as soon as its id is known, because the caller canceled. Never rejects. */
  async #cancelTask(client: Client, own: AbortController): Promise<void> {
    await settlesWithin(this.#idsReported.promise, CANCEL_TIMEOUT_MS);
    if (this.#taskId !== '') {
      const shortly = { signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS) };
      await client.cancelTask({ tenant: '', id: this.#taskId, metadata: undefined }, shortly).catch(() => undefined);
    }
    own.abort();
  }

  #setIds(taskId: string, contextId: string): void {
    this.#taskId = taskId;
    this.#contextId = contextId;
    this.#idsReported.resolve();
  }
}

function part(content: NonNullable<Part['content']>, mediaType: string): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

function partsText(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

/** Converts a part to MCP's format. */
function toContent({ content, mediaType, filename }: Part): JsonObject {
  switch (content?.$case) {
    case 'text':
      return text(content.value);
    case 'data':
      return text(JSON.stringify(content.value));
    case 'url':
      return {
        type: 'resource_link',
        uri: content.value,
        name: filename || content.value,
        ...(mediaType !== '' && { mimeType: mediaType }),
      };
    case 'raw':
      return rawContent(Buffer.from(content.value).toString('base64'), mediaType, filename);
    case undefined:
    default:
      return text('(a part of a kind that is not known here)');
  }
}

function rawContent(data: string, mimeType: string, filename: string): JsonObject {
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  const uri = `a2a:///${encodeURIComponent(filename === '' ? 'file' : filename)}`;
  return { type: 'resource', resource: { uri, blob: data, ...(mimeType !== '' && { mimeType }) } };
}
