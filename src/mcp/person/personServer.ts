import type { Clock } from '../../base/clock';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { messageOf } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Log } from '../../base/log';
import { fillInputs } from '../../base/variables';
import type { SessionPort } from '../../session/port';
import type { Tool, ToolPrompt, ToolResource, ToolServer } from '../toolServer';
import { openClient } from './client';
import { resolveCommand } from './command';
import type { ServerDefinition, ServerStart } from './definition';
import { definitionKey } from './definition';
import { askAddress, foreignPrompt, foreignResource, foreignTool } from './foreign';
import type { InputValues } from './inputs';
import { askInputs, fillAll } from './inputs';
import type { Listing } from './listing';
import { ServerLink } from './link';
import type { Route } from './route';

/** Asks the person about servers that the opened workspace brings. */
export interface ServerConsent {
  isAllowed(definition: ServerDefinition): boolean;
  /** Asks unless it was answered already; false when it may not be used. @param isAgain ask although the person has put it off */
  ask(definition: ServerDefinition, isAgain: boolean): Promise<boolean>;
}

export interface PersonServerOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly version: string;
  readonly consent: ServerConsent;
  readonly inputs: InputValues;
  /** Where processes run without a `cwd` of their own: absolute. */
  readonly folder: () => string;
  /** Absolute. */
  readonly folders: () => readonly string[];
  /** How the server gets to a chat's agent; undefined before that agent was started. */
  readonly route: (server: PersonServer, session: Pick<SessionPort, 'state'>) => Route | undefined;
  /** Whether a JSON Schema can be used; loads what that needs. */
  readonly schemaCheck: () => Promise<(schema: JsonObject) => boolean>;
}

/** How far a definition has come on the way to being used. */
type Preparation =
  | { readonly status: 'none' }
  | { readonly status: 'working'; readonly words: string }
  | { readonly status: 'ready'; readonly start: ServerStart }
  | { readonly status: 'stuck'; readonly why: string };

/**
 * A server of the person's: asked about, filled in and looked for before it is handed over, and called through Parley where it is not
 * handed over as it is. It stays the same for agents when its definition changes.
 */
export class PersonServer implements ToolServer, Disposable {
  readonly #options: PersonServerOptions;
  readonly #changed = new Emitter<void>();
  readonly #link: ServerLink;
  readonly #sessions: SessionPort[] = [];
  #definition: ServerDefinition;
  #preparation: Preparation = { status: 'none' };
  #preparing: Promise<void> | undefined;
  #listing: Listing | undefined;
  #isSchema: (schema: JsonObject) => boolean = () => false;
  /** By their definition: a tool that has not changed stays the same. */
  #made = new Map<string, Tool>();
  tools: readonly Tool[] = [];
  resources: readonly ToolResource[] = [];

  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(definition: ServerDefinition, options: PersonServerOptions) {
    this.#definition = definition;
    this.#options = options;
    const { name } = definition;
    const { log, clock } = options;
    this.#link = new ServerLink({ name, clock, log, open: (hooks) => this.#open(hooks) });
    this.#link.onDidChange(() => this.#follow());
  }

  get name(): string {
    return this.#definition.name;
  }

  get title(): string {
    return this.#link.listing?.title ?? this.name;
  }

  get description(): string {
    return `Defined by ${this.#definition.place.words}`;
  }

  get instructions(): string {
    return this.#link.listing?.instructions ?? '';
  }

  get definition(): ServerDefinition {
    return this.#definition;
  }

