/** The members of `T`, each of them optional; those of a member that is an object, too. */
type Given<T> = {
  readonly [K in keyof T]?: (T[K] extends (...args: never) => unknown ? T[K] : T[K] | Given<T[K]>) | undefined;
};

/** A stand-in for an object of which a test uses some members. The use of any other member throws, so that a test says what it relies on. */
export function stubOf<T extends object>(members: Given<T>): T {
  const stub = new Proxy(members, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      // `await`, comparison and printing look at `then`, `toJSON` and symbols of any object.
      if (key in target || typeof key === 'symbol' || key === 'then' || key === 'toJSON') return value;
      throw new Error(`This stub has no member "${key}", only: ${Object.keys(target).join(', ')}`);
    },
  });
  return standIn(stub);
}

/**
 * An object as the type that a test lets it stand in for. For objects with a state of their own, for example classes of a stub of `vscode`;
 * of others {@link stubOf} knows the members.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- inferred from where the value goes
export function standIn<T>(value: unknown): T {
  return value as T;
}
