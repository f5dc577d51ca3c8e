/** docs/architecture.md with the current rooms and paths. */
export function architectureDocument(root?: string): string;
