import { t } from '../../base/l10n';
import type { IrreversibleUse } from '../programs/program';
import { plainName, programName } from '../programs/programNames';
import { programNamed } from '../programs/programTable';
import type { Disk } from './disk';
import { MAX_LOOKUPS } from './protectionReason';
import type { RequestFacts } from './requestFacts';
import { wordPaths } from './rulePaths';

/** A target that the shell changes before it opens the file. */
const PATTERN = /[*?[{$~`%]/;

/** Why the effect of these commands cannot be undone, if known. */
export function destructiveReason({ inner, redirects, bases }: RequestFacts, { hasContent }: Disk): string | undefined {
  for (const argv of inner) {
    const name = programName(argv[0] ?? '');
    const uses = programNamed(plainName(name))?.irreversible ?? [];
    const why = uses.find((use) => isMade(use, argv))?.why;
    if (why !== undefined) return `${name} ${why}`;
  }
  // A new or empty file loses nothing.
  const mayLose = (target: string): boolean =>
    PATTERN.test(target) || bases.some((base) => wordPaths(base, target).some(hasContent));
  const truncated = redirects.slice(0, MAX_LOOKUPS).find(({ truncates, target }) => truncates && mayLose(target));
  return truncated && t('> replaces the content of {0}', truncated.target);
}

function isMade({ words = [] }: IrreversibleUse, argv: readonly string[]): boolean {
  const text = argv.slice(1).join(' ');
  return words.every((word) => word.test(text));
}
