import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { relevantVariables } from './commandVariables';
import { NO_RULE, TOO_MUCH } from './decisionOutcome';
import { destructiveReason } from './destructiveCommands';
import type { Disk, RealPathLookup } from './disk';
import type { SourcedRule } from './permissionRule';
import { MAX_LOOKUPS, protectionReason } from './protectionReason';
import { redirectEffects } from './redirectEffects';
import type { RequestFacts } from './requestFacts';
import { requestFacts } from './requestFacts';
import {
  allowsCommand,
  allowsFile,
  allowsUnspecified,
  restrictsUnreadable,
  mayMatchRestriction,
  matchesRestriction,
} from './ruleMatch';
import type { Decision, RuleRequest } from './ruleRequest';
import { ruleSentence } from './ruleSentence';

/** A disk where every file has one name and may have content, and every folder is empty. */
export const NO_DISK: Disk = {
  namesOf: (path) => [path],
  below: () => [],
  hasContent: () => true,
  exists: () => false,
};

/**
 * Decides about a request. Pure. The order is deny, protection, ask, allow, then the agent's own request (docs/permissions.md). Within a
 * step the order of the rules only changes which rule is named. What no rule decides about a request of Parley's own, as for a
 * command in a terminal, is decided by `decideAuthorization` (`session/userRequests/clientAuthorization.ts`).
 * @param rules `allow` rules of a workspace are ignored
 */
export function decide(request: RuleRequest, rules: readonly SourcedRule[], disk: Disk = NO_DISK): Decision {
  const facts = requestFacts(request, disk.namesOf);
  const { titleCommand } = request;
  const shown = titleCommand ? requestFacts({ ...request, command: titleCommand }, disk.namesOf) : facts;
  const destructive = shown.runsProgram ? destructiveReason(shown, disk) : undefined;
  return {
    ...decisionByRules(request, rules, facts, disk),
    ...omitUndefined({ destructive, unclear: request.unclear ?? facts.unclear }),
    ...(shown.outsideEffect !== undefined && {
      outsideEffect: t('the command has effects outside the workspace: {0}', shown.outsideEffect),
    }),
  };
}

function decisionByRules(
  request: RuleRequest,
  rules: readonly SourcedRule[],
  facts: RequestFacts,
  disk: Disk,
): Decision {
  const restricting = (decision: 'ask' | 'deny'): SourcedRule | undefined =>
    rules.find(({ rule }) => rule.decision === decision && matchesRestriction(rule, request, facts, disk));
  const denied = restricting('deny');
  if (denied) return { decision: 'deny', by: 'rule', reason: decisionReason('denied', [denied]) };
  const protection = protectionReason(request, facts, disk);
  if (protection !== undefined)
    return { decision: 'ask', by: 'protection', reason: t('{0}; this always requires approval', protection) };
  const asking = restricting('ask');
  if (asking) return { decision: 'ask', by: 'rule', reason: decisionReason('asked', [asking]) };
  const named = rules.find(({ rule }) => mayMatchRestriction(rule, request, facts, disk));
  if (named)
    return {
      decision: 'ask',
      by: 'rule',
      reason: t('the command names a file covered by {0}', ruleName(named)),
    };
  // It is unknown whether a deny rule applies.
  const unclear = facts.problem ?? facts.innerProblem ?? (request.hasMoreCommands && TOO_MUCH);
  if (unclear !== undefined && rules.some(({ rule }) => restrictsUnreadable(rule, request)))
    return { decision: 'ask', by: 'protection', reason: unclear };
  return (
    allowingDecision(request, rules, facts, disk.namesOf) ?? {
      decision: 'ask',
      by: 'agent',
      reason:
        request.unclear ?? facts.problem ?? variablesReason(request) ?? untrustedReason(request, facts) ?? NO_RULE,
    }
  );
}

/** Checks whether a rule allows one effect of a request. */
type EffectCheck = (rule: SourcedRule['rule']) => boolean;

