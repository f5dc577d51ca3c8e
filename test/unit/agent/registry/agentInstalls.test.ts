import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RegistryListing } from '../../../../src/agent/registry/agentInstalls';
import { describePlan } from '../../../../src/agent/registry/installPlan';
import { ParleyError } from '../../../../src/base/errors';
import { disallowedUrlReason } from '../../../../src/base/urlPolicy';
import { acquireLock } from '../../../../src/node/fs/fileLock';
import { InstallsBench, WebServer, binaryEntry, file, sha256, tgz } from './installsBench';

/** Fields of an entry's binary. */
type Change = Record<string, unknown>;

describe('registry: installing', () => {
  let web: WebServer;
  let bench: InstallsBench;
  const benches: InstallsBench[] = [];

  beforeEach(async () => {
    web = await WebServer.start();
  });
  afterEach(async () => {
    for (const each of benches.splice(0)) each.dispose();
    await web.stop();
  });

  const index = (...agents: unknown[]): string =>
    web.file('/registry.json', JSON.stringify({ version: '1.0.0', agents }));
  const open = (url: string, options: ConstructorParameters<typeof InstallsBench>[1] = {}): InstallsBench => {
    benches.push((bench = new InstallsBench(url, options)));
    return bench;
  };
  const offer = ({ offers }: RegistryListing, id = 'packed') => {
    const found = offers.find(({ agent }) => agent.id === id);
    assert(found, id);
    return found;
  };
  async function install(id = 'packed', options = {}) {
    const { agent, choice } = offer(await bench.installs.listing(), id);
    return bench.installs.install(await bench.installs.plan(agent, choice), options);
  }
  const packed = (text: string) => tgz([file('bin/agent', text, 0o755), file('lib/data.txt', 'data')]);

  /** A folder with malicious programs that must be found and not run. */
  function pathWith(folder: string, ...names: string[]): string {
    mkdirSync(folder, { recursive: true });
    for (const name of names) {
      writeFileSync(join(folder, name), `#!/bin/sh\ntouch ${join(folder, 'was-run')}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return folder;
  }

  describe('a binary', () => {
    it('is downloaded, checked, unpacked and listed with its command, but not run', async () => {
      const archive = await packed('#!/bin/sh\nexit 9\n');
      const address = web.file('/a.tar.gz', archive);
      open(index(binaryEntry(address, { sha256: sha256(archive).toUpperCase(), env: { MODE: 'acp' } })));
      const changes: number[] = [];
      bench.installs.onDidChange(() => changes.push(bench.installs.listInstalled().length));
      const progress: number[] = [];
      const installed = await install('packed', { onProgress: (bytes: number) => progress.push(bytes) });
      assert.deepEqual(bench.files(), ['packed/1.0.0/bin/agent', 'packed/1.0.0/lib/data.txt']);
      assert.equal(installed.sha256, sha256(archive));
      assert.equal(progress.at(-1), archive.length);
      assert.deepEqual(changes, [1]);
      const command = join(bench.agents, 'packed/1.0.0/bin/agent');
      assert.deepEqual(bench.installs.definitions(), [
        {
          name: 'packed',
          title: 'Packed',
          description: '1.0.0 from the ACP Registry',
          command,
          args: ['--acp'],
          env: { MODE: 'acp' },
          origin: 'registry',
        },
      ]);
      if (process.platform !== 'win32') assert.equal(statSync(command).mode & 0o111, 0o111);
      assert.equal(offer(await bench.installs.listing()).state, 'installed');
    });

    it('may be a single program without an archive', async () => {
      const address = web.file('/agent-linux', 'program');
      open(index(binaryEntry(address, { cmd: 'agent-linux' })));
      assert.match((await install()).command, /packed[\\/]1\.0\.0[\\/]agent-linux$/);
      assert.deepEqual(bench.files(), ['packed/1.0.0/agent-linux']);
    });

    it('stays unchanged until it is updated; the next update removes the previous version', async () => {
      const versions = ['1.0.0', '1.1.0', '1.2.0', '1.1.5'];
      open(web.url('/registry.json'));
      const states: string[] = [];
      for (const version of versions) {
        const address = web.file(`/${version}.tgz`, await packed(version));
        index(binaryEntry(address, {}, { version }));
        bench.now += 3_600_000;
        const { state } = offer(await bench.installs.listing());
        states.push(state);
        assert.equal(bench.installs.listInstalled()[0]?.version, versions[versions.indexOf(version) - 1]);
        if (state !== 'installed') await install();
      }
      assert.deepEqual(states, ['available', 'update', 'update', 'installed']);
      const folders = new Set(bench.files().map((path) => path.split('/')[1]));
      assert.deepEqual([...folders], ['1.1.0', '1.2.0']);
    });

    it('is replaced atomically when the same version is installed again', async () => {
      let text = 'first';
      web.on('/a.tgz', (_request, response) => void packed(text).then((bytes) => response.end(bytes)));
      open(index(binaryEntry(web.url('/a.tgz'))));
      const { command } = await install();
      text = 'second';
      await install();
      assert.equal(readFileSync(command, 'utf8'), 'second');
      web.file('/a.tgz', 'not an archive');
      await assert.rejects(install(), /Could not unpack the archive/);
      assert.equal(readFileSync(command, 'utf8'), 'second');
      assert.deepEqual(bench.files(), ['packed/1.0.0/bin/agent', 'packed/1.0.0/lib/data.txt']);
    });

    it('is installed though the clock jumps by days, and another window installs it meanwhile', async () => {
      let answer: (() => void) | undefined;
      const bytes = await packed('x');
      const asked = new Promise<void>((resolve) => {
        web.on('/a.tgz', (_request, response) => {
          answer = () => response.end(bytes);
          resolve();
        });
      });
      open(index(binaryEntry(web.url('/a.tgz'))));
      const slow = install();
      await asked;
      const home = join(bench.agents, 'packed');
      const drafts = readdirSync(home);
      assert.ok(drafts.length > 0);
      for (const draft of drafts) utimesSync(join(home, draft), 1e9, 1e9);
      web.file('/a.tgz', bytes);
      await install();
      assert.deepEqual(readdirSync(home), [...drafts, '1.0.0'].toSorted());
      answer?.();
      await slow;
      assert.deepEqual(readdirSync(home), ['1.0.0']);
    });

    it('leaves nothing of an installation that was killed', async () => {
      open(index(binaryEntry(web.file('/a.tgz', await packed('x')))));
      const draft = join(bench.agents, 'packed', '.new-dead');
      mkdirSync(join(draft, 'content'), { recursive: true });
      utimesSync(draft, 1e9, 1e9);
      await install();
      assert.deepEqual(readdirSync(join(bench.agents, 'packed')), ['1.0.0']);
    });

    it('is there after a kill between the two renames of a new installation of the same version', async () => {
      open(index(binaryEntry(web.file('/a.tgz', await packed('x')))));
      const { command } = await install();
      const home = join(bench.agents, 'packed');
      const drafts = ['.new-older', '.new-dead'];
      for (const draft of drafts) mkdirSync(join(home, draft, 'content'), { recursive: true });
      mkdirSync(join(home, '.new-older', 'old'));
      utimesSync(join(home, '.new-older'), 1e9, 1e9);
      renameSync(join(home, '1.0.0'), join(home, '.new-dead', 'old'));
      open(web.url('/registry.json'), { memory: bench.memory, folder: bench.agents });
      assert.equal(readFileSync(command, 'utf8'), 'x');
      assert.deepEqual(readdirSync(home), [...drafts, '1.0.0'].toSorted());
    });

    it('is left to the window that replaces it', async () => {
      open(index(binaryEntry(web.file('/a.tgz', await packed('x')))));
      await install();
      const home = join(bench.agents, 'packed');
      const lock = acquireLock(home, '.new-live');
      mkdirSync(join(home, '.new-live'));
      renameSync(join(home, '1.0.0'), join(home, '.new-live', 'old'));
      open(web.url('/registry.json'), { memory: bench.memory, folder: bench.agents });
      assert.ok(!readdirSync(home).includes('1.0.0'));
      lock?.dispose();
    });

    it('is removed with its files', async () => {
      open(index(binaryEntry(web.file('/a.tgz', await packed('x')))));
      await install();
      await bench.installs.remove('packed');
      assert.deepEqual([bench.files(), bench.installs.definitions()], [[], []]);
    });

    const failures: [string, (archive: Uint8Array) => Change | Promise<Change>, RegExp][] = [
      [
        'another checksum',
        () => ({ sha256: 'a'.repeat(64) }),
        /The checksum of the file from .*a\.tgz does not match the registry/,
      ],
      ['a program that is not in it', () => ({ cmd: './other' }), /does not contain the program ".\/other"/],
      ['a program that is a folder', () => ({ cmd: 'bin' }), /does not contain the program "bin"/],
      ['a program outside', () => ({ cmd: '../../agent' }), /the path of its program "..\/..\/agent" is not valid/],
      ['an address without https', () => ({ archive: 'http://example.org/a.tgz' }), /is not allowed; use https/],
      ['a local file as address', () => ({ archive: 'file:///etc/passwd' }), /is not allowed; use https/],
      [
        'a kind of archive that we cannot open',
        () => ({ archive: 'https://example.org/a.tar.xz' }),
        /cannot unpack \.tar\.xz files/,
      ],
      ['a missing file', () => ({ archive: web.url('/none.tgz') }), /the server responded with 404/],
      [
        'a redirect to another kind of address',
        () => {
          web.on('/r.tgz', (_request, response) => response.writeHead(302, { location: 'http://example.org/a' }).end());
          return { archive: web.url('/r.tgz') };
        },
        /http:\/\/example.org\/a is not allowed/,
      ],
      [
        'a redirect without end',
        () => {
          web.on('/r.tgz', (_request, response) => response.writeHead(302, { location: '/r.tgz' }).end());
          return { archive: web.url('/r.tgz') };
        },
        /redirected more than 5 times/,
      ],
      [
        'a download that breaks off',
        (archive) => {
          web.on('/t.tgz', (_request, response) => {
            response.writeHead(200, { 'content-length': archive.length });
            response.write(archive.subarray(0, 20), () => response.destroy());
          });
          return { archive: web.url('/t.tgz') };
        },
        /Could not load .*t\.tgz: /,
      ],
      [
        'something that leads outside',
        async () => ({ archive: web.file('/z.tgz', await tgz([file('bin/agent', 'x'), file('../../../evil', 'x')])) }),
        /its path is outside the archive/,
      ],
    ];
    for (const [what, change, message] of failures) {
      it(`with ${what} is not installed, and leaves no files behind`, async () => {
        const archive = await packed('x');
        open(index(binaryEntry(web.file('/a.tgz', archive), await change(archive))));
        await assert.rejects(
          install(),
          (error) => ParleyError.is(error) && message.test(error.message) && Boolean(error.nextStep),
        );
        assert.deepEqual(bench.files(), []);
        assert.deepEqual(bench.installs.listInstalled(), []);
      });
    }

    it('is canceled when it is too large, too slow, or by the user', async () => {
      web.on('/endless.tgz', (_request, response) => {
        const more = (): unknown => response.writable && response.write(Buffer.alloc(65_536), more);
        more();
      });
      web.on('/silent.tgz', (_request, response) => response.write('x'));
      open(index(binaryEntry(web.url('/endless.tgz')), binaryEntry(web.url('/silent.tgz'), {}, { id: 'silent' })));
      await assert.rejects(install('packed', { limit: 1_000_000 }), /larger than 1 MB/);
      await assert.rejects(install('silent', { patience: 50 }), /the server did not respond in time/);
      const abort = new AbortController();
      const given = install('packed', { signal: abort.signal, onProgress: () => abort.abort() });
      await assert.rejects(given, { name: 'AbortError' });
      assert.deepEqual(bench.files(), []);
    });

    it('follows a redirect', async () => {
      const archive = web.file('/real.tgz', await packed('x'));
      web.on('/a.tgz', (_request, response) => response.writeHead(301, { location: archive }).end());
      open(index(binaryEntry(web.url('/a.tgz'))));
      await install();
      assert.equal(bench.files().length, 2);
    });
  });

  describe('a package', () => {
    const npx = {
      id: 'pkg',
      name: 'Pkg',
      version: '2.0.0',
      distribution: { npx: { package: '@s/p', args: ['--acp'] } },
    };

    it('is only listed with its version; nothing is downloaded or run', async function () {
      if (process.platform === 'win32') this.skip();
      const url = index(npx);
      open(url);
      const path = pathWith(join(bench.folder, 'path'), 'npx', 'node');
      open(url, { path });
      const { agent, choice } = offer(await bench.installs.listing(), 'pkg');
      const plan = await bench.installs.plan(agent, choice);
      assert.deepEqual(plan.warnings, []);
      await bench.installs.install(plan);
      const [definition] = bench.installs.definitions();
      assert.deepEqual([definition?.command, ...(definition?.args ?? [])], ['npx', '--yes', '@s/p@2.0.0', '--acp']);
      assert.deepEqual(
        web.requests.map((request) => request.path),
        ['/registry.json'],
      );
      assert.throws(() => statSync(join(path, 'was-run')), /ENOENT/);
    });

    it('can be installed without its runner, with a warning', async () => {
      open(index(npx));
      const { agent, choice } = offer(await bench.installs.listing(), 'pkg');
      const { warnings } = await bench.installs.plan(agent, choice);
      assert.match(warnings.join(), /npx was not found on PATH\. Install Node\.js/);
    });

    it('shows a warning about an old Node after the installation, and no other warning', async function () {
      if (process.platform === 'win32') this.skip();
      const claude = {
        ...npx,
        id: 'claude-acp',
        distribution: { npx: { package: '@agentclientprotocol/claude-agent-acp' } },
      };
      const url = index(npx, claude);
      const first = open(url);
      const folder = join(first.folder, 'path');
      mkdirSync(folder, { recursive: true });
      const warning = async (id: string, version: string): Promise<string | undefined> => {
        writeFileSync(join(folder, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
        const installs = new InstallsBench(url, { path: folder });
        try {
          const { agent, choice } = offer(await installs.installs.listing(), id);
          const installed = await installs.installs.install(await installs.installs.plan(agent, choice));
          return await installs.installs.warning(installed);
        } finally {
          installs.dispose();
        }
      };
      assert.match(
        (await warning('claude-acp', 'v20.20.2')) ?? '',
        /requires Node\.js 22 or later, but .* is version v20\.20\.2/,
      );
      assert.equal(await warning('claude-acp', 'v22.1.0'), undefined);
      assert.equal(await warning('pkg', 'v20.0.0'), undefined);
      assert.match((await warning('pkg', 'v18.0.0')) ?? '', /requires Node\.js 20/);
      assert.equal(await warning('pkg', 'nonsense'), undefined);
    });
  });

  it('shows all steps before they are done', async () => {
    const address = web.url('/a.tgz');
    open(index(binaryEntry(address, { args: ['--acp', 'two words\u202e'], env: { A: 'b', PATH: '/x' } })));
    const { agent, choice } = offer(await bench.installs.listing());
    const plan = await bench.installs.plan(agent, choice);
    assert.deepEqual(describePlan(plan, 'https://registry').split('\n'), [
      '⚠ The registry provides no checksum for this download. Parley cannot verify that this is the file that the authors published.',
      '',
      'Version: 1.0.0',
      'License: MIT',
      'From: https://registry',
      `Download: ${address}`,
      'SHA-256: not specified',
      '',
      'Each start runs:',
      `Command: ${join(bench.agents, 'packed', '1.0.0', 'bin', 'agent')}`,
      'Arguments: "--acp" "two words\\u{202e}"',
      'Variables:',
      '  A=b',
      '  PATH=/x',
    ]);
  });

  it('explains why an agent is not available for this machine', async () => {
    open(index(binaryEntry('https://x/a.tgz')), { platform: ['win32', 'arm64'] });
    const { agent, choice, state } = offer(await bench.installs.listing());
    assert.equal(state, 'unavailable');
    await assert.rejects(
      bench.installs.plan(agent, choice),
      /available only for linux-x86_64; this machine is windows-aarch64/,
    );
  });

  describe('agents found on this machine', () => {
    it('are known agents with their paths; none of them is run', async function () {
      if (process.platform === 'win32') this.skip();
      open(index());
      const first = pathWith(join(bench.folder, 'one'), 'gemini', 'unknown');
      const second = pathWith(join(bench.folder, 'two'), 'gemini', 'opencode');
      writeFileSync(join(second, 'qwen'), 'not a program');
      mkdirSync(join(second, 'goose'));
      const url = web.url('/registry.json');
      const looking = new InstallsBench(url, { path: `relative:${first}::${second}` });
      let changes = 0;
      looking.installs.onDidChange(() => (changes += 1));
      await looking.installs.detect(false);
      await looking.installs.detect(false);
      const found = looking.installs.found();
      assert.deepEqual(
        found.map(({ id, path, args }) => [id, path, ...args].join(' ')),
        [`gemini ${join(first, 'gemini')} --acp`, `opencode ${join(second, 'opencode')} acp`],
      );
      assert.equal(changes, 1);
      await looking.installs.add(found[0]!);
      assert.deepEqual(
        looking.installs.found().map(({ id }) => id),
        ['opencode'],
      );
      const [definition] = looking.installs.definitions();
      assert.deepEqual(
        [definition?.name, definition?.command, definition?.origin],
        ['gemini', join(first, 'gemini'), 'path'],
      );
      for (const folder of [first, second]) assert.throws(() => statSync(join(folder, 'was-run')), /ENOENT/);
      looking.dispose();
    });
  });

  it('detects agents that another window has installed', async () => {
    open(index(binaryEntry(web.file('/a.tgz', await packed('x')))));
    let changes = 0;
    bench.installs.onDidChange(() => (changes += 1));
    await install();
    bench.installs.recheck();
    assert.equal(changes, 1, 'what this window did is told once');
    await bench.memory.update('parley.installedAgents', []);
    bench.installs.recheck();
    bench.installs.recheck();
    assert.equal(changes, 2);
  });

  it('keeps stored entries of another version of Parley, and uses only those it can read', async () => {
    open(index(binaryEntry(web.file('/a.tgz', await packed('x')))));
    const foreign = [
      { id: 'later', kind: 'container' },
      7,
      { id: '../x', title: 'x', from: 'path', command: 'x', args: [], env: {} },
    ];
    await bench.memory.update('parley.installedAgents', foreign);
    assert.deepEqual(bench.installs.definitions(), []);
    await install();
    assert.equal((bench.memory.get('parley.installedAgents') as unknown[]).length, 4);
  });
});

describe('registry: loading', () => {
  let web: WebServer;
  let bench: InstallsBench;
  const agents = [binaryEntry('https://x/a.tgz')];

  beforeEach(async () => {
    web = await WebServer.start();
    bench = new InstallsBench(web.url('/registry.json'));
  });
  afterEach(async () => {
    bench.dispose();
    await web.stop();
  });
  const later = (): unknown => (bench.now += 3_600_000);

  it('reloads the index after an interval, with a conditional request', async () => {
    web.on('/registry.json', (request, response) => {
      if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else response.setHeader('etag', '"one"').end(JSON.stringify({ agents }));
    });
    await bench.installs.listing();
    await bench.installs.listing();
    assert.equal(web.requests.length, 1);
    later();
    const { view } = await bench.installs.listing();
    assert.deepEqual([view.agents.length, view.at, view.offline], [1, bench.now, undefined]);
    assert.equal(web.requests[1]?.headers['if-none-match'], '"one"');
  });

  it('uses the stored index when offline, and reports that', async () => {
    web.file('/registry.json', JSON.stringify({ agents }));
    const { view: fresh } = await bench.installs.listing();
    await web.stop();
    later();
    const { view } = await bench.installs.listing();
    assert.deepEqual(view.agents, fresh.agents);
    assert.equal(view.at, fresh.at);
    assert.match(view.offline ?? '', /Could not load .*ECONNREFUSED/);
  });

  it('fails with a message if the stored index is missing or damaged', async () => {
    await assert.rejects(bench.installs.listing(), /the server responded with 404/);
    web.file('/registry.json', JSON.stringify({ agents }));
    await bench.installs.listing();
    const cache = join(bench.folder, 'registry.json');
    writeFileSync(cache, readFileSync(cache, 'utf8').replace('"Packed"', '"Pwned"'));
    await web.stop();
    await assert.rejects(bench.installs.listing(), /Could not load/);
  });

  it('ignores a stored index of another URL', async () => {
    web.file('/registry.json', JSON.stringify({ agents }));
    await bench.installs.listing();
    const cache = join(bench.folder, 'registry.json');
    const other = JSON.parse(readFileSync(cache, 'utf8')) as Record<string, unknown>;
    writeFileSync(cache, JSON.stringify({ ...other, url: 'https://elsewhere' }));
    await web.stop();
    await assert.rejects(bench.installs.listing(), /Could not load/);
  });

  it('does not replace the stored index by an invalid one', async () => {
    web.file('/registry.json', JSON.stringify({ agents }));
    await bench.installs.listing();
    web.file('/registry.json', '<html>Sign in to the hotel</html>');
    later();
    const { view } = await bench.installs.listing();
    assert.match(view.offline ?? '', /is not an ACP Registry index/);
    assert.equal(view.agents.length, 1);
  });

  it('logs skipped entries', async () => {
    web.file('/registry.json', JSON.stringify({ agents: [...agents, { id: 'broken' }] }));
    await bench.installs.listing();
    assert.ok(
      bench.lines.some((line) => /Skipped an entry of the registry: agent broken: "version" is missing/.test(line)),
      bench.lines.join('\n'),
    );
  });

  it('accepts only https URLs and loopback URLs', () => {
    for (const good of ['https://x/y', 'http://127.0.0.1:1/x', 'http://localhost/x', 'http://[::1]:1/x'])
      assert.equal(disallowedUrlReason(good), undefined);
    for (const bad of [
      'http://x/y',
      'ftp://x',
      'file:///x',
      'x',
      '',
      'http://127.0.0.1.evil.org/',
      'http://localhost.evil.org/',
      'https://me:pw@x/',
    ])
      assert.ok(disallowedUrlReason(bad), bad);
  });
});
