/**
 * Drives the real agents with a raw client, without Parley: shows what they send, and records it.
 *
 *     node out/test/agents/probe.js [--record] [--wire] [--model] [agent,agent … | all] [scenario …]
 *
 * Without names all scenarios run with opencode. Agents must be installed (install.mjs). --record writes
 * test/replay/traffic/<agent>-<scenario>.jsonl (from the project's folder), --wire prints every message,
 * --model every request to the model. The exit code is 1 when something was not as expected.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TestAgent } from './catalog';
import { AGENTS, testAgent } from './catalog';
import type { Conversation } from './conversation';
import { Conversations } from './conversation';
import { endLeftovers } from './leftovers';
import { startModelServer } from './modelServer';
import type { Places } from './recording';
import { normalise, saveRecording } from './recording';
import { SCENARIOS, fillWorkspace } from './scenarios';

interface Options {
  readonly record: boolean;
  readonly wire: boolean;
  readonly model: boolean;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      record: { type: 'boolean', default: false },
      wire: { type: 'boolean', default: false },
      model: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const names = positionals.filter((name) => name in SCENARIOS);
  const scenarios = names.length > 0 ? names : Object.keys(SCENARIOS);
  const agents = chosenAgents(positionals.filter((name) => !(name in SCENARIOS)));
  const rows: string[][] = [];
  for (const agent of agents) {
    const cells: string[] = [];
    for (const name of scenarios) cells.push(await runScenario(agent, name, values));
    rows.push([agent.name, ...cells]);
  }
  const head = [
    ['agent', ...scenarios],
    ['---', ...scenarios.map(() => '---')],
  ];
  console.log(`\n${[...head, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`);
}

function chosenAgents(names: readonly string[]): readonly TestAgent[] {
  if (names.includes('all')) return AGENTS;
  return names.length > 0 ? names.flatMap((name) => name.split(',')).map(testAgent) : [testAgent('opencode')];
}

/** Returns the table cell. */
async function runScenario(agent: TestAgent, name: string, options: Options): Promise<string> {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`There is no scenario "${name}".`);
  if (scenario.agent !== undefined && scenario.agent !== agent.name) return 'not offered';
  if (scenario.reopen !== undefined && !agent.quirks.sessions.includes(scenario.reopen)) return 'not offered';
  const root = await realpath(await mkdtemp(join(tmpdir(), 'parley-probe-')));
  const places = { root, workspace: join(root, 'workspace'), home: join(root, 'home') };
  await mkdir(places.workspace);
  await mkdir(places.home);
  await fillWorkspace(places.workspace);
  const server = await startModelServer();
  try {
    const conversation = await new Conversations(agent, server, places).run(scenario);
    return await report(`${agent.name}-${name}`, conversation, { ...options, places, keep: !scenario.unrecorded });
  } catch (error) {
    return failed(`${agent.name}-${name}`, [error instanceof Error ? error.message : String(error)]);
  } finally {
    if (options.model) for (const request of server.requests) console.log(JSON.stringify(request));
    await server.close();
    const left = await endLeftovers(places.home);
    if (left.length > 0) console.log(`       left running after the end: ${left.join(', ')}`);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function report(
  name: string,
  { wire, problems, timings }: Conversation,
  options: Options & { places: Places; keep: boolean },
): Promise<string> {
  if (options.wire) for (const entry of wire) console.log(`${entry.dir} ${entry.t} ${JSON.stringify(entry.msg)}`);
  if (problems.length > 0) return failed(name, problems);
  console.log(`ok     ${name}: ${wire.length} messages, ${JSON.stringify(timings)}`);
  if (options.record && options.keep) {
    console.log(`       ${await saveRecording('test/replay/traffic', name, normalise(wire, options.places))}`);
  }
  return 'ok';
}

function failed(name: string, problems: readonly string[]): string {
  process.exitCode = 1;
  console.log(`FAILED ${name}`);
  for (const problem of problems) console.log(`       ${problem}`);
  return 'FAILED';
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
