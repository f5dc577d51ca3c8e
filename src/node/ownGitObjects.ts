import { join } from 'node:path';
import { writeFileAtomic } from './fs/atomicWrite';
import { readIfThere } from './fs/readIfThere';
import type { Git, GitCall } from './gitCommand';

/** Bytes on disk of the objects that are copied; more would make the user wait, and double a large repository. */
const MAX_OWN_BYTES = 64 * 1024 * 1024;

/**
 * Copies the objects that the index and references of a repository of ours borrow from the user's, and stops borrowing: that repository can be
 * created anew, moved or pruned at any time. A large repository stays borrowed.
 */
export async function ownObjects(git: Git, call: GitCall & { readonly gitDir: string }): Promise<void> {
  const objects = join(call.gitDir, 'objects');
  const alternates = join(objects, 'info', 'alternates');
  if (!(await readIfThere(alternates))?.length) return;
  const entries = await git.fields(['ls-files', '-s', '-z'], call);
  const input = entries.map((entry) => `${entry.split(' ')[1] ?? ''}\n`).join('');
  const sizes =
    input === ''
      ? ''
      : await git.text(['cat-file', '--batch-check=%(objectsize:disk)', '--buffer'], { ...call, input });
  const bytes = sizes.split('\n').reduce((sum, size) => sum + (Number(size) || 0), 0);
  if (bytes > MAX_OWN_BYTES) return;
  const which = ['--revs', '--all', '--indexed-objects', '--missing=allow-any'];
  // Stored deltas are copied; new ones would take long.
  await git.run(['pack-objects', '-q', '--window=0', ...which, join(objects, 'pack', 'pack')], { ...call, input: '' });
  await writeFileAtomic(alternates, '');
}
