import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { usesPackageRunner } from '../../../../src/agent/config/packageRunner';
import { AgentConnection } from '../../../../src/agent/connection/agentConnection';
import type { StartFolders } from '../../../../src/agent/process/startFolder';
import { makeNeutralFolder, startFolder } from '../../../../src/agent/process/startFolder';
import { nullLogger } from '../../../../src/base/logger';
import { fakeAgent, fakeAgentPath } from '../../../fakeAgent/definition';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('start folder of an agent', () => {
  const folders = (isTrusted: boolean): StartFolders => ({
    neutral: () => Promise.resolve('/neutral'),
    isTrusted: () => isTrusted,
    isInWorkspace: (path) => Promise.resolve(path.startsWith('/ws')),
  });
  const start = (isTrusted: boolean, command: string, cwd?: string): Promise<string> =>
    startFolder({ command, args: [], ...(cwd !== undefined && { cwd }) }, '/ws', folders(isTrusted));

  it('is the workspace only in a trusted workspace and for a program that is not a package runner', async () => {
    assert.equal(await start(true, 'gemini'), '/ws');
    assert.equal(await start(true, 'npx'), '/neutral');
    assert.equal(await start(false, 'gemini'), '/neutral');
    assert.equal(await start(false, 'npx'), '/neutral');
  });

  it('is the folder of the settings, unless it is in an untrusted workspace', async () => {
    assert.equal(await start(true, 'npx', '/ws/tools'), '/ws/tools');
    assert.equal(await start(false, 'npx', '/home/me'), '/home/me');
    assert.equal(await start(false, 'npx', '/ws/tools'), '/neutral');
    assert.equal(await start(false, 'gemini', '/ws'), '/neutral');
  });

  const runners = [
    'npx -y @google/gemini-cli --acp',
    '/usr/local/bin/npx pkg',
    String.raw`C:\nodejs\NPX.CMD pkg`,
    'npx@11 pkg',
    'node /usr/lib/node_modules/npm/bin/npx-cli.js pkg',
    'node /usr/lib/node_modules/npm/bin/npm-cli.js --yes exec -- pkg',
    'npm exec --yes -- pkg',
    'npm --silent x pkg',
    'pnpm dlx pkg',
    'pnpm --silent dlx pkg',
    'pnpx pkg',
    'yarn dlx pkg',
    'corepack pnpm@10 dlx pkg',
    'bunx pkg',
    'bun x pkg',
    'uvx pkg',
    'uv tool run pkg',
    'pipx run pkg',
    'deno run npm:pkg',
    'cmd /c npx pkg',
    'env A=1 npx pkg',
    'mise exec node@22 -- npx pkg',
  ];
  for (const line of runners) {
    it(`is neutral for the package runner in: ${line}`, () => {
      const [command = '', ...args] = line.split(' ');
      assert.ok(usesPackageRunner(command, args));
    });
  }

  it('is neutral for a package runner in a command line or after a path with spaces', () => {
    assert.ok(usesPackageRunner('sh', ['-c', 'cd /;npx pkg']));
    assert.ok(usesPackageRunner(String.raw`C:\Program Files\nodejs\npx.cmd`, ['pkg']));
  });

  it('treats no other program as a package runner', () => {
    assert.ok(!usesPackageRunner('gemini', ['--acp']));
    assert.ok(!usesPackageRunner('/opt/npx-tools/agent', []));
    assert.ok(!usesPackageRunner('node', ['agent.js']));
    assert.ok(!usesPackageRunner('npm', ['run', 'agent']));
    assert.ok(!usesPackageRunner('uv', ['run', 'agent.py']));
    assert.ok(!usesPackageRunner('constructor', ['x']));
  });
});

