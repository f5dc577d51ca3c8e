import type { ServerClient } from './serverListing';
import type { Event } from '../../../base/event';
import { Emitter } from '../../../base/event';
import type { Disposable } from '../../../base/lifecycle';
import { toDisposable } from '../../../base/lifecycle';

/** The documents of one server that somebody wants to hear of, whoever and how many they are. */
export class ResourceWatchers implements Disposable {
  readonly #counts = new Map<string, number>();
  readonly #changed = new Emitter<void>();

  /** Another set of documents is wanted. */
  readonly onDidChange: Event<void> = this.#changed.event;

  /** Their addresses. */
  get uris(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** Wants to hear of a document until the result is disposed. */
  add(uri: string): Disposable {
    const before = this.#counts.get(uri) ?? 0;
    this.#counts.set(uri, before + 1);
    if (before === 0) this.#changed.fire();
    return toDisposable(() => {
      const left = (this.#counts.get(uri) ?? 1) - 1;
      if (left > 0) this.#counts.set(uri, left);
      else if (this.#counts.delete(uri)) this.#changed.fire();
    });
  }

  dispose(): void {
    this.#counts.clear();
    this.#changed.dispose();
  }
}

/** Milliseconds that a server may take to note a subscription. */
const TIMEOUT = 30_000;

/** Until 2025-11-25: a request for each document. A server that refuses tells of no changes. */
export function subscribeEach(request: ServerClient['request'], isOffered: boolean): ServerClient['subscribe'] {
  let known: readonly string[] = [];
  return (uris) => {
    if (!isOffered) return;
    const ask = (method: string, uri: string): void => {
      request(method, { uri }, { timeout: TIMEOUT }).catch(() => undefined);
    };
    for (const uri of uris) if (!known.includes(uri)) ask('resources/subscribe', uri);
    for (const uri of known) if (!uris.includes(uri)) ask('resources/unsubscribe', uri);
    known = [...uris];
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

/** Of 2026-07-28: one stream that names everything that is wanted; another one takes its place when that is more or less. */
export class ChangeStream {
  readonly #open: (filter: Filter) => Promise<Stream>;
  /** Undefined where the server refused: it tells of no changes. */
  #stream: Promise<Stream | undefined>;

  constructor(open: (filter: Filter) => Promise<Stream>) {
    this.#open = open;
    this.#stream = this.#next([]);
  }

  to(uris: readonly string[]): void {
    const before = this.#stream;
    this.#stream = this.#next(uris);
    // Only when the new one is there: nothing is missed in between.
    void Promise.all([before, this.#stream]).then(([old]) => old?.close().catch(() => undefined));
  }

  #next(uris: readonly string[]): Promise<Stream | undefined> {
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } as const;
    const filter = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: [...uris] }) };
    return this.#open(filter).catch(() => undefined);
  }
}
