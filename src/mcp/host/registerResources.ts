import type { McpServer } from '@modelcontextprotocol/server';
import { DelayedCall } from '../../base/clock';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { matchesParts } from '../../permissions/rules/wildcard';
import type { RegisteredServer } from '../contract/toolServerRegistry';
import type { ToolResource, ToolResourceTemplate } from '../contract/toolServerTypes';
import type { Mcp, SessionServer } from './sessionServer';

/** Registers the resources of a server, follows changes of the list, and notifies subscribers of updates. */
export function registerResources(server: McpServer, library: Mcp, served: SessionServer): Disposable {
  const store = new DisposableStore();
  const { server: tools } = served.registered;
  const subscribed = store.add(new Subscriptions(server, tools));
  const registrations = store.add(new ResourceRegistrations(server, library, served, subscribed));
  store.add(served.follow(() => registrations.synchronize()));
  if (tools.onDidUpdate) store.add(tools.onDidUpdate((uri) => subscribed.notifyUpdated(uri)));
  return store;
}

/** The part of an SDK registration in use, for resources and templates. */
interface Handle {
  enabled: boolean;
  update(updates: { enabled: boolean }): void;
  remove(): void;
}

class ResourceRegistrations implements Disposable {
  readonly #handles = new Map<ToolResource | ToolResourceTemplate, Handle>();
  readonly #changes = new Map<ToolResource | ToolResourceTemplate, Disposable>();

  constructor(
    private readonly server: McpServer,
    private readonly library: Mcp,
    private readonly served: SessionServer,
    private readonly subscribed: Subscriptions,
  ) {}

  /** Unchanged resources stay registered and cause no notification. */
  synchronize(): void {
    const { resources = [], templates = [] } = this.served.registered.server;
    const current = new Set([...resources, ...templates]);
    for (const [one, handle] of this.#handles) if (!current.has(one)) this.#remove(one, handle);
    for (const one of current) if (!this.#handles.has(one)) this.#add(one);
    const enabled = this.served.isAvailable;
    for (const handle of this.#handles.values()) if (handle.enabled !== enabled) handle.update({ enabled });
  }

  dispose(): void {
    for (const change of this.#changes.values()) change.dispose();
    this.#changes.clear();
  }

  #add(one: ToolResource | ToolResourceTemplate): void {
    if ('pattern' in one) {
      const handle = registerTemplate(this.server, this.library, this.served, one);
      if (handle) this.#handles.set(one, handle);
      return;
    }
    const { uri, name, title, description, mimeType, metadata, read, onDidChange } = one;
    const config = metadata ?? { title, description, mimeType };
    const { session } = this.served;
    const handle = this.served.registerUsable(`resource ${uri}`, one, () =>
      // The SDK normalizes the URI of a request in the same way.
      this.server.registerResource(name, new URL(uri).href, config, (_uri, context) =>
        this.served.access(`resource:${uri}`, { uri }, context, async () => {
          const given = await read(session);
          return { contents: typeof given === 'string' ? [{ uri, mimeType, text: given }] : contentsOf(given) };
        }),
      ),
    );
    if (!handle) return;
    this.#handles.set(one, handle);
    if (onDidChange)
      this.#changes.set(
        one,
        onDidChange(() => this.subscribed.notifyUpdated(uri)),
      );
  }

  #remove(one: ToolResource | ToolResourceTemplate, handle: Handle): void {
    handle.remove();
    this.#handles.delete(one);
    this.#changes.get(one)?.dispose();
    this.#changes.delete(one);
  }
}

/** Undefined for an invalid pattern of another server. Duplicate names are both kept. */
function registerTemplate(
  server: McpServer,
  library: Mcp,
  served: SessionServer,
  { pattern, name, title, description, mimeType, metadata, read }: ToolResourceTemplate,
): Handle | undefined {
  const config = metadata ?? { title, description, ...(mimeType !== undefined && { mimeType }) };
  const register = (key: string): Handle => {
    const template = new library.ResourceTemplate(pattern, { list: undefined });
    // The SDK matches with a regular expression, whose time can grow exponentially with the number of variables.
    const literals = pattern.split(/\{[^{}]*\}/);
    Object.assign(template.uriTemplate, { match: (uri: string) => (matchesParts(literals, uri) ? {} : null) });
    return server.registerResource(key, template, config, ({ href }, _variables, context) =>
      served.access(`resource:${href}`, { uri: href }, context, async () => ({
        contents: contentsOf(await read(href)),
      })),
    );
  };
  for (const key of [name, pattern]) {
    try {
      return register(key);
    } catch {
      // The SDK throws for a used name and for an invalid pattern.
    }
  }
  return undefined;
}

function contentsOf(contents: readonly JsonObject[]): { uri: string; text: string }[] {
  return contents as unknown as { uri: string; text: string }[];
}

/** Milliseconds in which the updates of a resource are merged; a server may send them without end. */
const MERGE_WINDOW_MS = 100;

/**
 * Until 2025-11-25 a client subscribes by `resources/subscribe`, which the SDK leaves to the server; for `subscriptions/listen` the SDK
 * itself picks the changes.
 */
class Subscriptions implements Disposable {
  readonly #server: McpServer['server'];
  readonly #watched = new Map<string, Disposable>();
  readonly #updated = new Set<string>();
  readonly #later = new DelayedCall(MERGE_WINDOW_MS, () => this.#sendUpdates());

  constructor({ server }: McpServer, tools: RegisteredServer['server']) {
    this.#server = server;
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
      if (!this.#watched.has(uri)) this.#watched.set(uri, tools.watch?.(uri) ?? new DisposableStore());
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      this.#watched.get(uri)?.dispose();
      this.#watched.delete(uri);
      return {};
    });
  }

  notifyUpdated(uri: string): void {
    if (!this.#isListening(uri)) return;
    this.#updated.add(uri);
    this.#later.schedule();
  }

  #isListening(uri: string): boolean {
    // A client that sent `initialize` uses a revision until 2025-11-25, and gets only what it subscribed to.
    return this.#server.getClientVersion() === undefined || this.#watched.has(uri);
  }

  #sendUpdates(): void {
    const updated = [...this.#updated].filter((uri) => this.#isListening(uri));
    this.#updated.clear();
    for (const uri of updated) this.#server.sendResourceUpdated({ uri }).catch(() => undefined);
  }

  dispose(): void {
    this.#later.dispose();
    for (const watch of this.#watched.values()) watch.dispose();
    this.#watched.clear();
  }
}