describe('an agent in a hostile workspace', () => {
  const folder = temporaryFolder();
  const [workspace, agentPackage, home, neutral] = ['workspace', 'agent', 'home', 'neutral'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const proof = join(folder, 'proof');
  const env = {
    HOME: home,
    npm_config_cache: join(home, '.npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };

  function program(path: string, text: string): void {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  }

  before(function () {
    if (process.platform === 'win32') this.skip();
    const hostile = `echo "$0" >> '${proof}'; exit 7`;
    const taken = join(workspace, 'node_modules', 'sample-agent');
    for (const path of [taken, join(workspace, 'node_modules', '.bin'), join(workspace, 'bin'), agentPackage, home]) {
      mkdirSync(path, { recursive: true });
    }
    const manifest = JSON.stringify({ name: 'sample-agent', version: '1.0.0', bin: { 'sample-agent': 'agent.sh' } });
    for (const path of [taken, agentPackage]) writeFileSync(join(path, 'package.json'), manifest);
    writeFileSync(join(workspace, 'package.json'), '{ "name": "workspace", "version": "1.0.0" }');
    program(join(taken, 'agent.sh'), hostile);
    program(join(workspace, 'node_modules', '.bin', 'sample-agent'), hostile);
    program(join(workspace, 'shell.sh'), hostile);
    program(join(workspace, 'bin', 'sample-agent'), hostile);
    writeFileSync(join(workspace, '.npmrc'), `script-shell=${join(workspace, 'shell.sh')}\n`);
    program(join(agentPackage, 'agent.sh'), `exec '${process.execPath}' '${fakeAgentPath()}'`);
  });
  beforeEach(() => rmSync(proof, { force: true }));

  function connect(part: Partial<AgentDefinition>, isTrusted: boolean): AgentConnection {
    return new AgentConnection({
      definition: { ...fakeAgent(), ...part, env: { ELECTRON_RUN_AS_NODE: '1', ...env, ...part.env } },
      cwd: workspace,
      startFolders: {
        neutral: () => makeNeutralFolder(neutral),
        isTrusted: () => isTrusted,
        isInWorkspace: (path) => Promise.resolve(path.startsWith(workspace)),
      },
      clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
      features: [],
      log: nullLogger,
      onUpdate: () => undefined,
    });
  }

  /** Starts the agent; it may fail, as long as no program of the workspace ran. */
  async function started(part: Partial<AgentDefinition>, isTrusted: boolean): Promise<boolean> {
    const connection = connect(part, isTrusted);
    const isStarted = await connection.start().then(
      () => true,
      () => false,
    );
    await connection.stop();
    connection.dispose();
    return isStarted;
  }

  it('would run programs of the workspace if npx started there', () => {
    const run = (args: readonly string[]): void => {
      rmSync(proof, { force: true });
      spawnSync('npx', args, { cwd: workspace, env: { ...process.env, ...env } });
      assert.ok(existsSync(proof), `npx ${args.join(' ')}`);
    };
    run(['--yes', 'sample-agent@1.0.0']);
    run(['--yes', agentPackage]);
  });

  for (const isTrusted of [false, true]) {
    it(`does not run npx programs of node_modules (${isTrusted ? 'with' : 'without'} trust)`, async () => {
      await started({ command: 'npx', args: ['--yes', 'sample-agent@1.0.0'] }, isTrusted);
      assert.ok(!existsSync(proof));
    });

    it(`is not affected by .npmrc (${isTrusted ? 'with' : 'without'} trust)`, async () => {
      assert.ok(await started({ command: 'npx', args: ['--yes', agentPackage] }, isTrusted));
      assert.ok(!existsSync(proof));
    });

    it(`is not found by a relative PATH (${isTrusted ? 'with' : 'without'} trust)`, async () => {
      const PATH = `bin::${process.env['PATH']}`;
      await started({ command: 'sample-agent', args: [], env: { PATH }, cwd: workspace }, isTrusted);
      assert.ok(!existsSync(proof));
    });
  }

  it('is not found by an absolute PATH without trust', async () => {
    const PATH = `${join(workspace, 'bin')}:${process.env['PATH']}`;
    await started({ command: 'sample-agent', args: [], env: { PATH } }, false);
    assert.ok(!existsSync(proof));
    await started({ command: 'sample-agent', args: [], env: { PATH } }, true);
    assert.ok(existsSync(proof), 'with trust the PATH of the entry counts');
  });
});
