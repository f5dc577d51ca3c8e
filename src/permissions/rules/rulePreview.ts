import { decide } from './decide';
import type { Rule } from './permissionRule';
import type { RuleRequest } from './ruleRequest';
import { rulesFromAnswer } from './rulesFromAnswer';
import { canonicalJson } from '../../base/json';

/** The requests that the rule decides when it is the only rule. An `allow` rule does not decide protected requests. */
export function decidedBy(rule: Rule, requests: readonly RuleRequest[]): readonly RuleRequest[] {
  return requests.filter((request) => {
    const { by, decision } = decide(request, [{ rule, source: 'user' }]);
    return by === 'rule' && decision === rule.decision;
  });
}

/** Rules for exactly these requests and any agent, each once. */
export function suggestedRules(decision: Rule['decision'], requests: readonly RuleRequest[]): readonly Rule[] {
  const rules = requests.flatMap((request) => {
    const made = rulesFromAnswer(request, decision === 'allow' ? 'allow' : 'deny').rules;
    return made.map(({ agent: _agent, ...rule }): Rule => Object.assign(rule, { decision }));
  });
  return [...new Map(rules.map((rule) => [canonicalJson(rule), rule])).values()];
}
