import type { Redirection } from '../shell/shellLine';
import type { RealPathLookup } from './protectionReason';
import { DEVICES } from './protectionReason';
import { wordPaths } from './rulePaths';

/** The access to a file that the shell itself opens for a command. */
interface RedirectEffect {
  readonly kind: 'edit' | 'read';
  /** All names of every file that it may be. */
  readonly files: readonly string[];
}

/**
 * What redirects of a command do to files. Rules apply to it as to an edit or read of the agent's: `ruleMatch.ts` for asking and denying
 * rules, `decide.ts` for allowing ones. `protectionReason.ts` checks the targets as it checks the other words of the command.
 * @param bases absolute folders that a target may be relative to
 */
export function redirectEffects(
  redirects: readonly Redirection[],
  bases: readonly string[],
  namesOf: RealPathLookup,
): readonly RedirectEffect[] {
  return redirects.map(({ target, isWrite }) => {
    const paths = bases.flatMap((base) => wordPaths(base, target));
    // A device links to whatever this process has open there.
    const files = DEVICES.test(target) ? paths : paths.flatMap(namesOf);
    return { kind: isWrite ? 'edit' : 'read', files: [...new Set(files)] };
  });
}
