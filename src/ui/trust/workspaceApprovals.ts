import { contentHash } from '../../agent/config/workspaceAgents';
import { isObject } from '../../base/json';
import type { Memento } from '../../base/memento';

type Decision = 'allowed' | 'refused';

const KEY = 'parley.approvals';

/**
 * The user's decisions about content that the workspace defines. Each decision applies to exactly the displayed content
 * and is stored as its hash: after any change the user is asked again (security: config rug pull).
 */
export class WorkspaceApprovals {
  constructor(private readonly memory: Memento) {}

  /**
   * Undefined when there is no decision about this content.
   * @param subject `registry.url`, `agent:<name>`
   */
  decision(subject: string, content: string): Decision | undefined {
    const stored = this.#readStored()[subject];
    if (!isObject(stored) || stored['hash'] !== contentHash(content)) return undefined;
    const { decision } = stored;
    return decision === 'allowed' || decision === 'refused' ? decision : undefined;
  }

  /** True when there is a decision about any content of this subject. */
  isKnown(subject: string): boolean {
    return this.#readStored()[subject] !== undefined;
  }

  /** Stores a decision; replaces an earlier one of the same subject. */
  async store(subject: string, content: string, decision: Decision): Promise<void> {
    await this.memory.update(KEY, { ...this.#readStored(), [subject]: { hash: contentHash(content), decision } });
  }

  #readStored(): Readonly<Record<string, unknown>> {
    const stored = this.memory.get(KEY);
    return isObject(stored) ? stored : {};
  }
}
