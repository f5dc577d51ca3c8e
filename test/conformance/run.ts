import { settlesWithin } from '../../src/base/async';
import type { BenchOptions } from './bench';
import { ConformanceBench } from './bench';
import type { Check } from './check';
import { choiceChecks } from './checks/choices';
import { connectionChecks } from './checks/connection';
import { hostChecks } from './checks/host';
import { sessionChecks } from './checks/sessions';
import { toolServerChecks } from './checks/toolServers';
import { turnChecks } from './checks/turn';
import { HOST_SCENARIOS } from './hostScenarios';
import type { Mutation } from './mutation';
import { SCENARIOS as TALKS } from './scenarios';
import { TOOL_SCENARIOS } from './toolScenarios';
import type { Evidence } from './wire';

const SCENARIOS = { ...TALKS, ...TOOL_SCENARIOS };

export const CHECKS: readonly Check[] = [
  ...connectionChecks,
  ...sessionChecks,
  ...toolServerChecks,
  ...turnChecks,
  ...choiceChecks,
  ...hostChecks,
];

/**
 * Time limits in milliseconds for a broken client, which may leave the agent waiting forever: the evidence until then is judged.
 * The second limit is for machines that are too busy for the first.
 */
const BROKEN_LIMITS_MS = [4_000, 60_000] as const;

/** Names of the scenarios that can run here. */
export function scenarioNames(where: Check['where']): readonly string[] {
  return Object.keys(where === 'host' ? HOST_SCENARIOS : SCENARIOS);
}

type PlayOptions = Pick<BenchOptions, 'more' | 'editor' | 'mutation' | 'remote'>;

/** Whether a check detects the fault of a mutation. */
export async function isNoticed(mutation: Mutation, check: Check, more: PlayOptions): Promise<boolean> {
  for (const limit of BROKEN_LIMITS_MS) {
    const { wrong } = check.judge(await play(mutation.scenario, { ...more, mutation }, limit));
    if (wrong.length > 0) return true;
  }
  return false;
}

/**
 * Plays a scenario and returns the evidence. Rejects when the unbroken client fails.
 * @param limit Milliseconds for a broken client.
 */
export async function play(
  name: string,
  more: PlayOptions = {},
  limit: number = BROKEN_LIMITS_MS[0],
): Promise<Evidence> {
  const scenario = SCENARIOS[name] ?? HOST_SCENARIOS[name];
  if (!scenario) throw new Error(`There is no scenario "${name}".`);
  const { env, folders, remote, runInTerminal } = scenario;
  const bench = await ConformanceBench.open({
    ...(remote && { remote }),
    ...more,
    ...(env && { env }),
    ...(folders && { folders }),
    ...(runInTerminal && { runInTerminal }),
  });
  try {
    // Failures of a broken client are judged by the checks.
    if (more.mutation) await settlesWithin(scenario.play(bench), limit);
    else await scenario.play(bench);
    await bench.closeWindow();
    return bench.evidence();
  } finally {
    await bench.remove();
  }
}

/** The checks that judge this scenario. */
export function checksFor(scenario: string, where: Check['where']): readonly Check[] {
  return CHECKS.filter((check) => check.scenarios?.includes(scenario) ?? check.where === where);
}

/** What is needed to verify a mutation. */
export function proofsOf(
  mutations: readonly Mutation[],
  where: Check['where'],
): readonly (readonly [Mutation, Check])[] {
  return mutations.flatMap((mutation) => {
    const check = CHECKS.find(({ id }) => id === mutation.check);
    if (!check) throw new Error(`There is no check "${mutation.check}".`);
    return scenarioNames(where).includes(mutation.scenario) ? [[mutation, check] as const] : [];
  });
}
