import type { Event } from '../../../base/event';
import { Emitter } from '../../../base/event';
import type { Disposable } from '../../../base/lifecycle';
import { toDisposable } from '../../../base/lifecycle';
import type { ServerClient } from './serverListing';

/** The watched resources of one server, with the number of watchers of each. */
export class ResourceWatchers implements Disposable {
  readonly #counts = new Map<string, number>();
  readonly #onDidChange = new Emitter<void>();

  /** Fires when the set of watched resources changed. */
  readonly onDidChange: Event<void> = this.#onDidChange.event;

  get uris(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** Watches a resource until the result is disposed. */
  add(uri: string): Disposable {
    const before = this.#counts.get(uri) ?? 0;
    this.#counts.set(uri, before + 1);
    if (before === 0) this.#onDidChange.fire();
    return toDisposable(() => {
      const left = (this.#counts.get(uri) ?? 1) - 1;
      if (left > 0) this.#counts.set(uri, left);
      else if (this.#counts.delete(uri)) this.#onDidChange.fire();
    });
  }

  dispose(): void {
    this.#counts.clear();
    this.#onDidChange.dispose();
  }
}

/** Milliseconds for a server to confirm a subscription. */
const SUBSCRIBE_TIMEOUT_MS = 30_000;

/** Until 2025-11-25: one request per resource. A server that refuses sends no updates. */
export function subscribeEach(request: ServerClient['request'], isSupported: boolean): ServerClient['subscribe'] {
  let subscribed: readonly string[] = [];
  return (uris) => {
    if (!isSupported) return;
    const send = (method: string, uri: string): void => {
      request(method, { uri }, { timeout: SUBSCRIBE_TIMEOUT_MS }).catch(() => undefined);
    };
    for (const uri of uris) if (!subscribed.includes(uri)) send('resources/subscribe', uri);
    for (const uri of subscribed) if (!uris.includes(uri)) send('resources/unsubscribe', uri);
    subscribed = [...uris];
  };
}

interface Filter {
  toolsListChanged: true;
  promptsListChanged: true;
  resourcesListChanged: true;
  resourceSubscriptions?: string[];
}

interface Stream {
  close(): Promise<void>;
}

/** 2026-07-28: one stream names all watched resources; a new stream replaces it when the set changes. */
export class ChangeStream {
  /** Undefined if the server refused the subscription; it then sends no updates. */
  #stream: Promise<Stream | undefined>;

  constructor(private readonly open: (filter: Filter) => Promise<Stream>) {
    this.#stream = this.#subscribe([]);
  }

  to(uris: readonly string[]): void {
    const before = this.#stream;
    this.#stream = this.#subscribe(uris);
    // Closes the old stream only once the new one is open, so that no update is lost.
    void Promise.all([before, this.#stream]).then(([old]) => old?.close().catch(() => undefined));
  }

  #subscribe(uris: readonly string[]): Promise<Stream | undefined> {
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } as const;
    const filter = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: [...uris] }) };
    return this.open(filter).catch(() => undefined);
  }
}
