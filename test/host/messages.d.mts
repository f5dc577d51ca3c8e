interface Found {
  readonly messages: Map<string, number>;
  readonly problems: string[];
}
export function findMessages(root: string): Found;
export function readFile(path: string, text: string, found: Found): void;
export function placeholders(message: string): string[];
