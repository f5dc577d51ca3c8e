import { t } from '../../base/l10n';
import { literalWord } from './commandPattern';
import { NO_DISK } from './decide';
import type { RequestFacts } from './requestFacts';
import { requestFacts } from './requestFacts';
import { resolveFrom, pathInFolders } from './rulePaths';
import { protectionReason } from './protectionReason';
import type { RuleRequest } from './ruleRequest';
import type { Rule } from './permissionRule';
import type { RememberScope } from '../../shared/state/toolCallState';
import { relevantVariables } from './commandVariables';

/** The rules created from an "always" answer, or why there are none. */
type RulesFromAnswer = { readonly rules: readonly Rule[] } | { readonly rules: readonly []; readonly note: string };

/** Maximum number of rules from one answer. */
const MAX_RULES = 50;

/**
 * Rules for exactly this request and this agent: the words of its commands and their folders, its tool and its files,
 * else its title. Nothing wider, except that `everywhere` means the same folder of every workspace.
 */
export function rulesFromAnswer(
  request: RuleRequest,
  decision: 'allow' | 'deny',
  scope: RememberScope = 'session',
): RulesFromAnswer {
  const { agent, kind, paths, tool, title } = request;
  const facts = requestFacts(request);
  const problem = whyNone(request, facts, decision);
  if (problem !== undefined) return { rules: [], note: problem };
  // The answer itself covers these arguments. A rule, which covers all, needs a scope that the user selects.
  if (tool !== undefined && decision === 'allow' && scope === 'session')
    return { rules: [], note: t('For this session, the answer covers only calls with the same arguments.') };
  const named = tool === undefined ? {} : { tool: literalWord(tool) };
  if (tool !== undefined && paths.length === 0) return { rules: [{ decision, ...named, agent }] };
  if (facts.runsProgram) return { rules: commandRules(request, facts, decision, scope) };
  if (paths.length > 0) {
    const rules = paths.map((path): Rule => Object.assign({ decision, kind, path: literalGlob(path), agent }, named));
    return { rules };
  }
  // Cline truncates `apply_patch: {"input":"*** Begin Patch…`: all patches have that title, whatever they write.
  if (/(?:\.{3}|…)\s*$/.test(title))
    return { rules: [], note: t('No rule was created: the title is truncated and would match other calls too.') };
  return { rules: [{ decision, kind, title: literalWord(title), agent }] };
}

/** Why no rule can be created for a request. */
function whyNone(request: RuleRequest, facts: RequestFacts, decision: 'allow' | 'deny'): string | undefined {
  if (request.unclear !== undefined) return t('No rule was created: {0}.', request.unclear);
  if (facts.problem !== undefined) return t('No rule was created: {0}.', facts.problem);
  if (decision === 'deny') return undefined;
  const protection = protectionReason(request, facts, NO_DISK);
  if (protection !== undefined) return t('No rule was created: {0}; this always requires approval.', protection);
  if (request.command && relevantVariables(request.command))
    return t('No rule was created: the command sets variables, and rules do not cover variables.');
  const isMany = facts.commands.length * facts.bases.length > MAX_RULES;
  return isMany ? t('No rule was created: the command uses too many folders.') : undefined;
}

function commandRules(
  { agent, kind, folders }: RuleRequest,
  { commands, redirects, bases }: RequestFacts,
  decision: 'allow' | 'deny',
  scope: RememberScope,
): readonly Rule[] {
  const rules = commands.map((argv): Rule => ({ decision, kind, command: argv.map(literalWord), agent }));
  // A denial applies to the command, wherever it runs and writes.
  if (decision === 'deny') return rules;
  const inFolders = rules.flatMap((rule) =>
    bases.map((base): Rule => Object.assign({ cwd: folderGlob(base, folders, scope) }, rule)),
  );
  const files = redirects.flatMap(({ target, isWrite }) =>
    bases.map((base): Rule => ({
      decision,
      kind: isWrite ? 'edit' : 'read',
      path: literalGlob(resolveFrom(base, target)),
      agent,
    })),
  );
  return [...inFolders, ...files];
}

/** The folder of a command, as a glob. Only `everywhere` applies outside this workspace. */
function folderGlob(folder: string, folders: RuleRequest['folders'], scope: RememberScope): string {
  const location = scope === 'everywhere' ? pathInFolders(folders, folder) : undefined;
  if (location === undefined) return literalGlob(folder);
  return location === '' ? '.' : literalGlob(location);
}

/** A glob that matches exactly this path. */
function literalGlob(path: string): string {
  const slashed = /^(?:[A-Za-z]:|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
  return slashed.replace(/[\\*?[\]{}()!+@|^$]/g, '\\$&');
}
