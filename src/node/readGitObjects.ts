import type { Git, GitCall } from './gitCommand';

/** The bytes of objects in the given order; undefined for a missing one. */
export async function readGitObjects(
  git: Git,
  call: GitCall,
  objects: readonly string[],
): Promise<(Uint8Array | undefined)[]> {
  if (objects.length === 0) return [];
  const input = objects.map((object) => `${object}\n`).join('');
  const out = await git.run(['cat-file', '--batch', '--buffer'], { ...call, input });
  const found: (Uint8Array | undefined)[] = [];
  let at = 0;
  // `<object> <type> <size>\n<bytes>\n`, or `<object> missing\n` (git-cat-file, batch output).
  while (found.length < objects.length && at < out.length) {
    const end = out.indexOf(0x0a, at);
    const [, type, size] = out.toString('latin1', at, end).split(' ');
    const start = end + 1;
    const length = type === 'missing' ? -1 : Number(size);
    found.push(length < 0 ? undefined : new Uint8Array(out.subarray(start, start + length)));
    at = start + length + 1;
  }
  return found;
}
