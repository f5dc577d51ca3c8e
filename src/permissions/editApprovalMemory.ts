import { isObject } from '../base/json';
import type { Memento } from '../base/memento';

const KEY = 'parley.asksBeforeEdits';

/** Remembers for each agent whether it asks before edits, as seen in its turns. Another command or version of the agent starts anew. */
export class EditApprovalMemory {
  /** @param launchOf the command line or URL of an agent */
  constructor(
    private readonly memory: Memento,
    private readonly launchOf: (agent: string) => string | undefined,
  ) {}

  /** An edit without a request outweighs all requests. */
  record(agent: string, asks: boolean): void {
    const launch = this.launchOf(agent);
    const stored = this.asksBeforeEdits(agent);
    if (launch === undefined || stored === asks || stored === false) return;
    void this.memory.update(KEY, { ...this.#readAll(), [agent]: { launch, asks } });
  }

  /** Undefined while no edit was seen. */
  asksBeforeEdits(agent: string): boolean | undefined {
    const all = this.#readAll();
    const stored = Object.hasOwn(all, agent) ? all[agent] : undefined;
    if (!isObject(stored) || stored['launch'] !== this.launchOf(agent)) return undefined;
    return typeof stored['asks'] === 'boolean' ? stored['asks'] : undefined;
  }

  #readAll(): Readonly<Record<string, unknown>> {
    const stored = this.memory.get(KEY);
    return isObject(stored) ? stored : {};
  }
}
