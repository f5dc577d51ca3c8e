/** What is wrong with messages, bundles and package.nls files; nothing when all is well. */
export function problems(root?: string): string[];
export function bundle(root?: string): Record<string, string>;
export function translations(root?: string): { language: string; path: string; of: string }[];
export function translationProblems(found: Record<string, string>, said: Record<string, string>): string[];
export function pseudo(message: string): string;
