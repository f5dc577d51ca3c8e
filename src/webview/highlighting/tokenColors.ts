/** Names of the properties set last. */
let shown: readonly string[] = [];

/** Sets the syntax colours of the user's theme as custom properties `--tok-<kind>`; chat.css has defaults. */
export function applyTokenColors(colours: Readonly<Record<string, string>> = {}): void {
  const { style } = document.documentElement;
  for (const name of shown) style.removeProperty(name);
  const entries = Object.entries(colours).map(([kind, colour]) => [`--tok-${kind}`, colour] as const);
  for (const [name, colour] of entries) style.setProperty(name, colour);
  shown = entries.map(([name]) => name);
}
