import type { Lazy } from '../../../src/base/lazy';
import type { PermissionPolicy } from '../../../src/permissions/permissionPolicy';
import { RememberedRules } from '../../../src/permissions/rememberedRules';
import type { RuleEngine } from '../../../src/permissions/ruleEngine';
import { ruleEngine } from '../../../src/permissions/ruleEngine';
import { stubOf } from '../../kit/stubOf';

/** A policy without rules or persistence, with the rule engine loaded. */
export function emptyPolicy(): PermissionPolicy {
  const nothing = { get: (): undefined => undefined, update: async (): Promise<void> => undefined };
  const remembered = new RememberedRules({ workspace: nothing, everywhere: nothing, now: () => Date.now() });
  const engine = stubOf<Lazy<RuleEngine>>({ value: ruleEngine, load: async () => ruleEngine });
  return { rules: () => ({ user: [], workspace: [] }), remembered, engine };
}
