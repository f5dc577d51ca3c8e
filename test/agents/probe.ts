/**
 * Drives opencode with a raw client, without Parley: shows what the real agent sends, and records it.
 *
 *     node out/test/agents/probe.js [--record] [--wire] [scenario …]
 *
 * Without names all scenarios run. --record writes test/replay/traffic/opencode-<scenario>.jsonl (from the project's
 * folder), --wire prints every message. The exit code is 1 when something was not as expected.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startModelServer } from './modelServer';
import { opencodeAgent } from './opencode';
import type { Json, WireEntry } from './rawClient';
import { RawClient, RpcFailure } from './rawClient';
import { normalise, saveRecording } from './recording';
import type { Scenario, ScenarioRun } from './scenarios';
import { SCENARIOS, answerText, fillWorkspace } from './scenarios';

const TURN_LIMIT_MS = 60_000;

interface Options {
  readonly record: boolean;
  readonly wire: boolean;
}

interface Timings {
  readonly initialize: number;
  readonly newSession: number;
  readonly prompt: number;
  readonly exit: number;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { record: { type: 'boolean', default: false }, wire: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(SCENARIOS);
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined)
      throw new Error(`There is no scenario "${name}"; there are ${Object.keys(SCENARIOS).join(', ')}.`);
    await runScenario(name, scenario, values);
  }
}

async function runScenario(name: string, scenario: Scenario, options: Options): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'parley-probe-')));
  const places = { workspace: join(root, 'workspace'), home: join(root, 'home') };
  await mkdir(places.workspace);
  await fillWorkspace(places.workspace);
  try {
    const { wire, problems, timings } = await converse(scenario, places);
    if (options.wire) for (const entry of wire) console.log(`${entry.dir} ${entry.t} ${JSON.stringify(entry.msg)}`);
    console.log(
      `${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name}: ${wire.length} messages, ${JSON.stringify(timings)}`,
    );
    for (const problem of problems) console.log(`       ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    else if (options.record && scenario.recorded) {
      console.log(`       ${await saveRecording('test/replay/traffic', name, normalise(wire, places))}`);
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function converse(
  scenario: Scenario,
  places: { workspace: string; home: string },
): Promise<{ wire: readonly WireEntry[]; problems: readonly string[]; timings: Timings }> {
  const server = await startModelServer();
  const agent = await opencodeAgent(server.url, places.home);
  const client: RawClient = new RawClient(agent, {
    cwd: places.workspace,
    env: { PATH: '/usr/bin:/bin' },
    onRequest: (method, params) => answerAgent(client, scenario, method, params),
  });
  try {
    const [, initialize] = await timed(client.request('initialize', INITIALIZE));
    const [session, newSession] = await timed(client.request('session/new', { cwd: places.workspace, mcpServers: [] }));
    const run: ScenarioRun = { client, server, sessionId: String(session['sessionId']), workspace: places.workspace };
    const [stopReason, prompt] = await timed(Promise.race([sendPrompt(scenario, run), tooLong(client)]));
    const [code, exit] = await timed(client.close());
    const asked = client.wire
      .filter(({ dir, msg }) => dir === 'in' && 'method' in msg && 'id' in msg)
      .map(({ msg }) => String(msg['method']));
    const complaints = await scenario.check({
      stopReason,
      answer: answerText(client.wire),
      asked,
      workspace: places.workspace,
    });
    const problems = [
      ...complaints,
      code !== 0 && `exit code ${code}`,
      client.noise.length > 0 && `noise: ${client.noise[0]}`,
    ];
    return {
      wire: client.wire,
      problems: problems.filter((problem) => problem !== false),
      timings: { initialize, newSession, prompt, exit },
    };
  } finally {
    client.kill();
    await server.close();
  }
}

const INITIALIZE: Json = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  clientInfo: { name: 'parley-probe', title: 'Parley probe', version: '0.0.0' },
};

async function sendPrompt(scenario: Scenario, run: ScenarioRun): Promise<unknown> {
  const answer = run.client.request('session/prompt', {
    sessionId: run.sessionId,
    prompt: [{ type: 'text', text: scenario.prompt.replaceAll('{workspace}', run.workspace) }],
  });
  await Promise.all([answer, scenario.during?.(run)]);
  return (await answer)['stopReason'];
}

/** A turn that does not end says where it stood, instead of hanging the terminal. */
async function tooLong(client: RawClient): Promise<never> {
  await delay(TURN_LIMIT_MS, undefined, { ref: false });
  throw new Error(
    `No end of the turn within ${TURN_LIMIT_MS} ms. Last on the wire: ${JSON.stringify(client.wire.at(-1))}`,
  );
}

/** The person and the editor in one. */
async function answerAgent(client: RawClient, scenario: Scenario, method: string, params: Json): Promise<unknown> {
  switch (method) {
    case 'session/request_permission':
      if (scenario.permission !== 'cancel') return { outcome: { outcome: 'selected', optionId: scenario.permission } };
      client.notify('session/cancel', { sessionId: params['sessionId'] });
      return { outcome: { outcome: 'cancelled' } };
    case 'fs/write_text_file': {
      const path = String(params['path']);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, String(params['content']));
      return {};
    }
    default:
      throw new RpcFailure(-32_601, `The probe does not serve ${method}.`);
  }
}

/** The result, and how many ms it took. */
async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const result = await work;
  return [result, Math.round(performance.now() - start)];
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
