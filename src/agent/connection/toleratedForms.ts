import type { JsonObject } from '../../base/json';
import { asObject, asString, isObject } from '../../base/json';

/**
 * Forms that agents send but ACP does not define, and the form of ACP that Parley reads instead; docs/conformance.md
 * has this table.
 */
export const TOLERATED_FORMS = {
  modeId: ['`current_mode_update` with `modeId`', '`currentModeId`'],
  hint: ['`input.unstructured.hint` of a command', '`input.hint`'],
  bareBlock: [
    'A content block or a text in the `content` of a tool call',
    'an item `{ "type": "content", "content": … }`',
  ],
  wrappedBlock: ['`{ "type": "content", "content": … }` as the content of a message', 'the block inside'],
  bareText: ['A text where a content block is expected', 'a block of type `text`'],
  list: ['A list where one object is expected', 'its items, one after the other'],
  single: ['One object where a list is expected', 'a list with this object'],
} as const satisfies Readonly<Record<string, readonly [sent: string, readAs: string]>>;

type Form = keyof typeof TOLERATED_FORMS;

const CHUNKS: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'session_message_chunk',
  'compaction_summary_chunk',
]);
const BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/**
 * Rewrites messages of agents that follow ACP only roughly, before anything else reads them. Messages in the form of ACP, and unknown
 * ones, are returned untouched. Pure but for the notes.
 */
export class ToleratedForms {
  readonly #noted = new Set<Form>();

  /** @param onTolerated called once for each form */
  constructor(private readonly onTolerated: (text: string) => void) {}

  /**
   * The updates that a `session/update` holds; empty when there is none.
   * @param value its `update` as on the wire
   */
  updates(value: unknown): readonly JsonObject[] {
    return this.#readItems(value).flatMap((update) => this.#update(update));
  }

  /** The params of a `session/request_permission`. */
  permission(params: unknown): unknown {
    const object = asObject(params);
    if (!object) return params;
    const listed = this.#asList(object, 'options');
    const [toolCall] = this.#readItems(listed['toolCall']);
    if (!toolCall) return listed;
    const read = this.#toolCall(toolCall);
    return read === listed['toolCall'] ? listed : { ...listed, toolCall: read };
  }

  /** The result of a request. */
  result(value: unknown): unknown {
    const object = asObject(value);
    if (!object) return value;
    const read = this.#asList(object, 'configOptions');
    return this.#within(this.#within(read, 'modes', 'availableModes'), 'models', 'availableModels');
  }

  #update(update: JsonObject): readonly JsonObject[] {
    const kind = update['sessionUpdate'];
    if (CHUNKS.has(kind)) return this.#chunks(update);
    switch (kind) {
      case 'tool_call':
      case 'tool_call_update':
        return [this.#toolCall(update)];
      case 'plan':
        return [this.#asList(update, 'entries')];
      case 'plan_update':
        return [this.#within(update, 'plan', 'entries')];
      case 'available_commands_update':
        return [this.#commands(this.#asList(update, 'availableCommands'))];
      case 'config_option_update':
        return [this.#asList(update, 'configOptions')];
      case 'current_mode_update':
        return [this.#mode(update)];
      default:
        return [update];
    }
  }

  #chunks(update: JsonObject): readonly JsonObject[] {
    const content = update['content'];
    if (isObject(content) && content['type'] !== 'content') return [update];
    const blocks = this.#blocks(content);
    return blocks.length === 1 && blocks[0] === content ? [update] : blocks.map((block) => withContent(update, block));
  }

  /**
   * Reads one content block. Accepts a plain string, a wrapped block, and a list of blocks. Other values stay
   * unchanged.
   */
  #blocks(value: unknown): readonly unknown[] {
    if (typeof value === 'string') {
      this.#found('bareText');
      return [{ type: 'text', text: value }];
    }
    // Deeper nesting is not a known form, and is shown unchanged.
    if (isObject(value) && value['type'] === 'content' && !Array.isArray(value['content'])) {
      this.#found('wrappedBlock');
      return [value['content']].map((inner) => (typeof inner === 'string' ? { type: 'text', text: inner } : inner));
    }
    if (!Array.isArray(value) || value.length === 0) return [value];
    this.#found('list');
    return value.flatMap((item) => this.#blocks(item));
  }

  #toolCall(call: JsonObject): JsonObject {
    const read = this.#asList(this.#asList(call, 'content'), 'locations');
    const content = read['content'];
    if (typeof content === 'string') return { ...read, content: [this.#item(content)] };
    if (!Array.isArray(content)) return read;
    const items = content.flatMap((item) => this.#toolItems(item));
    const isSame = items.length === content.length && items.every((item, index) => item === content[index]);
    return isSame ? read : { ...read, content: items };
  }

  #toolItems(item: unknown): readonly unknown[] {
    if (typeof item === 'string' || BLOCKS.has(asObject(item)?.['type'])) return [this.#item(item)];
    if (!isObject(item) || item['type'] !== 'content' || isObject(item['content'])) return [item];
    const blocks = this.#blocks(item['content']);
    return blocks[0] === item['content'] ? [item] : blocks.map((block) => withContent(item, block));
  }

  #item(block: unknown): JsonObject {
    this.#found('bareBlock');
    return { type: 'content', content: typeof block === 'string' ? { type: 'text', text: block } : block };
  }

  #commands(update: JsonObject): JsonObject {
    const commands = update['availableCommands'];
    if (!Array.isArray(commands)) return update;
    const read = commands.map((command: unknown) => (isObject(command) ? this.#command(command) : command));
    return read.every((command, index) => command === commands[index])
      ? update
      : { ...update, availableCommands: read };
  }

  #command(command: JsonObject): JsonObject {
    const [input] = this.#readItems(command['input']);
    if (!input) return command;
    const hint = asString(asObject(input['unstructured'])?.['hint']);
    if (hint === undefined || asString(input['hint']) !== undefined) {
      return input === command['input'] ? command : { ...command, input };
    }
    this.#found('hint');
    return { ...command, input: { ...input, hint } };
  }

  #mode(update: JsonObject): JsonObject {
    const modeId = asString(update['modeId']);
    if (modeId === undefined || asString(update['currentModeId']) !== undefined) return update;
    this.#found('modeId');
    return { ...update, currentModeId: modeId };
  }

  /** Reads one object, or a list of objects where ACP expects one object. */
  #readItems(value: unknown): readonly JsonObject[] {
    if (isObject(value)) return [value];
    if (!Array.isArray(value)) return [];
    const items = value.filter(isObject);
    if (items.length > 0) this.#found('list');
    return items;
  }

  #asList(object: JsonObject, field: string): JsonObject {
    if (!isObject(object[field])) return object;
    this.#found('single');
    return { ...object, [field]: [object[field]] };
  }

  #within(object: JsonObject, field: string, list: string): JsonObject {
    const inner = asObject(object[field]);
    const read = inner && this.#asList(inner, list);
    return read === inner ? object : { ...object, [field]: read };
  }

  #found(form: Form): void {
    if (this.#noted.has(form)) return;
    this.#noted.add(form);
    const [sent, readAs] = TOLERATED_FORMS[form];
    this.onTolerated(`Not the form of ACP: ${sent}. Read as ${readAs}. Later messages of this form are not logged`);
  }
}

function withContent(object: JsonObject, content: unknown): JsonObject {
  return { ...object, content };
}
