import { computed, signal } from '@preact/signals';
import type { ConnectionItem, TrafficHostMessage } from '../../shared/protocol/trafficPageProtocol';
import type { TrafficEntry, TrafficFilter, TrafficRow } from '../../shared/traffic/trafficEntries';
import { RequestIndex, entryText, matchesTrafficFilter } from '../../shared/traffic/trafficEntries';

/** The state of the traffic page: the entries of one connection, the filter, and the selected entry. */
export class TrafficStore {
  readonly connections = signal<readonly ConnectionItem[]>([]);
  readonly shown = signal<number | undefined>(undefined);
  readonly recording = signal(true);
  readonly filter = signal<TrafficFilter>({ text: '', errorsOnly: false });
  /** Number of the selected entry. */
  readonly selected = signal<number | undefined>(undefined);
  readonly #all = signal<readonly TrafficRow[]>([]);
  readonly #texts = new WeakMap<TrafficEntry, string>();
  #index = new RequestIndex();

  readonly total = computed(() => this.#all.value.length);

  /** The rows that match the filter. */
  readonly rows = computed(() => {
    const filter = this.filter.value;
    return this.#all.value.filter((row) => matchesTrafficFilter(row, filter, (entry) => this.#textOf(entry)));
  });

  /** All methods, for the filter. */
  readonly methods = computed(() => {
    const methods = new Set(this.#all.value.flatMap(({ method }) => method ?? []));
    return [...methods].sort();
  });

  readonly selectedRow = computed(() => this.#all.value.find(({ entry }) => entry.seq === this.selected.value));

  receive(message: TrafficHostMessage): void {
    if (message.type === 'connections') {
      this.connections.value = message.connections;
      this.shown.value = message.shown;
      this.recording.value = message.recording;
      return;
    }
    if (message.fresh) {
      this.#index = new RequestIndex();
      this.selected.value = undefined;
    }
    this.#index.dropBefore(message.first);
    for (const entry of message.entries) this.#index.add(entry);
    this.#all.value = [...this.#index.rows];
  }

  narrow(change: Partial<TrafficFilter>): void {
    this.filter.value = { ...this.filter.value, ...change };
  }

  #textOf(entry: TrafficEntry): string {
    const cached = this.#texts.get(entry) ?? entryText(entry).toLowerCase();
    this.#texts.set(entry, cached);
    return cached;
  }
}
