import { ParleyError } from '../base/errors';
import { t } from '../base/l10n';
import type { Git, GitCall } from './gitCommand';

/**
 * Turns off all filters of the configuration, whichever files they are for: attributes can change at any moment. The configuration may
 * differ between the worktrees of a repository.
 */
export async function withoutFilters(git: Git, call: GitCall): Promise<string[]> {
  const list = ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'];
  const keys = await git.fields(list, { ...call, accept: [0, 1] });
  const names = new Set(keys.map((key) => key.slice(key.indexOf('.') + 1, key.lastIndexOf('.'))));
  return [...names].flatMap((name) => {
    if (name.includes('=') || name.includes('\n'))
      throw new ParleyError(
        'badInput',
        t('The repository uses a filter with an unusual name: {0}', JSON.stringify(name)),
      );
    const off = ['process=', 'smudge=', 'clean=', 'required=false'];
    return off.flatMap((setting) => ['-c', `filter.${name}.${setting}`]);
  });
}
