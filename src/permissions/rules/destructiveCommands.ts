import { t } from '../../base/l10n';
import type { IrreversibleUse } from '../programs/program';
import { plainName, programName } from '../programs/programNames';
import { programNamed } from '../programs/programTable';
import type { RequestFacts } from './requestFacts';

/** Why the effect of these commands cannot be undone, if known. */
export function destructiveReason({ inner, redirects }: RequestFacts): string | undefined {
  for (const argv of inner) {
    const name = programName(argv[0] ?? '');
    const uses = programNamed(plainName(name))?.irreversible ?? [];
    const why = uses.find((use) => isMade(use, argv))?.why;
    if (why !== undefined) return `${name} ${why}`;
  }
  const truncated = redirects.find(({ truncates }) => truncates);
  return truncated && t('> replaces the content of {0}', truncated.target);
}

function isMade({ words = [] }: IrreversibleUse, argv: readonly string[]): boolean {
  const text = argv.slice(1).join(' ');
  return words.every((word) => word.test(text));
}
