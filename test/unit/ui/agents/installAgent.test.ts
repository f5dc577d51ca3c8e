import { answers, asked, resetAsked } from '../permissions/askStub';
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { InstallAgent } from '../../../../src/ui/agents/installAgent';
import { RegistryUrl } from '../../../../src/ui/registryUrl';
import { WorkspaceApprovals } from '../../../../src/ui/trust/workspaceApprovals';
import type { Agents } from '../../../../src/ui/window';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';
import { InstallsBench, WebServer, binaryEntry, file, sha256, tgz } from '../../agent/registry/installsBench';

describe('ui/agents/installAgent', () => {
  let web: WebServer;
  let bench: InstallsBench;
  let calls: string[];

  beforeEach(async () => {
    resetAsked();
    calls = [];
    web = await WebServer.start();
    bench = new InstallsBench(web.url('/registry.json'));
  });
  afterEach(async () => {
    bench.dispose();
    await web.stop();
  });

  const command = (installs = bench.installs) =>
    new InstallAgent(
      stubOf<Agents>({
        installs,
        registry: { confirmUrl: () => Promise.resolve('https://registry.test/') },
        pool: { stop: async (name) => void calls.push(`stop ${name}`) },
      }),
      { ...nullLogger, show: () => void calls.push('log') },
      async (name) => void calls.push(`use ${name}`),
    );
  async function publish(version: string, more: Record<string, unknown> = {}): Promise<void> {
    const archive = await tgz([file('bin/agent', version, 0o755)]);
    const address = web.file(`/${version}.tgz`, archive);
    const foreign = binaryEntry(address, {}, { id: 'other', name: 'Other', distribution: { binary: {} } });
    const agents = [binaryEntry(address, { sha256: sha256(archive), ...more }, { version }), foreign];
    web.file('/registry.json', JSON.stringify({ agents }));
    bench.now += 3_600_000;
  }
  const versions = (): (string | undefined)[] => bench.installs.listInstalled().map(({ version }) => version);

  it('lists available actions, shows the command completely, and installs only after approval', async () => {
    await publish('1.0.0');
    answers.push('Packed', undefined);
    await command().show();
    assert.deepEqual(asked[0], {
      kind: 'pick',
      rows: ['— ACP Registry', 'Packed (1.0.0 · binary)', 'Other (1.0.0 · not available for this platform)'],
    });
    assert.equal(asked[1]?.kind, 'modal');
    assert.match(asked[1].message, /^Install Packed\?/);
    assert.match(
      asked[1].detail,
      /Download: http.*1\.0\.0\.tgz\nSHA-256: [0-9a-f]{64}\n\nEach start runs:\nCommand: .*agent/,
    );
    assert.deepEqual(asked[1].buttons, ['Install']);
    assert.deepEqual(versions(), []);
    assert.equal(web.count('/1.0.0.tgz'), 0);
    answers.push('Packed', 'Install', 'Start Chat');
    await command().show();
    assert.deepEqual(versions(), ['1.0.0']);
    await answered();
    assert.deepEqual(calls, ['use packed']);
  });

  it('shows on the button that there is no checksum', async () => {
    await publish('1.0.0', { sha256: undefined });
    answers.push('Packed', undefined);
    await command().show();
    assert.deepEqual(asked[1]?.kind === 'modal' && asked[1].buttons, ['Install Without Checksum']);
  });

  it('updates and removes installed agents', async () => {
    await publish('1.0.0');
    answers.push('Packed', 'Install', undefined);
    await command().show();
    await publish('2.0.0');
    resetAsked();
    answers.push('Packed', 'Update to 2.0.0', 'Update', 'Restart Agent');
    await command().show();
    await answered();
    assert.deepEqual(asked[0]?.kind === 'pick' && asked[0].rows.slice(0, 2), [
      '— Installed',
      'Packed (2.0.0 · update available (installed: 1.0.0))',
    ]);
    assert.deepEqual([versions(), calls.splice(0)], [['2.0.0'], ['stop packed', 'use packed']]);
    answers.push('Packed', 'Remove', undefined);
    await command().show();
    assert.deepEqual(versions(), ['2.0.0']);
    answers.push('Packed', 'Remove', 'Remove');
    await command().show();
    assert.deepEqual([versions(), bench.files(), calls], [[], [], ['stop packed']]);
  });

  it('explains why an agent is unavailable for this machine, and shows errors', async () => {
    await publish('1.0.0', { sha256: 'f'.repeat(64) });
    answers.push('Other', undefined);
    await command().show();
    assert.match(lastMessage(), /Cannot install Other: .*no distribution.*Install the agent manually/);
    answers.push('Packed', 'Install', 'Show Log');
    await command().show();
    await answered();
    assert.match(lastMessage(), /does not match the registry\. Nothing was installed\./);
    assert.deepEqual(calls, ['log']);
  });

  it('offers a retry if the registry cannot be loaded; installed agents can still be managed', async () => {
    await bench.installs.add({ id: 'goose', title: 'goose', command: 'goose', args: ['acp'], path: '/opt/goose' });
    answers.push('$(warning) Could not reach the registry. Check your connection or proxy.', 'goose', 'Use in Chat');
    await command().show();
    assert.deepEqual(asked[0]?.kind === 'pick' && asked[0].rows, [
      '— Installed',
      'goose (found on PATH · added)',
      '— ACP Registry',
      '$(warning) Could not reach the registry. Check your connection or proxy. (Press Enter to retry)',
    ]);
    assert.deepEqual(calls, ['use goose']);
  });

  it('adds an agent found on PATH after its command line was shown', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = join(bench.folder, 'path');
    mkdirSync(folder);
    writeFileSync(join(folder, 'gemini'), '#!/bin/sh\n');
    chmodSync(join(folder, 'gemini'), 0o755);
    const looking = new InstallsBench(web.url('/registry.json'), { path: folder });
    await looking.installs.detect(false);
    answers.push(undefined);
    await command(looking.installs).add('gemini');
    assert.deepEqual(looking.installs.listInstalled(), []);
    answers.push('Add and Start');
    await command(looking.installs).add('gemini');
    assert.match(lastDetail(), new RegExp(`Command: ${folder}/gemini\nArguments: "--acp"`));
    assert.deepEqual([looking.installs.listInstalled().length, calls], [1, ['use gemini']]);
    looking.dispose();
  });

  function lastMessage(): string {
    const last = asked.at(-1);
    return last && 'message' in last ? last.message : '';
  }
  function lastDetail(): string {
    const last = asked.at(-1);
    return last && 'detail' in last ? last.detail : '';
  }
  /** The command does not wait for the effect of a toast's button. */
  const answered = (): Promise<void> => new Promise((done) => setImmediate(() => setImmediate(done)));
});

describe('ui/registryUrl', () => {
  const own = 'https://own.test/';
  beforeEach(resetAsked);

  it('is the user’s, unless they approved the workspace’s URL', async () => {
    let workspace: string | undefined;
    const address = new RegistryUrl(
      () => ({ userUrl: own, ...(workspace !== undefined && { workspaceUrl: workspace }) }),
      new WorkspaceApprovals(new MemoryMemento()),
    );
    assert.deepEqual([await address.confirmUrl(), asked.length], [own, 0]);
    workspace = 'https://theirs.test/';
    assert.equal(address.url, own);
    answers.push(undefined);
    assert.equal(await address.confirmUrl(), undefined);
    answers.push('Use Workspace URL');
    assert.equal(await address.confirmUrl(), workspace);
    assert.deepEqual([await address.confirmUrl(), asked.length], [workspace, 2]);
    workspace = 'https://theirs.test/other';
    assert.equal(address.url, own, 'changed by a few letters: asked again');
    answers.push('Use My URL');
    assert.equal(await address.confirmUrl(), own);
    assert.deepEqual([await address.confirmUrl(), asked.length], [own, 3]);
  });
});
