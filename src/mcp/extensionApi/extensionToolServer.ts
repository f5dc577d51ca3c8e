import { errorMessage } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { describeValue } from '../../base/schema';
import type { ToolContext, ToolResult } from '../../session/toolServer';
import type { Described, Tool, ToolServer } from '../contract/toolServerTypes';
import { ToolError } from '../contract/toolServerTypes';
import type { InProcessServer } from './inProcessServer';
import type { ApiMcpServer, ApiTool, ApiToolContext, ApiToolResult, ApiToolServer } from './parleyApi';

/** Tool servers of other extensions. Definitions are validated so that mistakes are reported to their author. */

const SERVER_NAME = /^[A-Za-z0-9-]{1,40}$/;
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const APPROVALS: ReadonlySet<unknown> = new Set(['free', 'policy', 'always', undefined]);

/** @throws TypeError that names what is wrong */
export function readToolServer(definition: unknown): ToolServer & { readonly create?: () => Promise<ApiMcpServer> } {
  if (!isObject(definition)) throw apiError('expected an object', definition);
  const { name, title, description = title, instructions, tools, createServer } = definition;
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
    const create = (definition as unknown as Extract<ApiToolServer, { createServer: unknown }>).createServer;
    return { ...base, tools: [], create: async () => create() };
  }
  if (!Array.isArray(tools) || createServer !== undefined)
    throw apiError('needs either "tools" or "createServer"', tools);
  const read = tools.map((tool, index) => readTool(tool, `tools[${index}]`));
  const double = read.find((tool, index) => read.findIndex((other) => other.name === tool.name) !== index);
  if (double) throw apiError(`two tools are called "${double.name}"`, double.name);
  return { ...base, tools: read };
}

function readTool(definition: unknown, path: string): Tool {
  if (!isObject(definition)) throw apiError(`${path} must be an object`, definition);
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
  const { id, folders, state } = session;
  return { session: { id, folders, agent: state.agent?.name }, signal, progress };
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

/** A server that an extension built with an MCP SDK. Its tools are listed after connecting and on every `list_changed`. */
export class ExtensionToolServer implements ToolServer, Disposable {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly instructions?: string;
  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#onDidChange.event;
  readonly #opening: Promise<InProcessServer | undefined>;
  #tools: readonly Tool[] = [];
  #isDisposed = false;

  /**
   * @param open connects the server
   * @param onFailed called once when connecting or listing fails
   */
  constructor(
    base: Described & { readonly instructions?: string },
    open: (onDidChangeTools: () => void) => Promise<InProcessServer>,
    onFailed: (sentence: string) => void,
  ) {
    this.name = base.name;
    this.title = base.title;
    this.description = base.description;
    if (base.instructions !== undefined) this.instructions = base.instructions;
    this.#opening = this.#start(open, onFailed);
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#onDidChange.dispose();
    void this.#opening.then((inner) => inner?.close());
  }

  async #start(
    open: (onDidChangeTools: () => void) => Promise<InProcessServer>,
    onFailed: (sentence: string) => void,
  ): Promise<InProcessServer | undefined> {
    const report = (error: unknown): void => onFailed(`The tool server “${this.name}” failed: ${errorMessage(error)}`);
    try {
      let inner: InProcessServer | undefined;
      inner = await open(() => {
        if (inner) void this.#list(inner).catch(report);
      });
      await this.#list(inner);
      return inner;
    } catch (error) {
      report(error);
      return undefined;
    }
  }

  async #list(inner: InProcessServer): Promise<void> {
    const tools = await inner.tools();
    if (this.#isDisposed) return;
    this.#tools = tools;
    this.#onDidChange.fire();
  }
}
