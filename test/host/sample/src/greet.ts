/** A greeting for one person. */
export function greet(name: string): string {
  // TODO: say "Good morning" before noon.
  return `Hello, ${name}!`;
}
