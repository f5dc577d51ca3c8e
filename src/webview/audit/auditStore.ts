import { computed, signal } from '@preact/signals';
import type { AuditFilter, AuditHostMessage, AuditRow } from '../../shared/protocol/auditPageProtocol';
import { matchesAuditFilter } from '../../shared/protocol/auditPageProtocol';

/** A record and where it stands in the log, from 0. */
export interface NumberedRow {
  readonly row: AuditRow;
  readonly number: number;
}

/** What the page of the audit log shows: the records, narrowed by the filter, and the one that is looked at. */
export class AuditStore {
  readonly filter = signal<AuditFilter>({ text: '' });
  /** Number of the record that is looked at. */
  readonly selected = signal<number | undefined>(undefined);
  /** The log has been read. */
  readonly loaded = signal(false);
  readonly #all = signal<readonly NumberedRow[]>([]);
  readonly #texts = new WeakMap<AuditRow, string>();

  readonly total = computed(() => this.#all.value.length);

  /** The rows that fit the filter, oldest first. */
  readonly rows = computed(() => {
    const filter = this.filter.value;
    return this.#all.value.filter(({ row }) => matchesAuditFilter(row, filter, (each) => this.#textOf(each)));
  });

  /** Everybody who has decided something, for the filter. */
  readonly deciders = computed(() => [...new Set(this.#all.value.map(({ row }) => row.by))].sort());

  readonly selectedRow = computed(() => this.#all.value[this.selected.value ?? -1]);

  receive({ fresh, records }: AuditHostMessage): void {
    const before = fresh ? [] : this.#all.value;
    if (fresh) this.selected.value = undefined;
    this.#all.value = [...before, ...records.map((row, index) => ({ row, number: before.length + index }))];
    this.loaded.value = true;
  }

  narrow(change: Partial<AuditFilter>): void {
    this.filter.value = { ...this.filter.value, ...change };
  }

  /** @param value undefined for all */
  choose(field: 'decision' | 'by', value: string | undefined): void {
    const { [field]: _before, ...rest } = this.filter.value;
    this.filter.value = value === undefined ? rest : { ...rest, [field]: value };
  }

  #textOf(row: AuditRow): string {
    const known = this.#texts.get(row) ?? JSON.stringify(row).toLowerCase();
    this.#texts.set(row, known);
    return known;
  }
}
