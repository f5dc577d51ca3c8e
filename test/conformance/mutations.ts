import type { Mutation } from './mutation';
import { choiceMutations } from './mutations/choices';
import { connectionMutations } from './mutations/connection';
import { hostMutations } from './mutations/host';
import { sessionMutations } from './mutations/sessions';
import { toolServerMutations } from './mutations/toolServers';
import { turnMutations } from './mutations/turn';

export const MUTATIONS: readonly Mutation[] = [
  ...connectionMutations,
  ...sessionMutations,
  ...toolServerMutations,
  ...turnMutations,
  ...choiceMutations,
  ...hostMutations,
];

/** All mutations by name: `check: what it does`. */
export function mutationOf(name: string): Mutation {
  const found = MUTATIONS.find((mutation) => `${mutation.check}: ${mutation.does}` === name);
  if (!found) throw new Error(`There is no mutation "${name}".`);
  return found;
}
