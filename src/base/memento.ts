/** The part of `vscode.Memento` that code without `vscode` needs. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
