import { canonicalJson } from '../../base/json';
import { decide } from './decide';
import type { Rule } from './permissionRule';
import type { RuleRequest } from './ruleRequest';
import { rulesFromAnswer } from './rulesFromAnswer';

/**
 * The requests that these rules would decide if there were no other rules. All rules have the same decision. `allow`
 * rules do not decide protected requests.
 */
export function decidedBy(rules: readonly Rule[], requests: readonly RuleRequest[]): readonly RuleRequest[] {
  const sourced = rules.map((rule) => ({ rule, source: 'user' as const }));
  return requests.filter((request) => {
    const { by, decision } = decide(request, sourced);
    return by === 'rule' && decision === rules[0]?.decision;
  });
}

/** Rules that also match similar requests: other arguments or content, other files of the folder, other tools of the server. The closest first. */
export function widerRules({ subject, ...rule }: Rule): readonly Rule[] {
  const { command, path, tool } = rule;
  const same = subject === undefined ? [] : [rule];
  if (tool !== undefined) {
    const { path: _path, kind: _kind, ...others } = rule;
    const server = tool.indexOf('__');
    return server > 0 ? [...same, { ...others, tool: `${tool.slice(0, server)}__*` }] : same;
  }
  if (Array.isArray(command)) {
    const words: readonly string[] = command;
    const counts = [...new Set([words.length, Math.min(2, words.length), 1])];
    return counts.map((count) => Object.assign({ ...rule }, { command: [...words.slice(0, count), '**'] }));
  }
  const folder = path?.slice(0, path.lastIndexOf('/'));
  return folder ? [...same, { ...rule, path: `${folder}/**` }] : [];
}

/** Rules for exactly these requests and any agent, each once. */
export function suggestedRules(decision: Rule['decision'], requests: readonly RuleRequest[]): readonly Rule[] {
  const rules = requests.flatMap((request) => {
    const made = rulesFromAnswer(request, decision === 'allow' ? 'allow' : 'deny', 'workspace').rules;
    return made.map(({ agent: _agent, ...rule }): Rule => Object.assign(rule, { decision }));
  });
  return [...new Map(rules.map((rule) => [canonicalJson(rule), rule])).values()];
}
