/** docs/architecture.md with the rooms and ways of this moment. */
export function architectureDocument(root?: string): string;
