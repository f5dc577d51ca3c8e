import { contentHash } from '../../agent/config/workspaceAgents';
import { isObject } from '../../base/json';
import type { Memento } from '../../base/memento';

export type Decision = 'allowed' | 'refused';

const KEY = 'parley.approvals';

/**
 * What the user has decided about things that the workspace defines. Each decision holds for exactly the content that was shown,
 * and is kept as its hash: after any change the user is asked again (security: config rug pull).
 */
export class WorkspaceApprovals {
  readonly #memory: Memento;

  constructor(memory: Memento) {
    this.#memory = memory;
  }

  /**
   * Undefined when this content was not decided about.
   * @param subject what it is about: `registry.url`, `agent:<name>`
   */
  decision(subject: string, content: string): Decision | undefined {
    const kept = this.#kept()[subject];
    if (!isObject(kept) || kept['hash'] !== contentHash(content)) return undefined;
    const { decision } = kept;
    return decision === 'allowed' || decision === 'refused' ? decision : undefined;
  }

  /** True when some content of this subject was decided about, this one or an earlier one. */
  isKnown(subject: string): boolean {
    return this.#kept()[subject] !== undefined;
  }

  /** Keeps a decision; an earlier one about the same subject is forgotten. */
  async keep(subject: string, content: string, decision: Decision): Promise<void> {
    await this.#memory.update(KEY, { ...this.#kept(), [subject]: { hash: contentHash(content), decision } });
  }

  #kept(): Readonly<Record<string, unknown>> {
    const kept = this.#memory.get(KEY);
    return isObject(kept) ? kept : {};
  }
}
