import type { Redirection } from '../shell/shellLine';
import type { Disk, RealPathLookup } from './disk';
import { DEVICES, MAX_LOOKUPS } from './protectionReason';
import type { RequestFacts } from './requestFacts';
import { wordPaths } from './rulePaths';
import type { RuleRequest } from './ruleRequest';

/** The access to a file that the shell itself opens for a command. */
interface RedirectEffect {
  readonly kind: 'edit' | 'read';
  /** All names of every file that it may be. */
  readonly files: readonly string[];
}

/**
 * What redirects of a command do to files. Allowing rules apply to it in `decide.ts` as to an edit or read of the agent's, asking and
 * denying ones by `requestAndRedirects`. `protectionReason.ts` checks the targets as it checks the other words of the command.
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

/** The request with all its files, plus one edit or read request for each file that the shell opens. */
export function requestAndRedirects(
  request: RuleRequest,
  facts: RequestFacts,
  { namesOf }: Disk,
): readonly RuleRequest[] {
  const { redirects, innerRedirects, bases } = facts;
  // The remaining redirections need the user's decision anyway, because of their number (protectionReason).
  const checked = [...redirects, ...innerRedirects].slice(0, MAX_LOOKUPS / bases.length);
  const opened = redirectEffects(checked, bases, namesOf).map(({ kind, files }): RuleRequest =>
    Object.assign({}, request, { kind, paths: files }),
  );
  return [{ ...request, paths: [...request.paths, ...opened.flatMap(({ paths }) => paths)] }, ...opened];
}
