import type { TrafficConnection, TrafficConnections } from '../../agent/traffic/trafficConnections';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { TrafficHostMessage } from '../../shared/protocol/trafficPageProtocol';
import { statusWord } from './connectionStatusText';

/** Maximum number of entries in one message to the page. */
const ENTRIES_PER_MESSAGE = 100;

interface TrafficFeedOptions {
  readonly connections: Pick<TrafficConnections, 'all' | 'onDidChange'>;
  recording(): boolean;
  post(message: TrafficHostMessage): void;
  /** Calls back after a delay, so that further entries can be batched. */
  schedule(callback: () => void): Disposable;
}

/** Sends the traffic of one connection to a page: first the retained entries, then new ones in batches. */
export class TrafficFeed implements Disposable {
  readonly #options: TrafficFeedOptions;
  readonly #store = new DisposableStore();
  readonly #following = this.#store.add(new MutableDisposable<Disposable>());
  readonly #pause = this.#store.add(new MutableDisposable<Disposable>());
  #shown: TrafficConnection | undefined;
  #next = 0;
  #fresh = true;
  #live = false;

  constructor(options: TrafficFeedOptions) {
    this.#options = options;
    this.#store.add(options.connections.onDidChange(() => this.#connectionsChanged()));
  }

  get shown(): TrafficConnection | undefined {
    return this.#shown;
  }

  /** The page is loaded and empty. */
  ready(): void {
    this.#live = true;
    this.show(this.#shown?.id);
  }

  /** The page is unloaded; the next {@link ready} sends everything again. */
  hidden(): void {
    this.#live = false;
    this.#pause.value = undefined;
  }

  /** @param id the newest connection when the id does not exist */
  show(id: number | undefined): void {
    const all = this.#options.connections.all();
    const chosen = all.find((connection) => connection.id === id) ?? all.at(-1);
    this.#shown = chosen;
    this.#next = 0;
    this.#fresh = true;
    this.#following.value = chosen?.ring.onDidAdd(() => this.#later());
    this.refresh();
    this.#flush();
  }

  /** Sends the list of connections again. */
  refresh(): void {
    if (!this.#live) return;
    const connections = this.#options.connections
      .all()
      .map(({ id, title, status }) => ({ id, title, status: statusWord(status) }));
    this.#options.post({
      type: 'connections',
      connections,
      shown: this.#shown?.id,
      recording: this.#options.recording(),
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #connectionsChanged(): void {
    const isKept = this.#options.connections.all().some(({ id }) => id === this.#shown?.id);
    if (isKept) this.refresh();
    else if (this.#live || this.#shown) this.show(undefined);
  }

  #later(): void {
    if (!this.#live || this.#pause.value) return;
    this.#pause.value = this.#options.schedule(() => {
      this.#pause.value = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const ring = this.#shown?.ring;
    if (!ring || !this.#live) return;
    const entries = ring.entries(this.#next, ENTRIES_PER_MESSAGE);
    if (entries.length === 0 && !this.#fresh) return;
    this.#options.post({ type: 'entries', first: ring.firstSeq, fresh: this.#fresh, entries });
    this.#fresh = false;
    this.#next = (entries.at(-1)?.seq ?? this.#next - 1) + 1;
    if (entries.length === ENTRIES_PER_MESSAGE) this.#later();
  }
}
