import type * as vscode from 'vscode';
import type { TrafficConnection, TrafficConnections } from '../../agent/connection/trafficConnections';
import type { Clock } from '../../base/clock';
import { DelayedCall, systemClock } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { PlainSettingsReader } from '../../base/settings';
import type { TrafficHostMessage } from '../../shared/protocol/trafficPageProtocol';
import { statusWord } from './connectionStatusText';

/** Maximum number of entries in one message to the page. */
const ENTRIES_PER_MESSAGE = 100;

/** Milliseconds between two messages to the page, so that entries can be batched. */
const BATCH_MS = 100;

export type TrafficSettings = PlainSettingsReader<'traffic.record'>;

/** Sends the traffic of one connection to a page: first the retained entries, then new ones in batches. */
export class TrafficFeed implements Disposable {
  readonly #store = new DisposableStore();
  readonly #following = this.#store.add(new MutableDisposable<Disposable>());
  readonly #pause: DelayedCall;
  #shownConnection: TrafficConnection | undefined;
  #next = 0;
  #isFresh = true;
  #isLive = false;

  constructor(
    private readonly connections: TrafficConnections,
    private readonly settings: TrafficSettings,
    private readonly webview: Pick<vscode.Webview, 'postMessage'>,
    clock: Clock = systemClock,
  ) {
    this.#pause = this.#store.add(new DelayedCall(BATCH_MS, () => this.#flush(), clock));
    this.#store.add(connections.onDidChange(() => this.#onDidChangeConnections()));
    this.#store.add(settings.onDidChange(() => this.refresh()));
  }

  get shownConnection(): TrafficConnection | undefined {
    return this.#shownConnection;
  }

  /** The page is loaded and empty. */
  ready(): void {
    this.#isLive = true;
    this.show(this.#shownConnection?.id);
  }

  /** The page is unloaded; the next {@link ready} sends everything again. */
  onPageHidden(): void {
    this.#isLive = false;
    this.#pause.cancel();
  }

  /** @param id the newest connection, if possible with an agent, when the id does not exist */
  show(id: number | undefined): void {
    const all = this.connections.all();
    const chosen =
      all.find((connection) => connection.id === id) ??
      all.findLast(({ protocol }) => protocol === 'acp') ??
      all.at(-1);
    this.#shownConnection = chosen;
    this.#next = 0;
    this.#isFresh = true;
    this.#following.value = chosen?.ring.onDidAdd(() => this.#later());
    this.refresh();
    this.#flush();
  }

  /** Sends the list of connections again. */
  refresh(): void {
    if (!this.#isLive) return;
    const connections = this.connections
      .all()
      .map(({ id, title, status }) => ({ id, title, status: statusWord(status) }));
    this.#post({
      type: 'connections',
      connections,
      shown: this.#shownConnection?.id,
      recording: this.settings.get('traffic.record'),
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #onDidChangeConnections(): void {
    const isKept = this.connections.all().some(({ id }) => id === this.#shownConnection?.id);
    if (isKept) this.refresh();
    else if (this.#isLive || this.#shownConnection) this.show(undefined);
  }

  #later(): void {
    if (this.#isLive) this.#pause.schedule();
  }

  #post(message: TrafficHostMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
    void this.webview.postMessage(message);
  }

  #flush(): void {
    const ring = this.#shownConnection?.ring;
    if (!ring || !this.#isLive) return;
    const entries = ring.entries(this.#next, ENTRIES_PER_MESSAGE);
    if (entries.length === 0 && !this.#isFresh) return;
    this.#post({ type: 'entries', first: ring.firstSeq, fresh: this.#isFresh, entries });
    this.#isFresh = false;
    this.#next = (entries.at(-1)?.seq ?? this.#next - 1) + 1;
    if (entries.length === ENTRIES_PER_MESSAGE) this.#later();
  }
}