function allowingDecision(
  request: RuleRequest,
  rules: readonly SourcedRule[],
  facts: RequestFacts,
  namesOf: RealPathLookup,
): Decision | undefined {
  if (request.unclear !== undefined || facts.problem !== undefined || variablesReason(request) !== undefined)
    return undefined;
  if (untrustedReason(request, facts) !== undefined) return undefined;
  if ((facts.commands.length + facts.redirects.length) * facts.bases.length > MAX_LOOKUPS) return undefined;
  const allowing = rules.filter(({ rule, source }) => rule.decision === 'allow' && source !== 'workspace');
  const used = effectChecks(request, facts, namesOf).map((isAllowedBy) =>
    allowing.find(({ rule }) => isAllowedBy(rule)),
  );
  if (used.length === 0 || !used.every((rule) => rule !== undefined)) return undefined;
  return { decision: 'allow', by: 'rule', reason: decisionReason('allowed', [...new Set(used)]) };
}

/** Why no rule can allow a command: rules do not cover its variables. */
function variablesReason({ command }: RuleRequest): string | undefined {
  const telling = command && relevantVariables(command);
  return (
    telling &&
    t('the command sets {0}, and rules do not cover variables', Object.keys(telling).slice(0, MAX_NAMED).join(', '))
  );
}

/** Why no rule can allow a command in an untrusted workspace: it may run files of the workspace. */
function untrustedReason({ isUntrusted }: RuleRequest, { runsProgram }: RequestFacts): string | undefined {
  return isUntrusted && runsProgram ? t('the workspace is not trusted, so every command requires approval') : undefined;
}

const MAX_NAMED = 5;

/** One check for every command, redirect and path; without any, one for the request as a whole. */
function effectChecks(
  request: RuleRequest,
  { runsProgram, commands, redirects, bases }: RequestFacts,
  namesOf: RealPathLookup,
): readonly EffectCheck[] {
  if (request.hasMore) return [(rule) => rule.subject !== undefined && allowsUnspecified(rule, request)];
  if (runsProgram) {
    return [
      ...commands.flatMap((argv) =>
        bases.map(
          (folder): EffectCheck =>
            (rule) =>
              allowsCommand(rule, request, argv, folder),
        ),
      ),
      ...redirectEffects(redirects, bases, namesOf).flatMap(({ kind, files }) =>
        files.map(
          (file): EffectCheck =>
            (rule) =>
              rule.title === undefined && allowsFile(rule, request, file, kind),
        ),
      ),
    ];
  }
  const isNamed = ({ tool, subject }: SourcedRule['rule']): boolean => tool !== undefined || subject !== undefined;
  // A tool that neither reads nor edits may run anything, whatever files it names; a rule for a path alone is about uses of files.
  const mayRun = request.tool !== undefined && request.kind === 'other';
  const isAboutFiles = !mayRun && /^(?:read|search|edit|delete|move)$/.test(request.kind);
  if (request.paths.length > 0)
    return request.paths.map(
      (path): EffectCheck =>
        (rule) =>
          (isAboutFiles || isNamed(rule) || (!mayRun && rule.kind !== undefined)) && allowsFile(rule, request, path),
    );
  // A change without a path may affect any file, unless the rule names the tool or this call.
  const isBlind = request.kind === 'edit' || request.kind === 'delete' || request.kind === 'move';
  return [(rule) => (!isBlind || isNamed(rule)) && allowsUnspecified(rule, request)];
}

const OWNERS: Readonly<Record<SourcedRule['source'], string>> = {
  user: t('your rule'),
  workspace: t('a workspace rule'),
  remembered: t('your earlier choice'),
};

function decisionReason(verb: 'allowed' | 'asked' | 'denied', rules: readonly SourcedRule[]): string {
  const named = rules.map(ruleName).reduce((before, one) => t('{0} and {1}', before, one));
  if (verb === 'allowed') return t('allowed by {0}', named);
  return verb === 'denied' ? t('denied by {0}', named) : t('approval required by {0}', named);
}

/** The owner of a rule and its words: `your rule “command npm test”`. */
function ruleName({ rule, source }: SourcedRule): string {
  return t('{0} “{1}”', OWNERS[source], escapeInvisibleInline(ruleSentence(rule)));
}
