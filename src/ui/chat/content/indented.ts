/** Replaces the common indentation of code by that of its location. */
export function reindent(code: string, before: string): string {
  const lines = code.replace(/\n$/, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  const indent = /^\s*/.exec(before)?.[0] ?? '';
  return lines
    .map((line) => line.slice(common))
    .map((line, index) => (index === 0 || line === '' ? line : indent + line))
    .join('\n');
}
