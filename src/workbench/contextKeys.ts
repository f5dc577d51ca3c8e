import * as vscode from 'vscode';

/** Sets context keys. VS Code evaluates `when` clauses each time, so an unchanged value is not set again. */
export class ContextKeys {
  readonly #values = new Map<string, boolean>();

  set(key: string, value: boolean): void {
    if (this.#values.get(key) === value) return;
    this.#values.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
