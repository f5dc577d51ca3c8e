import { t } from '../../base/l10n';
import { GIT_COMMANDS } from '../programs/git';
import { programOf } from '../programs/programNames';
import { TOO_MUCH } from './decisionOutcome';
import type { Disk } from './disk';
import type { RequestFacts } from './requestFacts';
import { normalizePath, pathInFolders, resolveFrom } from './rulePaths';

/** Maximum number of folders that are looked at for one request. */
const MAX_FOLDERS = 1_000;

/**
 * Whether git may take a folder itself for a repository. Its `config` and hooks name programs that git runs, and an agent may write them
 * like any other file (gitrepository-layout; `safe.bareRepository` in git-config).
 */
export function isBareRepository(folder: string, exists: Disk['exists']): boolean {
  const has = (name: string): boolean => exists(`${folder}/${name}`);
  // Git passes over a ".git" that is not valid.
  return has('HEAD') && (has('objects') || has('commondir'));
}

/** Why a command asks that runs git where files of the workspace are the repository; one sentence. */
export function bareRepositoryProblem(
  folders: readonly string[],
  { finalCommands, bases }: RequestFacts,
  { namesOf, exists }: Disk,
): string | undefined {
  if (!finalCommands.some(({ argv }) => programOf(argv)?.subcommands === GIT_COMMANDS)) return undefined;
  const seen = new Set<string>();
  for (const name of bases.flatMap(namesOf)) {
    let at = normalizePath(name);
    while (!seen.has(at) && pathInFolders(folders, at) !== undefined) {
      if (seen.size >= MAX_FOLDERS) return TOO_MUCH;
      seen.add(at);
      if (isBareRepository(at, exists)) return t('git would use {0} as a repository, whose files can run programs', at);
      if (exists(`${at}/.git`)) break;
      at = resolveFrom(at, '..');
    }
  }
  return undefined;
}
