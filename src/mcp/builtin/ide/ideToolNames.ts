/** Maximum tool name length: models limit `mcp__ide__<name>` to 64. */
const MAX_NAME = 64 - 'mcp__ide__'.length;

/**
 * Tool names from letters, digits, `_` and `-`, shortened, without `__`, which separates server and tool. Duplicates get a number.
 * @returns in the same order
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
    .slice(0, MAX_NAME)
    .replace(/(?<!_)_+$/, '');
  return plain === '' ? 'tool' : plain;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `-${number}`;
    const free = name.slice(0, MAX_NAME - ending.length) + ending;
    if (!taken.has(free)) return free;
  }
}
