/** The table of all keys that the extension brings, as Markdown. */
export function keysTable(root?: string): string;
/** docs/keyboard.md with the table of this moment. */
export function keyboardDocument(root?: string): string;
