import type { JsonObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { DefinitionPins } from '../availability/definitionPins';
import type {
  HeldBackTools,
  Tool,
  ToolPrompt,
  ToolResource,
  ToolResourceTemplate,
  ToolServer,
} from '../toolServerTypes';
import type { RunningCalls } from './connection/runningCalls';
import { forwardPrompt, forwardResource, forwardTemplate, forwardTool } from './forwardedTools';
import type { ServerConnection } from './connection/serverConnection';
import type { ServerListing } from './connection/serverListing';
import type { CachedDefinition } from './definitionCache';
import { DefinitionCache } from './definitionCache';
import { INSTRUCTIONS, pinnedInstructions, pinnedPrompt, pinnedTemplate, pinnedTool, withLabel } from './pinnedFields';

interface OfferingOptions {
  readonly link: ServerConnection;
  readonly calls: RunningCalls;
  readonly pins: DefinitionPins;
  /** Identifies the server in the pins. */
  readonly key: () => string;
  readonly log: Logger;
}

/**
 * The usable definitions of a listing that match their pins or are new. Templates, prompts and instructions are pinned like tools;
 * resources are data and are not.
 */
export class OfferedDefinitions {
  readonly #options: OfferingOptions;
  #listing: ServerListing | undefined;
  /** Whether a JSON Schema can be used; set once its library is loaded. */
  isSchema: (schema: JsonObject) => boolean = () => false;
  readonly #tools: DefinitionCache<Tool>;
  readonly #resources: DefinitionCache<ToolResource>;
  readonly #templates: DefinitionCache<ToolResourceTemplate>;
  readonly #prompts: DefinitionCache<ToolPrompt>;
  tools: readonly Tool[] = [];
  resources: readonly ToolResource[] = [];
  templates: readonly ToolResourceTemplate[] = [];
  prompts: readonly ToolPrompt[] = [];
  instructions = '';

  constructor(options: OfferingOptions) {
    const { link, calls, log } = options;
    this.#options = options;
    const nameOf = ({ name }: { readonly name: string }): string => name;
    this.#tools = new DefinitionCache(
      (definition) => forwardTool(definition, link, calls, this.isSchema),
      nameOf,
      () => {
        log.warn('mcp', `Skipped a tool of “${calls.name}”: its name is missing, invalid or already used`);
      },
    );
    this.#resources = new DefinitionCache(
      (definition) => forwardResource(definition, link),
      ({ uri }) => uri,
    );
    this.#templates = new DefinitionCache(
      (definition) => forwardTemplate(definition, link),
      ({ pattern }) => pattern,
    );
    this.#prompts = new DefinitionCache((definition) => forwardPrompt(definition, link), nameOf);
  }

  get held(): HeldBackTools {
    const { pins, key } = this.#options;
    return {
      list: () => pins.held(key()).map(withLabel),
      accept: (name, hash) => pins.accept(key(), name, hash),
      refuse: (name, hash) => pins.refuse(key(), name, hash),
    };
  }

  /** The usable definitions of a listing that agents are not given. */
  previewOf(listing: ServerListing): NonNullable<ToolServer['preview']> {
    const { link, calls } = this.#options;
    const tools = new DefinitionCache(
      (definition) => forwardTool(definition, link, calls, () => false),
      ({ name }) => name,
    ).of(listing.tools);
    const resources = listing.resources.flatMap((one) => forwardResource(one, link)?.uri ?? []);
    const templates = listing.templates.flatMap((one) => forwardTemplate(one, link)?.pattern ?? []);
    return { tools: tools.map(({ one }) => one), resources: [...resources, ...templates] };
  }

  /** Takes a new listing; does nothing for the same one. */
  take(listing: ServerListing | undefined): void {
    if (listing === this.#listing) return;
    this.#listing = listing;
    this.resources = listing ? this.#resources.of(listing.resources).map(({ one }) => one) : [];
    this.applyDecisions();
  }

  /** Applies decisions of the user about held-back definitions. */
  applyDecisions(): void {
    const listing = this.#listing;
    if (listing) this.#offer(listing);
    else [this.tools, this.templates, this.prompts, this.instructions] = [[], [], [], ''];
  }

  #offer(listing: ServerListing): void {
    const { pins, key } = this.#options;
    const tools = this.#tools.of(listing.tools).map(withPin(pinnedTool));
    const templates = this.#templates.of(listing.templates).map(withPin(pinnedTemplate));
    const prompts = this.#prompts.of(listing.prompts).map(withPin(pinnedPrompt));
    const { instructions = '' } = listing;
    const pinned = [...tools, ...templates, ...prompts].map(({ pin }) => pin);
    const seen = pins.check(key(), [...pinned, pinnedInstructions(instructions)]);
    const offered = <T>(all: readonly { one: T; pin: { name: string } }[]): readonly T[] =>
      all.filter(({ pin }) => seen.has(pin.name)).map(({ one }) => one);
    this.tools = offered(tools);
    this.templates = offered(templates);
    this.prompts = offered(prompts);
    this.instructions = seen.has(INSTRUCTIONS) ? instructions : '';
  }
}

function withPin<T, P>(
  pinOf: (one: T, definition: JsonObject) => P,
): (made: CachedDefinition<T>) => { one: T; pin: P } {
  return ({ one, definition }) => ({ one, pin: pinOf(one, definition) });
}
