import type { JsonObject } from '../../base/json';
import { asString } from '../../base/json';
import type { Log } from '../../base/log';
import type { DefinitionPins, PinnedDefinition } from '../pinning';
import type { HeldTools, Tool, ToolPrompt, ToolResource, ToolResourceTemplate } from '../toolServer';
import type { RunningCalls } from './foreign';
import { foreignPrompt, foreignResource, foreignTemplate, foreignTool } from './foreign';
import type { ServerLink } from './link';
import type { Listing } from './listing';

export interface OfferingOptions {
  readonly link: ServerLink;
  readonly calls: RunningCalls;
  readonly pins: DefinitionPins;
  /** Names the server in the pins. */
  readonly key: () => string;
  readonly log: Log;
}

/** What is offered of a listing: what can be used, and what the person has seen before or sees for the first time. */
export class Offering {
  readonly #options: OfferingOptions;
  #listing: Listing | undefined;
  #isSchema: (schema: JsonObject) => boolean = () => false;
  /** By their definition: what has not changed stays the same, and agents are not told of it. */
  #tools = new Map<string, Tool>();
  #resources = new Map<string, ToolResource>();
  tools: readonly Tool[] = [];
  resources: readonly ToolResource[] = [];
  templates: readonly ToolResourceTemplate[] = [];
  prompts: readonly ToolPrompt[] = [];

  constructor(options: OfferingOptions) {
    this.#options = options;
  }

  /** What is held back because it has changed. */
  get held(): HeldTools {
    const { pins, key } = this.#options;
    return {
      list: () => pins.held(key()),
      accept: (name, hash) => pins.accept(key(), name, hash),
      refuse: (name, hash) => pins.refuse(key(), name, hash),
    };
  }

  /** Takes what a server has; nothing is done when it is what was taken last. @param isSchema whether a JSON Schema can be used */
  take(listing: Listing | undefined, isSchema: (schema: JsonObject) => boolean): void {
    if (listing === this.#listing) return;
    const { link } = this.#options;
    this.#listing = listing;
    this.#isSchema = isSchema;
    this.look();
    this.resources = this.#resourcesOf(listing?.resources ?? []);
    this.templates = (listing?.templates ?? []).flatMap((one) => foreignTemplate(one, link) ?? []);
    this.prompts = (listing?.prompts ?? []).flatMap((one) => foreignPrompt(one, link) ?? []);
  }

  /** The person may have decided about what was held back. */
  look(): void {
    if (!this.#listing) {
      this.tools = [];
      return;
    }
    const { pins, key } = this.#options;
    const definitions = this.#usable(this.#listing.tools);
    const offered = pins.check(
      key(),
      definitions.map(({ pinned }) => pinned),
    );
    this.tools = definitions.filter(({ tool }) => offered.has(tool.name)).map(({ tool }) => tool);
  }

  #usable(definitions: Listing['tools']): readonly { readonly tool: Tool; readonly pinned: PinnedDefinition }[] {
    const { link, calls, log } = this.#options;
    const made = new Map<string, Tool>();
    const names = new Set<string>();
    const usable = definitions.flatMap((definition) => {
      const key = JSON.stringify(definition);
      const tool = this.#tools.get(key) ?? foreignTool(definition, link, calls, this.#isSchema);
      if (!tool || names.has(tool.name)) {
        log.warn('mcp', `A tool of “${calls.name}” is left out: its name is missing, wrong or taken`);
        return [];
      }
      names.add(tool.name);
      made.set(key, tool);
      return [{ tool, pinned: pinnedOf(tool.name, definition) }];
    });
    this.#tools = made;
    return usable;
  }

  #resourcesOf(definitions: Listing['resources']): readonly ToolResource[] {
    const made = new Map<string, ToolResource>();
    const uris = new Set<string>();
    for (const definition of definitions) {
      const key = JSON.stringify(definition);
      const resource = this.#resources.get(key) ?? foreignResource(definition, this.#options.link);
      if (!resource || uris.has(resource.uri)) continue;
      uris.add(resource.uri);
      made.set(key, resource);
    }
    this.#resources = made;
    return [...made.values()];
  }
}

/** What a model reads, and what decides how it is called. */
function pinnedOf(name: string, definition: JsonObject): PinnedDefinition {
  const { inputSchema, outputSchema, annotations } = definition;
  const title = asString(definition['title']);
  const description = asString(definition['description']);
  return {
    name,
    inputSchema,
    outputSchema,
    annotations,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}
