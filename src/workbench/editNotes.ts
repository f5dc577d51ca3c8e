import type * as vscode from 'vscode';
import { toWellFormed } from '../base/text';

/** Tells the review a text of a document during an agent's edit, and who made it. */
export type NoteText = (by: 'agent' | 'user', document: vscode.TextDocument, text: string) => void;

/** An agent's edit; it notes the texts of the documents that it changes. */
export type NotedEdit<T> = (note: NoteText) => Promise<T>;

/** Notes what the user types into a document while an agent's edit is applied and saved. */
export class EditNotes {
  #last: string;
  /** The user has typed. */
  isTyped = false;

  constructor(
    private readonly document: vscode.TextDocument,
    private readonly note: NoteText | undefined,
  ) {
    this.#last = document.getText();
    // Of a clean document, the review knows the exact bytes on disk.
    if (document.isDirty) note?.('user', document, this.#last);
  }

  /** The agent's edit was applied. */
  recordAgentText(text: string): void {
    this.#last = toWellFormed(text);
    this.note?.('agent', this.document, this.#last);
  }

  /** What differs from the last text was typed. Call it before each save, which may format the text. */
  readonly recordTypedText = (): void => {
    const text = this.document.getText();
    if (text === this.#last) return;
    this.note?.('user', this.document, text);
    this.#last = text;
    this.isTyped = true;
  };
}
