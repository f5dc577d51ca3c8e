export function sumUsed(read: () => number): () => number;
export function watchProcessor(): () => number | undefined;
export function usedByTree(root: number): number;
