import { errorMessage } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { describeValue } from '../../base/schema';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolContext, ToolResult } from '../../session/toolServer';
import type { Described, Tool, ToolPrompt, ToolResource, ToolServer } from '../contract/toolServerTypes';
import { ToolError } from '../contract/toolServerTypes';
import type { ExtensionServerBase } from './extensionSession';
import { SessionInstance } from './extensionSession';
import type {
  ApiMcpServer,
  ApiPrompt,
  ApiResource,
  ApiSession,
  ApiTool,
  ApiToolContext,
  ApiToolResult,
  ApiToolServer,
} from './parleyApi';

/** Tool servers of other extensions. Definitions are validated so that mistakes are reported to their author. */

const SERVER_NAME = /^[A-Za-z0-9-]{1,40}$/;
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const APPROVALS: ReadonlySet<unknown> = new Set(['free', 'policy', 'always', undefined]);

/** @throws TypeError that names what is wrong */
export function readToolServer(
  definition: unknown,
): ToolServer & { readonly create?: (session: ApiSession) => Promise<ApiMcpServer> } {
  if (!isObject(definition)) throw apiError('expected an object', definition);
  refuseUnknown(definition, SERVER_FIELDS, '');
  const { name, title, description = title, instructions, tools, resources, prompts, createServer } = definition;
  if (typeof name !== 'string' || !SERVER_NAME.test(name)) {
    throw apiError('"name" must be 1 to 40 letters, digits and “-” (agents split names at “_”)', name);
  }
  for (const [field, value] of Object.entries({ title, description })) {
    if (typeof value !== 'string' || value.trim() === '') throw apiError(`"${field}" must be a text`, value);
  }
  const base = {
    name,
    title: String(title),
    description: String(description),
    ...(typeof instructions === 'string' && { instructions }),
  };
  if (typeof createServer === 'function' && tools === undefined) {
    if (resources !== undefined || prompts !== undefined)
      throw apiError('"resources" and "prompts" go with "tools"; a server of an SDK has its own', resources ?? prompts);
    const create = (definition as unknown as Extract<ApiToolServer, { createServer: unknown }>).createServer;
    return { ...base, tools: [], create: async (session) => create(session) };
  }
  if (!Array.isArray(tools) || createServer !== undefined)
    throw apiError('needs either "tools" or "createServer"', tools);
  const read = tools.map((tool, index) => readTool(tool, `tools[${index}]`));
  const double = read.find((tool, index) => read.findIndex((other) => other.name === tool.name) !== index);
  if (double) throw apiError(`two tools are called "${double.name}"`, double.name);
  return {
    ...base,
    tools: read,
    ...(resources !== undefined && { resources: readList(resources, 'resources').map(readResource) }),
    ...(prompts !== undefined && { prompts: withPrompts(readList(prompts, 'prompts').map(readPrompt)) }),
  };
}

const SERVER_FIELDS = 'name title description instructions tools resources prompts createServer';
const TOOL_FIELDS = 'name title description inputSchema outputSchema annotations approval timeout call';
const RESOURCE_FIELDS = 'uri name title description mimeType read';
const PROMPT_FIELDS = 'name title description arguments render';

/** What agents would not get is refused, so that its author knows. */
function refuseUnknown(definition: JsonObject, fields: string, path: string): void {
  const unknown = Object.keys(definition).find((field) => !fields.split(' ').includes(field));
  if (unknown === undefined) return;
  throw apiError(`${path}"${unknown}" is not passed on to agents; there is ${fields.replaceAll(' ', ', ')}`, unknown);
}

function readList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw apiError(`"${path}" must be a list`, value);
}

/** @returns the definition and its texts */
function readDescribed(value: unknown, path: string, fields: string, job: string): [JsonObject, Described] {
  if (!isObject(value)) throw apiError(`${path} must be an object`, value);
  refuseUnknown(value, fields, `${path}: `);
  const { name, title = name, description = '' } = value;
  for (const [field, text] of Object.entries({ name, title, description }))
    if (typeof text !== 'string' || (field === 'name' && text === ''))
      throw apiError(`${path}.${field} must be a text`, text);
  if (typeof value[job] !== 'function') throw apiError(`${path}.${job} must be a function`, value[job]);
  return [value, { name: String(name), title: String(title), description: String(description) }];
}

function readResource(value: unknown, index: number): ToolResource {
  const path = `resources[${index}]`;
  const [{ uri, mimeType }, described] = readDescribed(value, path, RESOURCE_FIELDS, 'read');
  if (typeof uri !== 'string' || !URL.canParse(uri)) throw apiError(`${path}.uri must be a URI`, uri);
  const resource = value as ApiResource;
  return {
    ...described,
    uri,
    ...(typeof mimeType === 'string' && { mimeType }),
    read: async (session) => resource.read(toApiSession(session)),
  };
}

