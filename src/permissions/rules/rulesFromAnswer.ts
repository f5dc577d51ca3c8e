import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { RememberScope } from '../../shared/state/toolCallState';
import { literalWord } from './commandPattern';
import { relevantVariables } from './commandVariables';
import { NO_DISK } from './decide';
import type { Rule } from './permissionRule';
import { protectionReason } from './protectionReason';
import type { RequestFacts } from './requestFacts';
import { requestFacts, shellOf } from './requestFacts';
import { resolveFrom, pathInFolders } from './rulePaths';
import type { RuleRequest } from './ruleRequest';
import { commandSubject, isFileKind } from './ruleRequest';
import { leadingTool } from './toolNames';

/** The rules created from an "always" answer, or why there are none. */
type RulesFromAnswer = { readonly rules: readonly Rule[] } | { readonly rules: readonly []; readonly note: string };

/** Maximum number of rules from one answer. */
const MAX_RULES = 50;

/**
 * Rules for exactly this request and this agent: the words of its commands and their folders, else all that it shows. In
 * a scope that the user selects, a rule covers any change of the shown files, any arguments of Parley's own tool, and
 * `everywhere` means the same folder of every workspace.
 */
export function rulesFromAnswer(
  request: RuleRequest,
  decision: 'allow' | 'deny',
  scope: RememberScope = 'session',
): RulesFromAnswer {
  const { kind, paths, tool, toolIdentity, subject } = request;
  const facts = requestFacts(request);
  const problem = whyNone(request, facts, decision);
  if (problem !== undefined) return { rules: [], note: problem };
  const isWide = coversOthers(request, decision, scope);
  const what = {
    ...(tool !== undefined && { tool: literalWord(tool) }),
    ...agentOf(request, decision),
    ...(!isWide && subject !== undefined && { subject }),
    // Another server may take the name later.
    ...(decision === 'allow' && toolIdentity !== undefined && { identity: toolIdentity }),
  };
  if (tool !== undefined && paths.length === 0) return { rules: [{ decision, ...what }] };
  if (request.hasMore) return { rules: [{ decision, kind, ...titleOf(request), ...what }] };
  if (facts.runsProgram) return { rules: commandRules(request, facts, decision, scope) };
  if (paths.length > 0)
    return { rules: paths.map((path): Rule => Object.assign({ decision, kind, path: literalGlob(path) }, what)) };
  return { rules: [{ decision, kind, ...titleOf(request), ...what }] };
}

/** Whether a rule also covers other calls with this tool or these files. */
function coversOthers(
  { tool, kind, paths, called = [] }: RuleRequest,
  decision: Rule['decision'],
  scope: RememberScope,
): boolean {
  if (tool !== undefined) return decision === 'deny' || scope !== 'session';
  const isAboutFiles = isFileKind(kind) && paths.length > 0 && !called.some((name) => leadingTool(name));
  return isAboutFiles && (decision === 'deny' || scope !== 'session');
}

/** Another agent may take the name later; a denial also applies to that one. */
function agentOf({ agent, agentIdentity }: RuleRequest, decision: 'allow' | 'deny'): Partial<Rule> {
  return { agent, ...(decision === 'allow' && omitUndefined({ agentIdentity })) };
}

/** For lists of rules; the subject contains the title. */
function titleOf({ title }: RuleRequest): Pick<Rule, 'title'> {
  return title !== '' && title.length <= MAX_TITLE ? { title: literalWord(title) } : {};
}

const MAX_TITLE = 200;

/** Why no rule can be created for a request. */
function whyNone(request: RuleRequest, facts: RequestFacts, decision: 'allow' | 'deny'): string | undefined {
  if (request.unclear !== undefined) return t('No rule was created: {0}.', request.unclear);
  if (facts.problem !== undefined) return t('No rule was created: {0}.', facts.problem);
  const { tool, paths, subject } = request;
  if (tool === undefined && paths.length === 0 && !facts.runsProgram && subject === undefined)
    return t('No rule was created: only its title identifies the action.');
  const count = facts.runsProgram
    ? facts.commands.length * (decision === 'deny' ? 1 : facts.bases.length)
    : paths.length;
  if (count > MAX_RULES) return t('No rule was created: it names more than {0} commands, folders or files.', MAX_RULES);
  if (decision === 'deny') return undefined;
  if (request.isToolCall && facts.runsProgram && !request.hasMore)
    return t('No rule was created: the command may be one of a tool, which runs it elsewhere.');
  const protection = protectionReason(request, facts, NO_DISK);
  if (protection !== undefined) return t('No rule was created: {0}; this always requires approval.', protection);
  if (request.command && relevantVariables(request.command))
    return t('No rule was created: the command sets variables, and rules do not cover variables.');
  return undefined;
}

/** A line that changes its folder or writes files is remembered whole: its parts alone would do something else. */
function commandRules(
  request: RuleRequest,
  { commands, redirects, bases }: RequestFacts,
  decision: 'allow' | 'deny',
  scope: RememberScope,
): readonly Rule[] {
  const { kind, folders, command } = request;
  const agent = agentOf(request, decision);
  const rules = commands.map((argv): Rule => ({ decision, kind, command: argv.map(literalWord), ...agent }));
  // A denial applies to the command, wherever it runs and writes.
  if (decision === 'deny') return rules;
  // Another shell reads other startup files, and may not be the one that its name says.
  const shell = command && { shell: shellOf(command) };
  const isWhole = scope === 'session' && command && (redirects.length > 0 || bases.length > 1);
  const line = isWhole ? { subject: commandSubject(command) } : {};
  const inFolders = rules.flatMap((rule) =>
    bases.map((base): Rule => Object.assign({ cwd: folderGlob(base, folders, scope) }, rule, shell, line)),
  );
  const files = redirects.flatMap(({ target, isWrite }) =>
    bases.map((base): Rule => ({
      decision,
      kind: isWrite ? 'edit' : 'read',
      path: literalGlob(resolveFrom(base, target)),
      ...agent,
      ...line,
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
