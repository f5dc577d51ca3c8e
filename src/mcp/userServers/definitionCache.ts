import type { JsonObject } from '../../base/json';

/** Something with the definition that it was made of. */
export interface CachedDefinition<T> {
  readonly one: T;
  readonly definition: JsonObject;
}

/** What was made of a server's definitions: of an equal definition the same again, so that agents are told only of what has changed. */
export class DefinitionCache<T> {
  readonly #make: (definition: JsonObject) => T | undefined;
  readonly #idOf: (one: T) => string;
  readonly #leftOut: () => void;
  #made = new Map<string, T>();

  /**
   * @param make undefined for a definition that cannot be used
   * @param leftOut told of each that is left out, or whose id is taken
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

  /** Of two with one id the first. */
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
