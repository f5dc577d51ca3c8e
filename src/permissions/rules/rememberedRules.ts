import { randomUUID } from 'node:crypto';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { asArray, asNumber, asString, isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';
import type { Rule } from './permissionRule';
import { readRule } from './permissionRule';

/** How far an answer "always" reaches. */
export type RememberScope = 'session' | 'workspace' | 'everywhere';

/** A rule that was made from an answer of the user. */
export interface RememberedRule {
  readonly id: string;
  readonly scope: RememberScope;
  readonly rule: Rule;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /** Our id of the session, for the scope `session`. */
  readonly sessionId?: string;
}

/** The remembered rules: never in settings, so that a workspace cannot bring any. */
export interface RuleStore {
  /**
   * Oldest first.
   * @param sessionId only those that hold in this session; all when absent
   */
  list(sessionId?: string): readonly RememberedRule[];
  /**
   * Keeps a rule once; the one that is there already comes back. Rejects when the storage cannot be written; the rule holds in this window
   * anyway.
   */
  add(rule: Rule, scope: RememberScope, sessionId: string): Promise<RememberedRule>;
  /** Without effect when it is gone already. */
  remove(id: string): Promise<void>;
  /** Forgets what a session was allowed, when it is closed. */
  endSession(sessionId: string): void;
  readonly onDidChange: Event<void>;
}

const KEY = 'parley.rememberedRules';

/** Keeps rules in memory (`session`), in the workspace's storage and in that of all workspaces. */
export class RememberedRules implements RuleStore, Disposable {
  readonly #changed = new Emitter<void>();
  readonly #memories: Readonly<Record<'workspace' | 'everywhere', Memento>>;
  readonly #now: () => number;
  #ofSessions: RememberedRule[] = [];

  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: { readonly workspace: Memento; readonly everywhere: Memento; readonly now: () => number }) {
    this.#memories = { workspace: options.workspace, everywhere: options.everywhere };
    this.#now = options.now;
  }

  list(sessionId?: string): readonly RememberedRule[] {
    const ofSessions = this.#ofSessions.filter((kept) => sessionId === undefined || kept.sessionId === sessionId);
    return [...this.#kept('everywhere'), ...this.#kept('workspace'), ...ofSessions];
  }

  async add(rule: Rule, scope: RememberScope, sessionId: string): Promise<RememberedRule> {
    const same = this.list(sessionId).find((kept) => kept.scope === scope && isSame(kept.rule, rule));
    if (same) return same;
    const kept: RememberedRule = {
      id: randomUUID(),
      scope,
      rule,
      at: this.#now(),
      ...(scope === 'session' && { sessionId }),
    };
    if (scope === 'session') this.#ofSessions.push(kept);
    else await this.#write(scope, [...this.#raw(scope), withoutScope(kept)]);
    this.#changed.fire();
    return kept;
  }

  async remove(id: string): Promise<void> {
    const { length } = this.#ofSessions;
    this.#ofSessions = this.#ofSessions.filter((kept) => kept.id !== id);
    let removed = this.#ofSessions.length < length;
    for (const scope of ['workspace', 'everywhere'] as const) {
      const others = this.#raw(scope).filter((value) => !isObject(value) || value['id'] !== id);
      if (others.length === this.#raw(scope).length) continue;
      await this.#write(scope, others);
      removed = true;
    }
    if (removed) this.#changed.fire();
  }

  endSession(sessionId: string): void {
    const { length } = this.#ofSessions;
    this.#ofSessions = this.#ofSessions.filter((kept) => kept.sessionId !== sessionId);
    if (this.#ofSessions.length < length) this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #raw(scope: 'workspace' | 'everywhere'): readonly unknown[] {
    return asArray(this.#memories[scope].get(KEY));
  }

  /** What another version wrote and this one does not understand is left out, and stays where it is. */
  #kept(scope: 'workspace' | 'everywhere'): RememberedRule[] {
    return this.#raw(scope).flatMap((value) => {
      if (!isObject(value)) return [];
      const id = asString(value['id']);
      const rule = readRule(value['rule'], () => undefined);
      return id === undefined || !rule ? [] : [{ id, scope, rule, at: asNumber(value['at']) ?? 0 }];
    });
  }

  async #write(scope: 'workspace' | 'everywhere', values: readonly unknown[]): Promise<void> {
    await this.#memories[scope].update(KEY, values);
  }
}

function withoutScope({ id, rule, at }: RememberedRule): object {
  return { id, rule, at };
}

function isSame(a: Rule, b: Rule): boolean {
  const text = (rule: Rule): string => JSON.stringify(Object.entries(rule).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  return text(a) === text(b);
}
