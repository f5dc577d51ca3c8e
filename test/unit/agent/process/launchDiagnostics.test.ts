import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { explainExit, explainNoResponse } from '../../../../src/agent/process/launchDiagnostics';
import { ParleyError } from '../../../../src/base/errors';
import { fakeAgent } from '../../../fakeAgent/definition';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { Bench } from '../agentBench';

const agent = (fields: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name: 'mine',
  title: 'Mine',
  description: '',
  command: 'mine',
  args: [],
  env: {},
  ...fields,
});

describe('why an agent did not start', () => {
  let folder: string;
  const benches: Bench[] = [];
  const opened = (bench: Bench): Bench => {
    benches.push(bench);
    return bench;
  };
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(async () => {
    for (const bench of benches.splice(0)) await bench.close();
  });

  /** @param initialize Timeout of the response in milliseconds; earlier output must arrive within it. */
  async function failure(
    definition: AgentDefinition,
    env: Record<string, string> = {},
    initialize = 30_000,
  ): Promise<ParleyError> {
    const { connection } = opened(
      new Bench({
        definition: { ...definition, env: { ...definition.env, ...env } },
        deadlines: { slow: 60_000, initialize },
      }),
    );
    const error: unknown = await connection.start().catch((caught: unknown) => caught);
    assert.ok(ParleyError.is(error), String(error));
    return error;
  }

  it('names the searched folders of PATH', async () => {
    const path = [folder, join(folder, 'other')].join(delimiter);
    const error = await failure(agent({ command: 'no-such-agent' }), { PATH: path });
    assert.match(error.message, /command "no-such-agent" was not found/);
    assert.equal(error.detail, `Searched PATH:\n${folder}\n${join(folder, 'other')}`);
    assert.match(error.nextStep ?? '', /correct "command" of "mine" in the setting parley\.agents/);
  });

  it('explains how to install a runner, and how to reinstall an agent', async () => {
    const step = async (fields: Partial<AgentDefinition>) =>
      (await failure(agent(fields), { PATH: folder })).nextStep ?? '';
    assert.match(await step({ command: 'npx', origin: 'registry' }), /Install Node\.js/);
    assert.match(await step({ command: 'uvx', origin: 'registry' }), /Install uv/);
    assert.match(
      await step({ command: join(folder, 'gone'), origin: 'registry' }),
      /Reinstall the agent with “Install Agent…”/,
    );
    assert.match(await step({ command: join(folder, 'gone'), origin: 'path' }), /The program no longer exists/);
  });

  it('distinguishes a missing file, a missing interpreter, and a file that is not executable', async function () {
    if (process.platform === 'win32') this.skip();
    const script = join(folder, 'script');
    writeFileSync(script, '#!/no/such/interpreter -x\n', { mode: 0o755 });
    const error = await failure(agent({ command: script }));
    assert.match(error.message, /exists, but its interpreter "\/no\/such\/interpreter" was not found/);
    writeFileSync(join(folder, 'plain'), 'text', { mode: 0o644 });
    const plain = await failure(agent({ command: join(folder, 'plain') }));
    assert.match(`${plain.message} ${plain.nextStep}`, /is not executable Make it executable/);
  });

  it('detects a Node that is too old from the output before the exit', async () => {
    const fake = fakeAgent();
    const error = await failure(fake, { FAKE_EXIT_ON_START: '1', FAKE_STDERR: 'Node.js v18.19.0' });
    assert.match(error.nextStep ?? '', /The agent ran with Node\.js v18\.19\.0 but requires 20 or later/);
    assert.match(error.detail ?? '', /Node\.js v18\.19\.0/);
  });

  it('shows output on stdout that is not a message', async () => {
    const fake = fakeAgent();
    const ended = await failure(fake, { FAKE_EXIT_ON_START: '1', FAKE_NOISE: 'error: unknown option --acp' });
    assert.match(ended.detail ?? '', /Output on stdout: error: unknown option/);
    assert.match(ended.nextStep ?? '', /does not recognize one of its arguments/);
    const noise = { FAKE_NO_INITIALIZE: '1', FAKE_NOISE: 'Welcome! What shall we build?' };
    const silent = await failure(fake, noise, 6_000);
    assert.match(silent.nextStep ?? '', /wrote plain text instead of protocol messages\. Check that "fake"/);
    assert.match(silent.detail ?? '', /Welcome!/);
  });

  it('does not suggest a reinstallation after the agent has run', async () => {
    const bench = await opened(new Bench()).open();
    const turn = bench.prompt('stderr Node.js v18.0.0', 'exit 1');
    await assert.rejects(turn, (error: unknown) => ParleyError.is(error) && error.nextStep === 'Restart the agent.');
  });
});

describe('output of an agent before its exit', () => {
  const npx = agent({ command: 'npx', args: ['--yes', '@agentclientprotocol/claude-agent-acp@0.100.0'] });
  const cases: [string, RegExp | undefined, AgentDefinition?][] = [
    ['TypeError: x\n\nNode.js v20.20.2', /v20\.20\.2 but requires 22 or later/, npx],
    ['TypeError: x\n\nNode.js v22.3.0', undefined, npx],
    ["npm warn EBADENGINE   current: { node: 'v20.1.0', npm: '10' }", /v20\.1\.0 but requires 22/, npx],
    [
      "SyntaxError: The requested module 'node:util' does not provide an export named 'x'\nNode.js v20.2.0",
      /Node\.js v20\.2\.0 may be too old/,
    ],
    ['Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite', /Node\.js version may be too old/],
    ['/usr/bin/env: ‘node’: No such file or directory', /Node\.js was not found on PATH/],
    ['sh: 1: node: not found', /Node\.js was not found on PATH/],
    ["'node' is not recognized as an internal or external command", /Node\.js was not found on PATH/],
    ['npm error code E404\nnpm error 404 Not Found', /npm could not find this version of the package/],
    ['npm error code ETARGET', /npm could not find this version of the package/],
    ['npm error code ENOTFOUND\nnpm error network request to x failed', /Check the network and the proxy/],
    ['npm ERR! code EACCES', /could not write to its cache/],
    ['npm error could not determine executable to run', /does not contain a program with this name/],
    ['error: Failed to fetch: `https://x`', /uvx could not download the package/],
    ["error: unexpected argument '--acp' found", /too old to support ACP/],
    ['Unknown command: acp', /too old to support ACP/],
    ['bash: ./x: cannot execute binary file: Exec format error', /built for another platform/],
    ["/lib/libc.so.6: version `GLIBC_2.38' not found", /system libraries/],
    ['Something went wrong', undefined],
    ['', undefined],
  ];
  for (const [output, expected, definition = agent()] of cases) {
    it(`${JSON.stringify(output.slice(0, 60))} ${expected ? 'is explained' : 'is not explained'}`, () => {
      const found = explainExit(definition, output);
      if (expected) assert.match(found ?? '', expected);
      else assert.equal(found, undefined);
    });
  }

  it('suggests the missing ACP argument of a known agent', () => {
    assert.match(
      explainNoResponse(agent({ command: '/opt/bin/gemini' }), ''),
      /Gemini CLI supports ACP only when started with --acp/,
    );
    assert.match(explainNoResponse(agent({ command: 'gemini.cmd', args: ['--acp'] }), ''), /Check that "mine"/);
    assert.match(explainNoResponse(agent({ origin: 'registry' }), ''), /Check that the command line starts the agent/);
  });
});
