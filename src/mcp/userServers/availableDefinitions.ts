import type { JsonObject } from '../../base/json';
import { asString, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { DefinitionPins, PinnedDefinition, ChangedDefinition } from '../availability/definitionPins';
import type {
  HeldBackTools,
  Tool,
  ToolPrompt,
  ToolResource,
  ToolResourceTemplate,
  ToolServer,
  HeldBackTool,
} from '../contract/toolServerTypes';
import type { EntryTools } from './config/serverDefinition';
import type { RunningCalls } from './connection/runningCalls';
import type { ServerConnection } from './connection/serverConnection';
import type { ServerListing } from './connection/serverListing';
import type * as ForwardedTools from './forwardedTools';

/**
 * The usable definitions of a listing that match their pins or are new. Templates, prompts and instructions are pinned like tools;
 * resources are data and are not.
 */
export class AvailableDefinitions {
  #listing: ServerListing | undefined;
  /** A separate chunk, loaded with the first server that is prepared; nothing is available before. */
  #forward: typeof ForwardedTools | undefined;
  /** Whether a JSON Schema can be used; set once its library is loaded. */
  #isSchema: (schema: JsonObject) => boolean = () => false;
  readonly #tools: DefinitionCache<Tool>;
  readonly #resources: DefinitionCache<ToolResource>;
  readonly #templates: DefinitionCache<ToolResourceTemplate>;
  readonly #prompts: DefinitionCache<ToolPrompt>;
  tools: readonly Tool[] = [];
  resources: readonly ToolResource[] = [];
  templates: readonly ToolResourceTemplate[] = [];
  prompts: readonly ToolPrompt[] = [];
  instructions = '';

  /**
   * @param key identifies the server in the pins
   * @param entry what its entry says about its tools; the same until the listing is removed
   */
  constructor(
    private readonly connection: ServerConnection,
    private readonly calls: RunningCalls,
    private readonly pins: DefinitionPins,
    private readonly key: () => string,
    private readonly entry: () => EntryTools | undefined,
    private readonly log: Logger,
  ) {
    const nameOf = ({ name }: { readonly name: string }): string => name;
    this.#tools = new DefinitionCache(
      (definition) => this.#forward?.forwardTool(definition, connection, calls, this.#isSchema, entry()),
      nameOf,
      () => {
        log.warn('mcp', `Skipped a tool of “${calls.name}”: its name is missing, invalid or already used`);
      },
    );
    this.#resources = new DefinitionCache(
      (definition) => this.#forward?.forwardResource(definition, connection),
      // Two forms of one URI are one resource.
      ({ uri }) => new URL(uri).href,
    );
    this.#templates = new DefinitionCache(
      (definition) => this.#forward?.forwardTemplate(definition, connection),
      ({ pattern }) => pattern,
    );
    this.#prompts = new DefinitionCache((definition) => this.#forward?.forwardPrompt(definition, connection), nameOf);
  }

  /** Loads what reads definitions and checks schemas, without which nothing is available. */
  async load(): Promise<void> {
    this.#forward ??= await import('./forwardedTools');
    const { fromJsonSchema, JsonSchemaValidator } = await import('../contract/mcpServerSdk');
    this.#isSchema = (schema) => {
      try {
        fromJsonSchema(schema, new JsonSchemaValidator());
        return true;
      } catch {
        return false;
      }
    };
  }

  get heldBack(): HeldBackTools {
    const { pins, key } = this;
    return {
      list: () => pins.heldBack(key()).map(withLabel),
      accept: (name, hash) => pins.accept(key(), name, hash),
      refuse: (name, hash) => pins.refuse(key(), name, hash),
    };
  }

  /** The usable definitions of a listing that agents are not given. */
  previewOf(listing: ServerListing): NonNullable<ToolServer['preview']> {
    const { connection, calls } = this;
    const tools = new DefinitionCache(
      (definition) => this.#forward?.forwardTool(definition, connection, calls, () => false, this.entry()),
      ({ name }) => name,
    ).cachedOf(listing.tools);
    const resources = listing.resources.flatMap((one) => this.#forward?.forwardResource(one, connection) ?? []);
    const templates = listing.templates.flatMap((one) => this.#forward?.forwardTemplate(one, connection) ?? []);
    const prompts = listing.prompts.flatMap((one) => this.#forward?.forwardPrompt(one, connection) ?? []);
    return { tools: tools.map(({ one }) => one), resources, templates, prompts };
  }

  /** Takes a new listing; does nothing for the same one. */
  setListing(listing: ServerListing | undefined): void {
    if (listing === this.#listing) return;
    this.#listing = listing;
    if (!listing) this.#tools.clear();
    const { calls, log } = this;
    if (listing?.skipped)
      log.warn('mcp', `Skipped ${listing.skipped} definitions of “${calls.name}”: they are too large`);
    this.resources = listing ? this.#resources.cachedOf(listing.resources).map(({ one }) => one) : [];
    this.applyDecisions();
  }

  /** Applies decisions of the user about held-back definitions. */
  applyDecisions(): void {
    const listing = this.#listing;
    if (listing) this.#applyListing(listing);
    else [this.tools, this.templates, this.prompts, this.instructions] = [[], [], [], ''];
  }

  #applyListing(listing: ServerListing): void {
    const { pins, key } = this;
    const tools = this.#tools.cachedOf(listing.tools).map(withPin(pinnedTool));
    const templates = this.#templates.cachedOf(listing.templates).map(withPin(pinnedTemplate));
    const prompts = this.#prompts.cachedOf(listing.prompts).map(withPin(pinnedPrompt));
    const { instructions = '' } = listing;
    const pinned = [...tools, ...templates, ...prompts].map(({ pin }) => pin);
    const availableNames = pins.check(key(), [...pinned, pinnedInstructions(instructions)]);
    const available = <T>(all: readonly { one: T; pin: { name: string } }[]): readonly T[] =>
      all.filter(({ pin }) => availableNames.has(pin.name)).map(({ one }) => one);
    this.tools = available(tools);
    this.templates = available(templates);
    this.prompts = available(prompts);
    this.instructions = availableNames.has(INSTRUCTIONS) ? instructions : '';
  }
}

function withPin<T, P>(
  pinOf: (one: T, definition: JsonObject) => P,
): (cached: CachedDefinition<T>) => { one: T; pin: P } {
  return ({ one, definition }) => ({ one, pin: pinOf(one, definition) });
}

interface CachedDefinition<T> {
  readonly one: T;
  readonly definition: JsonObject;
}

/** Keeps the result for each definition, so that equal definitions give the same object and agents are notified only of changes. */
class DefinitionCache<T> {
  #cache = new Map<string, T>();

  /**
   * @param create returns undefined for an unusable definition
   * @param onSkipped called for each skipped or duplicate definition
   */
  constructor(
    private readonly create: (definition: JsonObject) => T | undefined,
    private readonly idOf: (one: T) => string,
    private readonly onSkipped: () => void = () => undefined,
  ) {}

  clear(): void {
    this.#cache.clear();
  }

  /** Of definitions with the same id, only the first is used. */
  cachedOf(definitions: readonly JsonObject[]): readonly CachedDefinition<T>[] {
    const cached = new Map<string, T>();
    const found = new Map<string, CachedDefinition<T>>();
    for (const definition of definitions) {
      const key = JSON.stringify(definition);
      const one = this.#cache.get(key) ?? this.create(definition);
      if (one === undefined || found.has(this.idOf(one))) this.onSkipped();
      else {
        found.set(this.idOf(one), { one, definition });
        cached.set(key, one);
      }
    }
    this.#cache = cached;
    return [...found.values()];
  }
}

/** Converts definitions of a server to pins. Tools are pinned by name; the names of all others contain a space, which no tool name can. */

const INSTRUCTIONS = 'server instructions';
const PROMPT = 'prompt ';
const TEMPLATE = 'template ';

/** The fields of a tool that a model reads or that decide how it is called. */
function pinnedTool({ name }: Tool, definition: JsonObject): PinnedDefinition {
  const { inputSchema, outputSchema, annotations } = definition;
  return { name, ...textsOf(definition), inputSchema, outputSchema, annotations };
}

function pinnedPrompt({ name }: ToolPrompt, definition: JsonObject): PinnedDefinition {
  return { name: PROMPT + name, ...textsOf(definition), arguments: definition['arguments'] };
}

function pinnedTemplate({ pattern }: ToolResourceTemplate, definition: JsonObject): PinnedDefinition {
  const more = omitUndefined({ mimeType: asString(definition['mimeType']) });
  return { name: TEMPLATE + pattern, ...textsOf(definition), ...more };
}

/** Empty instructions are pinned, too: instructions that are added later are a change. */
function pinnedInstructions(text: string): PinnedDefinition {
  return { name: INSTRUCTIONS, description: text, ...(text === '' && { isEmpty: true }) };
}

/** Adds the kind as a text, unless it is a tool. */
function withLabel(heldBack: ChangedDefinition): HeldBackTool {
  const label = labelOf(heldBack.name);
  return label === undefined ? heldBack : { ...heldBack, label };
}

/** @param name in the pins */
function labelOf(name: string): string | undefined {
  if (name === INSTRUCTIONS) return t('Server instructions');
  if (name.startsWith(PROMPT)) return t('Prompt “{0}”', name.slice(PROMPT.length));
  if (name.startsWith(TEMPLATE)) return t('Resource template “{0}”', name.slice(TEMPLATE.length));
  return undefined;
}

function textsOf(definition: JsonObject): { title?: string; description?: string } {
  return omitUndefined({ title: asString(definition['title']), description: asString(definition['description']) });
}
