/** Names of the properties that are set. */
let shown: readonly string[] = [];

/** Gives code the colours of the user's theme, as custom properties `--tok-<kind>`; chat.css has others for where there are none. */
export function applyTokenColors(colours: Readonly<Record<string, string>> = {}): void {
  const { style } = document.documentElement;
  for (const name of shown) style.removeProperty(name);
  const entries = Object.entries(colours).map(([kind, colour]) => [`--tok-${kind}`, colour] as const);
  for (const [name, colour] of entries) style.setProperty(name, colour);
  shown = entries.map(([name]) => name);
}
