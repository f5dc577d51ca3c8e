/** The lines that differ, so that cursors and marks elsewhere stay: [start, end) of `before`, and what replaces them. */
export function changedLineRange(before: string, after: string): { start: number; end: number; text: string } {
  const [old, next] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, next.length);
  let start = 0;
  while (start < most && old[start] === next[start]) start++;
  let same = 0;
  while (same < most - start && old[old.length - 1 - same] === next[next.length - 1 - same]) same++;
  if (same === 0) {
    // There is nothing behind the last line to put something before.
    const first = Math.min(start, most - 1);
    return { start: first, end: old.length, text: next.slice(first).join('\n') };
  }
  const text = next.slice(start, next.length - same).map((line) => `${line}\n`);
  return { start, end: old.length - same, text: text.join('') };
}
