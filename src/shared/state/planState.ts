import { assertNever } from '../../base/assert';

export interface PlanItem {
  readonly content: string;
  readonly priority: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** A plan with an id; a session may have several. */
export type NamedPlan =
  | { readonly planId: string; readonly kind: 'items'; readonly items: readonly PlanItem[] }
  | { readonly planId: string; readonly kind: 'file'; readonly uri: string }
  | { readonly planId: string; readonly kind: 'markdown'; readonly text: string };

export interface PlanState {
  readonly plan: readonly PlanItem[];
  /** Plans with an id, besides `plan`. */
  readonly plans: readonly NamedPlan[];
}

export type PlanAction =
  | { readonly type: 'planChanged'; readonly items: readonly PlanItem[] }
  | { readonly type: 'planUpdated'; readonly plan: NamedPlan }
  | { readonly type: 'planRemoved'; readonly planId: string };

export function reducePlans<S extends PlanState>(state: S, action: PlanAction): S {
  switch (action.type) {
    case 'planChanged':
      return { ...state, plan: action.items };
    case 'planUpdated':
      return { ...state, plans: withPlan(state.plans, action.plan) };
    case 'planRemoved':
      return { ...state, plans: state.plans.filter(({ planId }) => planId !== action.planId) };
    default:
      return assertNever(action);
  }
}

/** Whether no step is left. */
export function isFinishedPlan(items: readonly PlanItem[]): boolean {
  return items.every(({ status }) => status === 'completed');
}

/**
 * Without the plans that are finished, or all where their turn was cut off: an agent that goes on with one sends it again. Pure; returns
 * the same reference when no plan has ended.
 */
export function withoutEndedPlans<S extends PlanState>(state: S, isCutOff: boolean): S {
  const hasEnded = (items: readonly PlanItem[]): boolean => isCutOff || isFinishedPlan(items);
  const plans = state.plans.filter((plan) => plan.kind !== 'items' || !hasEnded(plan.items));
  const isEnded = state.plan.length > 0 && hasEnded(state.plan);
  if (plans.length === state.plans.length && !isEnded) return state;
  return { ...state, plan: isEnded ? [] : state.plan, plans };
}

function withPlan(plans: readonly NamedPlan[], plan: NamedPlan): readonly NamedPlan[] {
  const at = plans.findIndex(({ planId }) => planId === plan.planId);
  return at < 0 ? [...plans, plan] : plans.with(at, plan);
}
