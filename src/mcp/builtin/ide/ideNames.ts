/** The longest name of a tool, its prefix `mcp__ide__` counted (tool-servers.md, section 4). */
const LONGEST = 64 - 'mcp__ide__'.length;

/**
 * The names by which tools of others are offered: only letters, digits, `_` and `-`, no `__`, which separates server and tool, and not too
 * long. Two that would become equal get a number. @returns in the same order
 */
export function ideToolNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const free = freeName(plainName(name), taken);
    taken.add(free);
    return free;
  });
}

function plainName(name: string): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, LONGEST)
    .replace(/_+$/, '');
  return plain === '' ? 'tool' : plain;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `-${number}`;
    const free = name.slice(0, LONGEST - ending.length) + ending;
    if (!taken.has(free)) return free;
  }
}
