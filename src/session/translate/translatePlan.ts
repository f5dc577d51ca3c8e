import { asArray, asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { NamedPlan, PlanAction, PlanItem } from '../../shared/state/planState';

/** Undefined for an unknown kind of plan. */
export function translatePlan(update: JsonObject): PlanAction | undefined {
  if (update['sessionUpdate'] === 'plan')
    return { type: 'planChanged', items: asArray(update['entries']).flatMap(toPlanItem) };
  if (update['sessionUpdate'] === 'plan_removed') {
    const planId = asString(update['planId']);
    return planId === undefined ? undefined : { type: 'planRemoved', planId };
  }
  const plan = toPlan(asObject(update['plan']) ?? {});
  return plan && { type: 'planUpdated', plan };
}

function toPlan(plan: JsonObject): NamedPlan | undefined {
  const planId = asString(plan['planId']);
  const uri = asString(plan['uri']);
  const text = asString(plan['content']);
  if (planId === undefined) return undefined;
  if (plan['type'] === 'items') return { planId, kind: 'items', items: asArray(plan['entries']).flatMap(toPlanItem) };
  if (plan['type'] === 'file' && uri !== undefined) return { planId, kind: 'file', uri };
  if (plan['type'] === 'markdown' && text !== undefined) return { planId, kind: 'markdown', text };
  return undefined;
}

function toPlanItem(value: unknown): PlanItem[] {
  const item = asObject(value);
  const content = asString(item?.['content']);
  if (!item || content === undefined) return [];
  const status = item['status'];
  const known = status === 'in_progress' || status === 'completed' ? status : 'pending';
  return [{ content, priority: asString(item['priority']) ?? 'medium', status: known }];
}
