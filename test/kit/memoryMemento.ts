import type { Memento } from '../../src/base/memento';

/** VS Code's memory of a workspace: values are stored as JSON, and those that are shared are the memory of a window that opens later. */
export class MemoryMemento implements Memento {
  constructor(readonly values = new Map<string, unknown>()) {}

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get(key: string): unknown {
    return this.values.get(key);
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.parse(JSON.stringify(value)));
  }
}
