import type { PermissionPolicy } from '../../../src/permissions/permissionPolicy';
import { RememberedRules } from '../../../src/permissions/rememberedRules';
import { ruleEngine } from '../../../src/permissions/ruleEngine';

/** A policy without rules or persistence, with the rule engine loaded. */
export function emptyPolicy(): PermissionPolicy {
  const nothing = { get: (): undefined => undefined, update: async (): Promise<void> => undefined };
  const remembered = new RememberedRules({ workspace: nothing, everywhere: nothing, now: () => Date.now() });
  const engine = { value: ruleEngine, load: async (): Promise<typeof ruleEngine> => ruleEngine };
  return { rules: () => ({ user: [], workspace: [] }), remembered, engine };
}
