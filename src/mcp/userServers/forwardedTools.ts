import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString, isObject } from '../../base/json';
import { truncate } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';
import type { ToolContext, ToolResult } from '../../session/toolServer';
import type { SchemaSource, Tool, ToolPrompt, ToolResource, ToolResourceTemplate } from '../contract/toolServerTypes';
import { ToolError, UNKNOWN_EFFECT } from '../contract/toolServerTypes';
import type { EntryTools } from './config/serverDefinition';
import { addressesOf, isAnswer, toShortError } from './connection/mcpClientErrors';
import type { RunningCalls } from './connection/runningCalls';
import type { McpRequestOptions, Progress } from './connection/serverListing';
import { MAX_TITLE } from './connection/serverListing';
import { annotationsOf, metadataOf } from './definitionMetadata';

/** Tools, resources and prompts of another server in Parley's form. */

/** What sends requests to the server. */
export interface ServerLink {
  /** MCP `tools/call`. */
  call(params: JsonObject, options: McpRequestOptions): Promise<JsonObject>;
  /** A request without an effect, which may be sent twice. */
  read(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Milliseconds a call may run without progress, unless the entry sets its own limit; enforced by the caller. */
const SILENCE_TIMEOUT_MS = 600_000;
/** Milliseconds until a call is aborted that neither the agent nor the user has ended: the longest possible timer. */
const MAX_CALL_MS = 2 ** 31 - 1;
const MAX_NAME = 128;
const MAX_PATTERN = 2_000;

/**
 * @param entry what the server's entry says about its tools
 * @returns undefined when the definition cannot be used
 */
export function forwardTool(
  definition: JsonObject,
  link: ServerLink,
  calls: RunningCalls,
  isSchema: (schema: JsonObject) => boolean,
  entry: EntryTools | undefined,
): Tool | undefined {
  const name = asString(definition['name']);
  if (name === undefined || !isName(name)) return undefined;
  const annotations = asObject(definition['annotations']) ?? {};
  const title = asString(definition['title']) ?? asString(annotations['title']) ?? name;
  const output = outputOf(definition['outputSchema'], isSchema);
  return {
    name,
    title: truncate(title, MAX_TITLE),
    description: asString(definition['description']) ?? '',
    input: inputOf(definition['inputSchema'], isSchema),
    ...(output && { output }),
    annotations: annotationsOf(annotations),
    metadata: metadataOf(definition),
    approval: 'policy',
    timeout: entry?.timeout ?? SILENCE_TIMEOUT_MS,
    ...(isExcluded(name, entry) && { isExcluded: true }),
    call: (input, context) => callThrough(name, input, context, link, calls),
  };
}

function isExcluded(name: string, { include, exclude = [] }: Partial<EntryTools> = {}): boolean {
  return exclude.includes(name) || (include !== undefined && !include.includes(name));
}

/** Rejects names of `Object.prototype`, which the SDK would take for registered tools, and names that look like others. */
function isName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/\s/.test(name) && !(name in {}) && escapeInvisible(name) === name;
}

export function forwardResource(definition: JsonObject, link: ServerLink): ToolResource | undefined {
  const uri = asString(definition['uri']);
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const name = asString(definition['name']) ?? uri;
  return {
    uri,
    name,
    title: asString(definition['title']) ?? name,
    description: asString(definition['description']) ?? '',
    metadata: { uri, ...metadataOf(definition) },
    read: () => contentsOf(uri, link),
  };
}

/** Undefined when the definition cannot be used. */
export function forwardTemplate(definition: JsonObject, link: ServerLink): ToolResourceTemplate | undefined {
  const pattern = asString(definition['uriTemplate']);
  if (pattern === undefined || pattern === '' || pattern.length > MAX_PATTERN) return undefined;
  const name = asString(definition['name']) ?? pattern;
  return {
    pattern,
    name,
    title: asString(definition['title']) ?? name,
    description: asString(definition['description']) ?? '',
    metadata: { name, ...metadataOf(definition) },
    read: (uri) => contentsOf(uri, link),
  };
}

/** @throws Error whose text has a limited length */
async function read(link: ServerLink, method: string, params: JsonObject): Promise<JsonObject> {
  try {
    return await link.read(method, params);
  } catch (error) {
    throw toShortError(error);
  }
}

/** Text and binary contents; others are skipped. */
async function contentsOf(uri: string, link: ServerLink): Promise<readonly JsonObject[]> {
  const contents = asArray((await read(link, 'resources/read', { uri }))['contents']).filter(isObject);
  return contents.filter(({ text, blob }) => typeof text === 'string' || typeof blob === 'string');
}

export function forwardPrompt(definition: JsonObject, link: ServerLink): ToolPrompt | undefined {
  const name = asString(definition['name']);
  if (name === undefined || !isName(name)) return undefined;
  const title = asString(definition['title']);
  return {
    name,
    description: asString(definition['description']) ?? '',
    arguments: asArray(definition['arguments']).filter(isObject).flatMap(argumentOf),
    ...(title !== undefined && { title }),
    metadata: metadataOf(definition),
    render: async (values) => {
      const { messages, ...result } = await read(link, 'prompts/get', { name, arguments: values });
      return { ...result, messages: asArray(messages).filter(isObject) };
    },
  };
}

function argumentOf(argument: JsonObject): ToolPrompt['arguments'] {
  const name = asString(argument['name']);
  const description = asString(argument['description']);
  if (name === undefined) return [];
  return [
    {
      name,
      ...(description !== undefined && { description }),
      ...(argument['required'] === true && { required: true }),
    },
  ];
}

/** An unusable schema accepts everything: the server validates its arguments itself. */
function inputOf(value: unknown, isSchema: (schema: JsonObject) => boolean): SchemaSource {
  return isObject(value) && value['type'] === 'object' && isSchema(value) ? value : { type: 'object' };
}

function outputOf(value: unknown, isSchema: (schema: JsonObject) => boolean): SchemaSource | undefined {
  return isObject(value) && value['type'] === 'object' && isSchema(value) ? value : undefined;
}

async function callThrough(
  name: string,
  input: unknown,
  context: ToolContext,
  link: ServerLink,
  calls: RunningCalls,
): Promise<ToolResult> {
  const { meta, progress } = context;
  const { signal, finish } = calls.enter(context);
  const params = { name, arguments: asObject(input) ?? {}, ...(meta && { _meta: meta }) };
  try {
    const onprogress = (reported: Progress): void =>
      progress(reported.message ?? '', reported.total === undefined ? undefined : reported.progress / reported.total);
    return resultOf(await link.call(params, { signal, timeout: MAX_CALL_MS, onprogress }));
  } catch (error) {
    await showAddresses(error, { ...context, signal }, calls.name);
    if (error instanceof ToolError) throw error;
    if (isAnswer(error)) throw new ToolError(errorMessage(error), undefined, { cause: error });
    throw new ToolError(`The connection to the server broke: ${errorMessage(error)}.`, UNKNOWN_EFFECT, {
      cause: error,
    });
  } finally {
    finish();
  }
}

function resultOf(result: JsonObject): ToolResult {
  const content = asArray(result['content']).filter(isObject);
  const texts = content.filter(({ type }) => type === 'text').map(({ text }) => asString(text) ?? '');
  const structured = asObject(result['structuredContent']);
  const meta = asObject(result['_meta']);
  return {
    text: texts.join('\n'),
    content,
    ...(meta && { meta }),
    ...(structured && { structured }),
    ...(result['isError'] === true && { isError: true }),
  };
}

/** Asks in the call's chat to open the URLs that the server requires: only https, shown in full, after a click. */
async function showAddresses(error: unknown, context: ToolContext, server: string): Promise<void> {
  const [first] = addressesOf(error);
  if (!first) return;
  const { askForUrl } = await import('./connection/serverElicitation');
  const action = await askForUrl(context, server, first.message, first.url);
  if (action === 'accept')
    throw new ToolError(
      'The server wants the user to do something in the browser first; the page was opened.',
      'Call it again when the user says that it is done.',
    );
  throw new ToolError('The server wants the user to open a page first, and it was not opened.', 'Go on without it.');
}
