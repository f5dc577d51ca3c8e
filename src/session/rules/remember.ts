import { t } from '../../base/l10n';
import { literalWord } from './commandPattern';
import { factsOf } from './facts';
import { pathFrom } from './places';
import { protectionOf } from './protection';
import type { RuleRequest } from './request';
import type { Rule } from './rule';
import { tellingVariables } from './variables';

/** The rules that an answer "always" comes to, or why there can be none. */
export type RulesFromAnswer =
  | { readonly rules: readonly Rule[] }
  | { readonly rules: readonly []; readonly note: string };

/** Rules for exactly this request and this agent: the words of its commands, its files, its tool, else its title. Nothing wider. */
export function rulesFrom(request: RuleRequest, decision: 'allow' | 'deny'): RulesFromAnswer {
  const { agent, kind, paths, tool, title } = request;
  const facts = factsOf(request);
  if (facts.problem !== undefined) return { rules: [], note: t('No rule was made: {0}.', facts.problem) };
  const protection = decision === 'allow' ? protectionOf(request, facts, (path) => [path]) : undefined;
  if (protection !== undefined)
    return { rules: [], note: t('No rule was made: {0}; this is always asked about.', protection) };
  if (decision === 'allow' && request.command && tellingVariables(request.command))
    return { rules: [], note: t('No rule was made: it sets variables, and rules say nothing of them.') };
  if (tool !== undefined) return { rules: [{ decision, tool: literalWord(tool), agent }] };
  if (facts.runs) {
    const commands = facts.commands.map((argv): Rule => ({ decision, kind, command: argv.map(literalWord), agent }));
    // What is denied is the command, wherever it writes to.
    if (decision === 'deny') return { rules: commands };
    const files = facts.redirects.flatMap(({ target, writes }) =>
      facts.bases.map((base): Rule => ({
        decision,
        kind: writes ? 'edit' : 'read',
        path: literalGlob(pathFrom(base, target)),
        agent,
      })),
    );
    return { rules: [...commands, ...files] };
  }
  if (paths.length > 0)
    return { rules: paths.map((path): Rule => ({ decision, kind, path: literalGlob(path), agent })) };
  // Cline cuts `apply_patch: {"input":"*** Begin Patch…` after some letters: every patch is called that, wherever it writes.
  if (/(?:\.{3}|…)\s*$/.test(title))
    return { rules: [], note: t('No rule was made: the title is cut short, so that it fits other calls, too.') };
  return { rules: [{ decision, kind, title: literalWord(title), agent }] };
}

/** A path as a glob that matches exactly it. */
function literalGlob(path: string): string {
  const slashed = /^(?:[A-Za-z]:|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
  return slashed.replace(/[\\*?[\]{}()!+@|^$]/g, '\\$&');
}
