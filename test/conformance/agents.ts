// npm run test:agents [-- agent … scenario …]: drives installed agents through Parley's own client and prints a table.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from '../agents/catalog';
import type { AgentScenario } from './realAgents';
import { AGENT_SCENARIOS, playAgent } from './realAgents';
import { resultsFolder, writeResults } from './suite';

/** agent × scenario × `ok`, or what was wrong. */
type Results = Record<string, Record<string, string>>;

/** Variables of this machine that agents may have; others (of a CI, of an agent that runs this) change how some behave. */
const KEPT = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
]);

async function main(): Promise<void> {
  for (const name of Object.keys(process.env)) {
    if (!KEPT.has(name) && !name.startsWith('PARLEY_')) delete process.env[name];
  }
  const asked = process.argv.slice(2);
  const agents = AGENTS.filter(
    ({ name }) => asked.includes(name) || !asked.some((one) => AGENTS.some((known) => known.name === one)),
  );
  const scenarios = AGENT_SCENARIOS.filter(
    (name) => asked.includes(name) || !AGENT_SCENARIOS.some((known) => asked.includes(known)),
  );
  const results = earlier();
  for (const agent of agents) {
    results[agent.name] ??= {};
    for (const name of scenarios) {
      const result = await played(agent, name);
      Object.assign(results[agent.name] ?? {}, { [name]: result });
      console.log(`${agent.name} ${name}: ${result}`);
      if (result !== 'ok' && result !== 'not installed') process.exitCode = 1;
      writeResults('agents', results);
    }
  }
  console.log(`\n| agent | ${scenarios.join(' | ')} |`);
  for (const { name } of agents)
    console.log(`| ${name} | ${scenarios.map((one) => results[name]?.[one]?.split('\n')[0]).join(' | ')} |`);
}

async function played(agent: (typeof AGENTS)[number], name: AgentScenario): Promise<string> {
  try {
    const problems = await playAgent(agent, name);
    return problems.length === 0 ? 'ok' : problems.join('\n');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /is not installed/.test(message) ? 'not installed' : message;
  }
}

/** Those of a run before, so that agents can be run one by one. */
function earlier(): Results {
  const file = join(resultsFolder(), 'agents.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
