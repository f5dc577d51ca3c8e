/** The table of all keybindings of the extension, as Markdown. */
export function keysTable(root?: string): string;
/** docs/keyboard.md with the current table. */
export function keyboardDocument(root?: string): string;
