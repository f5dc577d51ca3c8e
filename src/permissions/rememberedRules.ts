import { randomUUID } from 'node:crypto';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { asArray, asNumber, asString, isObject, canonicalJson } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import type { Memento } from '../base/memento';
import type { RememberScope } from '../shared/state/toolCallState';
import type { Rule } from './rules/permissionRule';
import { readRule } from './rules/permissionRule';

/** A rule created from an answer of the user. */
export interface RememberedRule {
  readonly id: string;
  readonly scope: RememberScope;
  readonly rule: Rule;
  /** Time of creation, in milliseconds since 1970. */
  readonly at: number;
  /** Parley's session id, for the scope `session`. */
  readonly sessionId?: string;
}

/** Tests pass other stores. */
export type RuleStore = Pick<RememberedRules, 'list' | 'add' | 'remove' | 'endSession' | 'onDidChange'>;

const KEY = 'parley.rememberedRules';

/**
 * Stores rules in memory (`session`), in the workspace's storage, or in the storage shared by all workspaces; never in settings, so that a
 * workspace cannot add any.
 */
export class RememberedRules implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #memories: Readonly<Record<'workspace' | 'everywhere', Memento>>;
  readonly #now: () => number;
  #ofSessions: RememberedRule[] = [];

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor(options: { readonly workspace: Memento; readonly everywhere: Memento; readonly now: () => number }) {
    this.#memories = { workspace: options.workspace, everywhere: options.everywhere };
    this.#now = options.now;
  }

  /**
   * Oldest first.
   * @param sessionId only rules that apply to this session; all when absent
   */
  list(sessionId?: string): readonly RememberedRule[] {
    const ofSessions = this.#ofSessions.filter(
      (remembered) => sessionId === undefined || remembered.sessionId === sessionId,
    );
    return [...this.#readStored('everywhere'), ...this.#readStored('workspace'), ...ofSessions];
  }

  /**
   * Stores a rule; returns the existing one for a duplicate. Rejects when the storage cannot be written; the rule then
   * still applies in this window.
   */
  async add(rule: Rule, scope: RememberScope, sessionId: string): Promise<RememberedRule> {
    const content = canonicalJson(rule);
    const same = this.list(sessionId).find(
      (remembered) => remembered.scope === scope && canonicalJson(remembered.rule) === content,
    );
    if (same) return same;
    const remembered: RememberedRule = {
      id: randomUUID(),
      scope,
      rule,
      at: this.#now(),
      ...(scope === 'session' && { sessionId }),
    };
    if (scope === 'session') this.#ofSessions.push(remembered);
    else await this.#write(scope, [...this.#raw(scope), withoutScope(remembered)]);
    this.#onDidChange.fire();
    return remembered;
  }

  /** No effect when the rule does not exist. */
  async remove(id: string): Promise<void> {
    const { length } = this.#ofSessions;
    this.#ofSessions = this.#ofSessions.filter((remembered) => remembered.id !== id);
    let isRemoved = this.#ofSessions.length < length;
    for (const scope of ['workspace', 'everywhere'] as const) {
      const others = this.#raw(scope).filter((value) => !isObject(value) || value['id'] !== id);
      if (others.length === this.#raw(scope).length) continue;
      await this.#write(scope, others);
      isRemoved = true;
    }
    if (isRemoved) this.#onDidChange.fire();
  }

  /** Removes the rules of a closed session. */
  endSession(sessionId: string): void {
    const { length } = this.#ofSessions;
    this.#ofSessions = this.#ofSessions.filter((remembered) => remembered.sessionId !== sessionId);
    if (this.#ofSessions.length < length) this.#onDidChange.fire();
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #raw(scope: 'workspace' | 'everywhere'): readonly unknown[] {
    return asArray(this.#memories[scope].get(KEY));
  }

  /** Rules of another version that cannot be read, or allow too much, are skipped, but stay stored. */
  #readStored(scope: 'workspace' | 'everywhere'): RememberedRule[] {
    return this.#raw(scope).flatMap((value) => {
      if (!isObject(value)) return [];
      const id = asString(value['id']);
      const rule = readRule(value['rule'], () => undefined);
      if (id === undefined || !rule || allowsByTitle(rule)) return [];
      return [{ id, scope, rule, at: asNumber(value['at']) ?? 0 }];
    });
  }

  async #write(scope: 'workspace' | 'everywhere', values: readonly unknown[]): Promise<void> {
    await this.#memories[scope].update(KEY, values);
  }
}

/**
 * Whether the rule is an “always” answer of an earlier version that kept only what the agent called the action. A rule that the user
 * made for a title has no kind and agent.
 */
function allowsByTitle({ decision, title, kind, agent, subject, tool, command, path }: Rule): boolean {
  const isForTitle = title !== undefined && kind !== undefined && agent !== undefined;
  return decision === 'allow' && isForTitle && [subject, tool, command, path].every((each) => each === undefined);
}

function withoutScope({ id, rule, at }: RememberedRule): object {
  return { id, rule, at };
}
