/** An agent has read or written a file through the editor (`fs/read_text_file`, `fs/write_text_file`): told after it succeeded. */
export interface FileAccess {
  /** Our own id of the session. */
  readonly sessionId: string;
  /** Absolute, as VS Code knows the file. */
  readonly path: string;
  readonly kind: 'read' | 'write';
  /** Where: the first line that was asked for, or the first that changed; 1-based. */
  readonly line?: number;
}
