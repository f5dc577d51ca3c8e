import type { ServerClient } from './serverListing';

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
