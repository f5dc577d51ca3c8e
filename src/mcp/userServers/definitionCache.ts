import type { JsonObject } from '../../base/json';

export interface CachedDefinition<T> {
  readonly one: T;
  readonly definition: JsonObject;
}

/** Keeps the result for each definition, so that equal definitions give the same object and agents are notified only of changes. */
export class DefinitionCache<T> {
  readonly #make: (definition: JsonObject) => T | undefined;
  readonly #idOf: (one: T) => string;
  readonly #leftOut: () => void;
  #made = new Map<string, T>();

  /**
   * @param make returns undefined for an unusable definition
   * @param leftOut called for each skipped or duplicate definition
   */
  constructor(
    make: (definition: JsonObject) => T | undefined,
    idOf: (one: T) => string,
    leftOut: () => void = () => undefined,
  ) {
    this.#make = make;
    this.#idOf = idOf;
    this.#leftOut = leftOut;
  }

  /** Of definitions with the same id, only the first is used. */
  of(definitions: readonly JsonObject[]): readonly CachedDefinition<T>[] {
    const made = new Map<string, T>();
    const found = new Map<string, CachedDefinition<T>>();
    for (const definition of definitions) {
      const key = JSON.stringify(definition);
      const one = this.#made.get(key) ?? this.#make(definition);
      if (one === undefined || found.has(this.#idOf(one))) this.#leftOut();
      else {
        found.set(this.#idOf(one), { one, definition });
        made.set(key, one);
      }
    }
    this.#made = made;
    return [...found.values()];
  }
}