  prompts(): readonly ToolPrompt[] {
    return (this.#link.listing?.prompts ?? []).flatMap((prompt) => foreignPrompt(prompt, this.#link) ?? []);
  }

  /** What the person has changed takes the place of what was; it is asked about, and started, anew. */
  async redefine(definition: ServerDefinition): Promise<void> {
    this.#definition = definition;
    this.#preparation = { status: 'none' };
    this.#preparing = undefined;
    await this.#link.stop();
  }

  /** Asks, fills in and looks for what is needed; with `isGateway` also connects. Never rejects; it may wait for the person. */
  async prepare(isGateway: boolean, isAgain = false): Promise<void> {
    if (this.#preparation.status === 'stuck') this.#preparing = undefined;
    this.#preparing ??= this.#prepare(this.#definition, isAgain);
    await this.#preparing;
    if (isGateway && this.#preparation.status === 'ready') await this.#link.start();
  }

  /** Connects again, or asks for all lists again. */
  async refresh(): Promise<void> {
    if (this.#link.state.status === 'stopped') return;
    await this.#link.refresh();
  }

  /** What it is started or reached by, once all is known. */
  get start(): ServerStart | undefined {
    return this.#preparation.status === 'ready' ? this.#preparation.start : undefined;
  }

  withheld(session: Pick<SessionPort, 'state'>): string | undefined {
    const route = this.#options.route(this, session);
    if (!route) return undefined;
    return route.type === 'none' ? route.why : this.#unready(route.type === 'gateway');
  }

  /** The person was asked, or looked for something, without success: only they can go on. */
  get isStuck(): boolean {
    return this.#preparation.status === 'stuck';
  }

  /** Why it cannot be used at the moment; undefined when it can. */
  #unready(isGateway: boolean): string | undefined {
    const preparation = this.#preparation;
    if (preparation.status === 'none') return 'not asked for yet';
    if (preparation.status === 'working') return preparation.words;
    if (preparation.status === 'stuck') return preparation.why;
    return isGateway && this.#link.listing === undefined ? this.state : undefined;
  }

  /** In words, for the panel; undefined where there is nothing to say. */
  get state(): string | undefined {
    const preparation = this.#preparation;
    if (preparation.status === 'working') return preparation.words;
    if (preparation.status === 'stuck') return preparation.why;
    const state = this.#link.state;
    if (state.status !== 'failed') return preparation.status === 'none' ? undefined : stateWords[state.status];
    const again = state.again === undefined ? '' : ` (next attempt in ${state.again / 1000} s)`;
    return `failed: ${state.message}${again}${state.tail === '' ? '' : `\n${state.tail}`}`;
  }

  /** Ends the connection, and what was started for it. */
  shutdown(): Promise<void> {
    return this.#link.stop();
  }

  dispose(): void {
    this.#link.dispose();
    this.#changed.dispose();
  }

  async #prepare(definition: ServerDefinition, isAgain: boolean): Promise<void> {
    const isOld = (): boolean => definition !== this.#definition;
    const become = (preparation: Preparation): void => {
      if (isOld()) return;
      this.#preparation = preparation;
      this.#changed.fire();
    };
    try {
      const start = await this.#work(definition, isAgain, (words) => become({ status: 'working', words }));
      become(typeof start === 'string' ? { status: 'stuck', why: start } : { status: 'ready', start });
    } catch (error) {
      become({ status: 'stuck', why: `failed: ${messageOf(error)}` });
    }
  }

  /** What it is started by, or why it cannot be used. */
  async #work(
    definition: ServerDefinition,
    isAgain: boolean,
    tell: (words: string) => void,
  ): Promise<ServerStart | string> {
    const { consent, inputs, folder, log } = this.#options;
    const { name, place } = definition;
    if (place.isOfWorkspace && !consent.isAllowed(definition)) {
      tell('waits for you: look at what it runs');
      if (!(await consent.ask(definition, isAgain))) return 'not used: you have not allowed it';
    }
    if (definition.inputs.size > 0) tell('waits for you: it needs an input');
    const asked = await askInputs(ownerOf(definition), definition.inputs, inputs);
    if ('missing' in asked) return `not used: it needs the input “${asked.missing}”, and none was given`;
    const start = filled(definition.start, asked.values);
    inputs.hide(start.type === 'stdio' ? start.env : start.headers);
    if (start.type !== 'stdio') return start;
    const command = await resolveCommand(start.command, { env: start.env, folder: start.cwd ?? folder(), log });
    if (command !== undefined) return { ...start, command };
    log.warn('mcp', `The MCP server “${name}” is not offered: its command ${start.command} was not found`);
    return `failed: the command ${start.command} was not found; install it, or write its whole path`;
  }

  async #open(
    hooks: Parameters<ConstructorParameters<typeof ServerLink>[0]['open']>[0],
  ): ReturnType<typeof openClient> {
    const { start } = this;
    if (!start) throw new Error('it is not ready');
    const { log, clock, version, folder, folders, schemaCheck } = this.#options;
    this.#isSchema = await schemaCheck();
    return openClient({
      name: this.name,
      start,
      folder: folder(),
      roots: folders,
      version,
      log,
      now: () => clock.now(),
      ...hooks,
      onAddress: (message, url) => this.#ask(message, url),
    });
  }

  /** What the server asks belongs to the chat whose call runs; without one nobody knows why it asks, and it is declined. */
  async #ask(message: string, url: string): Promise<'accept' | 'decline' | 'cancel'> {
    const session = this.#sessions.at(-1);
    return session ? askAddress(session, message, url, new AbortController().signal) : 'decline';
  }

  #follow(): void {
    const { listing } = this.#link;
    if (listing !== this.#listing) {
      this.#listing = listing;
      this.tools = this.#toolsOf(listing?.tools ?? []);
      this.resources = (listing?.resources ?? []).flatMap((resource) => foreignResource(resource, this.#link) ?? []);
    }
    this.#changed.fire();
  }

  #toolsOf(definitions: Listing['tools']): readonly Tool[] {
    const made = new Map<string, Tool>();
    const names = new Set<string>();
    for (const definition of definitions) {
      const key = JSON.stringify(definition);
      const tool = this.#made.get(key) ?? foreignTool(definition, this.#link, this, this.#isSchema);
      if (!tool || names.has(tool.name)) {
        this.#options.log.warn('mcp', `A tool of “${this.name}” is left out: its name is missing, wrong or taken`);
        continue;
      }
      names.add(tool.name);
      made.set(key, tool);
    }
    this.#made = made;
    return [...made.values()];
  }

  /** A call of the session runs until the result is called. */
  enter(session: SessionPort): () => void {
    this.#sessions.push(session);
    return () => void this.#sessions.splice(this.#sessions.indexOf(session), 1);
  }
}

const stateWords = { stopped: undefined, connecting: 'connecting', ready: 'ready' } as const;

/** Whose inputs these are. What a workspace defines gets none that was given for another definition. */
function ownerOf(definition: ServerDefinition): string {
  const { name, place } = definition;
  return `MCP server ${name}${place.isOfWorkspace ? ` ${definitionKey(definition).slice(0, 16)}` : ''}`;
}

function filled(start: ServerStart, values: ReadonlyMap<string, string>): ServerStart {
  if (start.type !== 'stdio')
    return { ...start, url: fillInputs(start.url, values), headers: fillAll(start.headers, values) };
  return {
    ...start,
    command: fillInputs(start.command, values),
    args: start.args.map((arg) => fillInputs(arg, values)),
    env: fillAll(start.env, values),
    ...(start.cwd !== undefined && { cwd: fillInputs(start.cwd, values) }),
  };
}
