/** Names of the properties set last. */
let shown: readonly string[] = [];

/** Sets the syntax colors of the user's theme as custom properties `--tok-<kind>`; chat.css has defaults. */
export function applyTokenColors(colors: Readonly<Record<string, string>> = {}): void {
  const { style } = document.documentElement;
  for (const name of shown) style.removeProperty(name);
  const entries = Object.entries(colors).map(([kind, color]) => [`--tok-${kind}`, color] as const);
  for (const [name, color] of entries) style.setProperty(name, color);
  shown = entries.map(([name]) => name);
}
