/** Problems of messages, bundles and package.nls files; empty if there are none. */
export function problems(root?: string): string[];
export function bundle(root?: string): Record<string, string>;
export function translations(root?: string): { language: string; path: string; of: string }[];
export function translationProblems(found: Record<string, string>, said: Record<string, string>): string[];
export function pseudo(message: string): string;
