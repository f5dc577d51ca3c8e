import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { AGENTS } from '../agents/catalog';
import { cursorAgent } from '../agents/cursor';
import type { Extension } from '../conformance/agentRun';
import { agentText, withAgent } from '../conformance/agentRun';
import { AGENT_SCENARIOS, EXAMPLE, INCOMPLETE } from '../conformance/agentScenarios';
import { AgentPlayer } from '../conformance/realAgents';
import { playSdkExample } from '../conformance/sdkExample';
import { resultsFolder, writeResults } from '../conformance/suite';
import { makeInside } from './clientHelp';

/**
 * Names of agents and scenarios: `npm run test:agents` runs them all, the full test run only the quick part. Opencode needs twice the
 * processor time of the others and runs in `test/e2e/realAgent.test.ts`.
 */
const asked = process.env['PARLEY_AGENTS']?.split(' ').filter(Boolean);
const QUICK = ['claude turns', 'codex turns', 'gemini turns'];

function chosen<T extends string>(all: readonly T[]): readonly T[] {
  const named = all.filter((name) => asked?.includes(name));
  return named.length > 0 ? named : all;
}

function isChosen(agent: string, scenario: string): boolean {
  return asked !== undefined || QUICK.includes(`${agent} ${scenario}`);
}

/** The complete extension with real agents and a scripted model; only the user is simulated. */
describe('real agents in the extension host', () => {
  let extension: Extension;

  before(async () => {
    const found = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(found);
    const { sessions, catalog, traffic, reviewService: engine } = await found.activate();
    extension = {
      sessions,
      catalog,
      traffic,
      engine,
      configure: async (agents) =>
        vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global),
      makeFolder: () => makeInside('agent'),
    };
  });

  const names = chosen([...AGENTS.map(({ name }) => name), 'cursor', 'sdkexample']);
  for (const agent of AGENTS.filter(({ name }) => names.includes(name))) {
    const scenarios = chosen(AGENT_SCENARIOS).filter((one) => isChosen(agent.name, one));
    const player = new AgentPlayer(agent, scenarios);
    after(async () => assert.deepEqual(await player.close(), []));
    for (const scenario of scenarios) {
      it(`${agent.name} ${scenario}`, async function () {
        await judged(this, agent.name, scenario, () => player.play(extension, scenario));
      });
    }
  }
  if (isChosen('cursor', INCOMPLETE) && names.includes('cursor')) {
    it(`cursor ${INCOMPLETE}`, async function () {
      await judged(this, 'cursor', INCOMPLETE, () => playIncomplete(extension));
    });
  }
  if (isChosen('sdkexample', EXAMPLE) && names.includes('sdkexample')) {
    it(`sdkexample ${EXAMPLE}`, async function () {
      await judged(this, 'sdkexample', EXAMPLE, () => playSdkExample(extension));
    });
  }
});

/** Records the result, and fails if there are complaints. Skips agents that are not installed. */
async function judged(
  test: Mocha.Context,
  agent: string,
  scenario: string,
  play: () => Promise<readonly string[]>,
): Promise<void> {
  let result = 'ok';
  try {
    const problems = await play();
    if (problems.length > 0) result = problems.join('\n');
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    result = /is not installed/.test(message) ? 'not installed' : message;
  }
  const results = earlier();
  writeResults('agents', { ...results, [agent]: { ...results[agent], [scenario]: result } });
  if (result === 'not installed') test.skip();
  assert.equal(result, 'ok');
}

/** Results of earlier runs, so that agents can run one by one. */
function earlier(): Record<string, Record<string, string>> {
  const file = join(resultsFolder(), 'agents.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>) : {};
}

async function playIncomplete(extension: Extension): Promise<readonly string[]> {
  return withAgent(extension, 'cursor', cursorAgent, async (run) => {
    await run.send('hello');
    const { turn } = run.session.state;
    const said = agentText(run.session.state);
    return [
      ...(turn.status === 'idle' ? [] : ['the turn does not end']),
      ...(/cursor-agent/i.test(said) ? [] : [`nothing says what is missing: ${said || 'no text'}`]),
      ...(await run.rules()),
    ];
  });
}
