import { createHash } from 'node:crypto';
import type { Memento } from '../../base/memento';
import type { AgentProgram } from '../config/agentDefinition';
import { usesPackageRunner } from '../config/packageRunner';

const KEY = 'parley.fetchedPackages';
/** Command lines that are remembered; the oldest is forgotten. */
const MAX_STORED = 100;

/** Remembers which agents of package runners (`npx`, `uvx`) have run here: the first start may fetch and install a package. */
export class FetchedPackages {
  constructor(private readonly memory: Memento) {}

  /** True for an agent that fetches nothing. */
  isFetched(definition: AgentProgram): boolean {
    return !usesPackageRunner(definition.command, definition.args) || this.#readKeys().includes(keyOf(definition));
  }

  /** The agent has answered. */
  record(definition: AgentProgram): void {
    if (this.isFetched(definition)) return;
    void this.memory.update(KEY, [...this.#readKeys(), keyOf(definition)].slice(-MAX_STORED));
  }

  #readKeys(): readonly unknown[] {
    const stored = this.memory.get(KEY);
    return Array.isArray(stored) ? stored : [];
  }
}

/** A hash: arguments may be secret. */
function keyOf({ command, args }: AgentProgram): string {
  return createHash('sha256')
    .update(JSON.stringify([command, ...args]))
    .digest('hex');
}
