import { join } from 'node:path';
import { errorMessage } from '../../base/errors';
import { locale, t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { Budget } from '../../base/settings';
import { DailyCost } from '../../history/dailyCost';
import { entriesFrom } from '../../shared/state/entryPages';
import type { BudgetPause } from '../../shared/state/messageQueueState';
import type { Action } from '../../shared/state/sessionActions';
import type { SessionState } from '../../shared/state/sessionState';
import type { Cost } from '../../shared/state/usageState';
import { formatCost } from '../../shared/text/formatCost';
import type { SessionModel } from '../sessionModel';

/** Used share of a budget at which the user is notified. */
const WARNING_SHARE = 0.8;

/** The budgets of a window. */
export interface BudgetSource {
  /** `parley.budget` */
  limits(): Budget;
  readonly day: DailyCost;
  /** What the user allowed by "Continue" beyond the budget of the day, by currency. */
  readonly continued: Map<string, Continued>;
}

/** The user continued over this limit, and is asked again at the cost `until`. */
interface Continued {
  readonly limit: number;
  readonly until: number;
}

/**
 * @param limits `parley.budget`
 * @param folder absolute; shared by all windows
 */
export function createBudgets(limits: () => Budget, folder: string): BudgetSource {
  const day = new DailyCost(join(folder, 'cost.json'), Date.now);
  return { limits, day, continued: new Map() };
}

type Scope = BudgetPause['scope'];

/**
 * Compares the cost that an agent reports with `parley.budget`: notifies the user at 80 %, and holds the next message
 * back at 100 %.
 */
export class SessionBudget {
  /** The cost of the last report, which is the sum of the session so far. */
  #last: Cost | undefined;
  #extension: Continued | undefined;

  constructor(
    private readonly model: SessionModel,
    private readonly source: BudgetSource,
    private readonly log: Logger,
  ) {}

  /** False where no message needs to be held back. */
  get isSet(): boolean {
    const { session, day } = this.source.limits();
    return session !== undefined || day !== undefined;
  }

  /** The state is that of a transcript: its cost was counted before. */
  resetCost(): void {
    this.#last = this.model.state.usage?.cost;
  }

  apply(action: Action): void {
    if (action.type === 'usageChanged') this.#onCostChange();
    else if (action.type === 'turnEnded') this.#onTurnEnd();
  }

  /** The budget that is used up; undefined if the next message may be sent. Never rejects. */
  async findExceeded(): Promise<BudgetPause | undefined> {
    const { state } = this.model;
    const { session, day } = this.source.limits();
    const cost = state.usage?.cost;
    const own = cost && exceeds('session', cost, session, this.#extension);
    // Other agents do not use up the budget of one that reports no cost.
    if (own || day === undefined || (!cost && state.turns.length > 0)) return own;
    for (const sum of await this.#sums()) {
      const over = exceeds('day', sum, day, this.source.continued.get(sum.currency));
      if (over) return over;
    }
    return undefined;
  }

  /** The user continues. The next prompt comes when the cost reaches the next multiple of the limit. */
  continueOver({ scope, limit, spent, currency }: BudgetPause): void {
    const continued = { limit, until: (Math.floor(spent / limit) + 1) * limit };
    if (scope === 'session') this.#extension = continued;
    else this.source.continued.set(currency, continued);
  }

  #onCostChange(): void {
    const { state } = this.model;
    const before = this.#last;
    const cost = state.usage?.cost;
    this.#last = cost;
    if (!cost || !isSpentHere(state, before)) return;
    const { session } = this.source.limits();
    const isSame = before?.currency === cost.currency;
    // A smaller sum counts from 0 again: the agent was restarted, or its context cleared.
    const start = isSame && before.amount <= cost.amount ? before.amount : 0;
    this.#warnIfCrossed('session', cost.currency, { before: start, after: cost.amount }, session);
    const amount = cost.amount - start;
    if (amount > 0 && (isSame || !before)) void this.#addToDay({ amount, currency: cost.currency });
  }

  async #addToDay(cost: Cost): Promise<void> {
    try {
      const change = await this.source.day.add(cost);
      this.#warnIfCrossed('day', cost.currency, change, this.source.limits().day);
    } catch (error) {
      this.log.warn('session', `Failed to store the cost of the day: ${errorMessage(error)}`);
    }
  }

  async #sums(): Promise<readonly Cost[]> {
    try {
      return await this.source.day.sums();
    } catch (error) {
      this.log.warn('session', `Failed to read the cost of the day: ${errorMessage(error)}`);
      return [];
    }
  }

  #warnIfCrossed(
    scope: Scope,
    currency: string,
    { before, after }: { readonly before: number; readonly after: number },
    limit: number | undefined,
  ): void {
    if (limit === undefined || before >= limit * WARNING_SHARE || after < limit * WARNING_SHARE) return;
    const used = formatCost({ amount: after, currency }, locale());
    const all = formatCost({ amount: limit, currency }, locale());
    const share = Math.round((after / limit) * 100);
    const text =
      scope === 'session'
        ? t('This session has used {0}% of its budget: {1} of {2}.', share, used, all)
        : t('All sessions together have used {0}% of today’s budget: {1} of {2}.', share, used, all);
    this.#notify('warning', t('Budget'), text);
  }

  /** Reports once per session, after its first turn, that the agent reports no cost. */
  #onTurnEnd(): void {
    const { turns, usage, agent } = this.model.state;
    if (turns.length !== 1 || turns[0]?.stopReason !== 'end_turn' || usage?.cost || !this.isSet) return;
    const text = t('{0} reports no cost. The budget does not apply to this session.', agent?.title ?? t('The agent'));
    this.#notify('info', t('Budget'), text);
  }

  /** After the listeners of the current action: they would get the actions in another order. */
  #notify(severity: 'info' | 'warning', title: string, text: string): void {
    queueMicrotask(() => this.model.showNotice(severity, title, text));
  }
}

/** False for what was spent before the conversation was opened in Parley: the agent reports it with the history. */
function isSpentHere({ turn, turns, entries }: SessionState, before: Cost | undefined): boolean {
  const first = turns[0]?.entry ?? (turn.status === 'running' ? turn.firstEntry : undefined);
  if (first === undefined) return false;
  if (before) return true;
  for (const [index, { kind }] of entriesFrom(entries)) {
    if (index >= first) return true;
    if (kind === 'user' || kind === 'agent') return false;
  }
  return true;
}

function exceeds(
  scope: Scope,
  { amount: spent, currency }: Cost,
  limit: number | undefined,
  continued: Continued | undefined,
): BudgetPause | undefined {
  if (limit === undefined) return undefined;
  const until = continued?.limit === limit ? continued.until : limit;
  return spent >= until ? { why: 'budget', scope, spent, limit, currency } : undefined;
}
