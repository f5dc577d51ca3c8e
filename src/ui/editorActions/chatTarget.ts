import type * as vscode from 'vscode';
import type { Attachment } from '../../shared/protocol/attachments';

/** The chat as the rest of the editor reaches it. */
export interface ChatTarget {
  /**
   * Begins a message with these. It is sent at once where an agent is chosen, no turn runs and nothing else is being written;
   * else it waits in the message box, below what is there.
   */
  compose(text: string, attachments: readonly Attachment[]): Promise<void>;
  /**
   * Adds to what is being written.
   * @param remarks what could not be added, and why
   */
  attach(attachments: readonly Attachment[], remarks: readonly string[]): Promise<void>;
  /** Adds files and folders that the user has pointed at; they may lie anywhere. */
  attachFiles(uris: readonly vscode.Uri[]): Promise<void>;
  /** Adds what is selected in the terminal, else its last command. */
  attachTerminal(): Promise<void>;
  /** The user has pointed at this file: a message may carry it. */
  allow(uri: vscode.Uri): void;
}
