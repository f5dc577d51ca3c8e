import { SerialQueue } from '../base/async';
import { t } from '../base/l10n';
import type { RememberedDecision, RememberScope } from '../shared/state/toolCallState';
import type { PermissionPolicy } from './permissionPolicy';
import type { RememberedRule } from './rememberedRules';
import type { RuleRequest } from './rules/ruleRequest';
import { ruleSentence } from './rules/ruleSentence';

export interface AlwaysRuleResult {
  readonly rules: readonly RememberedRule[];
  /** Why no rule was created; one sentence. */
  readonly note?: string;
}

interface Answered {
  /** Entry of the request in the transcript. */
  readonly entry: number;
  readonly request: RuleRequest;
  readonly decision: 'allow' | 'deny';
  /** Rules created from the answer so far. */
  stored: readonly RememberedRule[];
}

/** Maximum number of answers that can still get another scope. */
const MAX_ANSWERS = 200;

/** An answer from an earlier window with its current effect; undefined when that is unchanged. */
export function expiredAnswer(answer: RememberedDecision | undefined): RememberedDecision | undefined {
  if (!answer || answer.past) return undefined;
  if (answer.scope !== 'session') return { ...answer, past: true };
  return {
    scope: 'session',
    rules: [],
    note: t('This answer was remembered until the window was closed.'),
    past: true,
  };
}

/** Creates rules from "always" answers of one session: for the session at once, with a wider scope when the user selects one. */
export class AlwaysRules {
  readonly #answers = new Map<string, Answered>();
  readonly #queue = new SerialQueue();

  /** @param onRemembered called for every new rule, for the transcript */
  constructor(
    private readonly policy: PermissionPolicy,
    private readonly sessionId: string,
    private readonly onRemembered: (entry: number, remembered: RememberedDecision) => void,
  ) {}

  /** Adds a rule for the session, until the user selects another scope. */
  recordAnswer(permissionId: string, entry: number, request: RuleRequest, decision: 'allow' | 'deny'): void {
    this.#answers.set(permissionId, { entry, request, decision, stored: [] });
    const oldest = this.#answers.keys().next().value;
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    void this.saveRule(permissionId, 'session');
  }

  /** Stores the answer with this scope instead of the previous one. Rejects when the storage cannot be written. */
  saveRule(permissionId: string, scope: RememberScope): Promise<AlwaysRuleResult> {
    return this.#queue.run(() => this.#saveRule(permissionId, scope));
  }

  async #saveRule(permissionId: string, scope: RememberScope): Promise<AlwaysRuleResult> {
    const answered = this.#answers.get(permissionId);
    if (!answered)
      return { rules: [], note: t('No rule was created: this request was not answered with “always” in this window.') };
    const { stored } = answered;
    const { remembered, engine } = this.policy;
    const { rulesFromAnswer } = await engine.load();
    const created = rulesFromAnswer(answered.request, answered.decision, scope);
    const rules: RememberedRule[] = [];
    for (const rule of created.rules) rules.push(await remembered.add(rule, scope, this.sessionId));
    answered.stored = rules;
    // Removed only after the new rules apply, so that a rule always applies.
    for (const { id } of stored) if (!rules.some((rule) => rule.id === id)) await remembered.remove(id);
    const note = 'note' in created ? { note: created.note } : {};
    this.onRemembered(answered.entry, { scope, rules: rules.map(({ rule }) => ruleSentence(rule)), ...note });
    return { rules, ...note };
  }
}
