/** Names of documents that Parley is editing: their changes do not count as the user's. */
export class OwnEdits {
  readonly #paths = new Set<string>();

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  async run<T>(path: string, edit: () => Promise<T>): Promise<T> {
    this.#paths.add(path);
    try {
      return await edit();
    } finally {
      this.#paths.delete(path);
    }
  }
}