function readPrompt(value: unknown, index: number): ToolPrompt {
  const path = `prompts[${index}]`;
  const [{ arguments: args = [] }, described] = readDescribed(value, path, PROMPT_FIELDS, 'render');
  for (const argument of readList(args, `${path}.arguments`))
    if (!isObject(argument) || typeof argument['name'] !== 'string')
      throw apiError(`${path}.arguments must have names`, argument);
  const prompt = value as ApiPrompt;
  return {
    ...described,
    arguments: args as ToolPrompt['arguments'],
    render: async (values) => prompt.render(values),
  };
}

function withPrompts(prompts: readonly ToolPrompt[]): () => readonly ToolPrompt[] {
  return () => prompts;
}

function readTool(definition: unknown, path: string): Tool {
  if (!isObject(definition)) throw apiError(`${path} must be an object`, definition);
  refuseUnknown(definition, TOOL_FIELDS, `${path}: `);
  const { name, title = name, description, inputSchema, outputSchema, annotations, approval, timeout } = definition;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw apiError(`${path}.name must be 1 to 64 letters, digits, “_”, “-” and “.”`, name);
  }
  if (typeof description !== 'string') throw apiError(`${path}.description must be a text`, description);
  if (typeof definition['call'] !== 'function') throw apiError(`${path}.call must be a function`, definition['call']);
  if (!APPROVALS.has(approval)) throw apiError(`${path}.approval must be "free", "policy" or "always"`, approval);
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw apiError(`${path}.timeout must be a number of milliseconds`, timeout);
  }
  const tool = definition as unknown as ApiTool;
  return {
    name,
    title: String(title),
    description,
    input: schemaAt(inputSchema ?? { type: 'object' }, `${path}.inputSchema`),
    ...(outputSchema !== undefined && { output: schemaAt(outputSchema, `${path}.outputSchema`) }),
    annotations: isObject(annotations) ? annotations : {},
    approval: tool.approval ?? 'policy',
    ...(typeof timeout === 'number' && { timeout }),
    call: async (input, context) => toResult(await tool.call(input as JsonObject, toContext(context)), name),
  };
}

function schemaAt(value: unknown, path: string): JsonObject {
  if (isObject(value) && value['type'] === 'object') return value;
  throw apiError(`${path} must be a JSON Schema with "type": "object"`, value);
}

function toContext({ session, signal, progress }: ToolContext): ApiToolContext {
  return { session: toApiSession(session), signal, progress };
}

function toApiSession({ id, folders, state }: SessionHandle): ApiSession {
  return { id, folders, agent: state.agent?.name };
}

function toResult(given: ApiToolResult, name: string): ToolResult {
  if (typeof given === 'string') return { text: given };
  if (!isObject(given) || typeof given.text !== 'string') {
    throw new ToolError(`${name} gave no result that can be read: a text, or an object with "text".`);
  }
  const { text, structured, isError } = given;
  return { text, ...(isObject(structured) && { structured }), ...(isError === true && { isError }) };
}

function apiError(message: string, value: unknown): TypeError {
  const got = typeof value === 'function' ? 'a function' : describeValue(value);
  return new TypeError(`Parley: registerToolServer: ${message}; got ${got}`);
}

/** A server that an extension builds with an MCP SDK, anew for each session. */
export class ExtensionToolServer implements ToolServer, Disposable {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly #sessions = new Map<string, SessionInstance>();
  readonly #onDidChangeInstance = new Emitter<void>();
  readonly onDidChangeInstance: Event<void> = this.#onDidChangeInstance.event;

  /** @param create the extension's own function */
  constructor(
    private readonly base: ExtensionServerBase,
    private readonly create: (session: ApiSession) => Promise<ApiMcpServer>,
    private readonly version: string,
    private readonly log: Logger,
  ) {
    this.name = base.name;
    this.title = base.title;
    this.description = base.description;
  }

  /** Those of the newest session, for what concerns no session. */
  get tools(): readonly Tool[] {
    return [...this.#sessions.values()].at(-1)?.tools ?? [];
  }

  forSession(session: SessionHandle): ToolServer {
    const existing = this.#sessions.get(session.id);
    if (existing) return existing;
    const instance = new SessionInstance(this.base, (created) => this.#open(created, session));
    this.#sessions.set(session.id, instance);
    return instance;
  }

  async #open(instance: SessionInstance, session: SessionHandle): Promise<void> {
    const { log, version } = this;
    try {
      const [server, chunk] = await Promise.all([this.create(toApiSession(session)), import('./openExtensionServer')]);
      const onDidChange = (): void => this.#onDidChangeInstance.fire();
      await chunk.openExtensionServer(instance, server, session, { version, log, onDidChange });
    } catch (error) {
      log.error('mcp', `The tool server “${this.name}” failed: ${errorMessage(error)}`);
    }
  }

  closeSession(sessionId: string): void {
    this.#sessions.get(sessionId)?.dispose();
    this.#sessions.delete(sessionId);
  }

  dispose(): void {
    for (const instance of this.#sessions.values()) instance.dispose();
    this.#sessions.clear();
    this.#onDidChangeInstance.dispose();
  }
}
