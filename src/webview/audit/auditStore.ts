import { computed, signal } from '@preact/signals';
import type { AuditFilter, AuditHostMessage, AuditRow } from '../../shared/protocol/auditPageProtocol';
import { matchesAuditFilter } from '../../shared/protocol/auditPageProtocol';

/** A record and its 0-based position in the log. */
export interface NumberedRow {
  readonly row: AuditRow;
  readonly number: number;
}

/** State of the audit page: records, filter, selection. */
export class AuditStore {
  readonly filter = signal<AuditFilter>({ text: '' });
  readonly selected = signal<number | undefined>(undefined);
  readonly loaded = signal(false);
  readonly #all = signal<readonly NumberedRow[]>([]);
  readonly #texts = new WeakMap<AuditRow, string>();

  readonly total = computed(() => this.#all.value.length);

  /** Oldest first. */
  readonly rows = computed(() => {
    const filter = this.filter.value;
    return this.#all.value.filter(({ row }) => matchesAuditFilter(row, filter, (each) => this.#textOf(each)));
  });

  /** Filter values. */
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
    const cached = this.#texts.get(row) ?? JSON.stringify(row).toLowerCase();
    this.#texts.set(row, cached);
    return cached;
  }
}
