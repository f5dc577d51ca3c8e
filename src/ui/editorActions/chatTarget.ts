import type * as vscode from 'vscode';
import type { Attachment } from '../../shared/protocol/attachments';

/** The chat as other features access it. */
export interface ChatTarget {
  /**
   * Starts a message with this text and these attachments. It is sent immediately if an agent is selected, no turn runs
   * and the message box is empty; otherwise it is appended to the message box.
   */
  compose(text: string, attachments: readonly Attachment[]): Promise<void>;
  /**
   * Adds attachments to the draft.
   * @param remarks what could not be added, and why
   */
  attach(attachments: readonly Attachment[], remarks: readonly string[]): Promise<void>;
  /** Adds files and folders that the user selected; they may be outside the workspace. */
  attachFiles(uris: readonly vscode.Uri[]): Promise<void>;
  /** Adds the terminal's selection, else its last command. */
  attachTerminal(): Promise<void>;
  /** The user selected this file: messages may include it. */
  allow(uri: vscode.Uri): void;
}
