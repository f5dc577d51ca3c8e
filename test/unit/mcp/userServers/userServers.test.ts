import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ServerDefinition, ServerLaunch } from '../../../../src/mcp/userServers/config/serverDefinition';
import { serverContent } from '../../../../src/mcp/userServers/config/serverDefinition';
import { becomes } from '../../../kit/waiting';
import { sampleServer } from '../sample';
import { define, SessionsBench, theirs } from './sessionsBench';
import { HandServer, httpServer, node, realServer } from './testServers';

describe('user servers', function () {
  let bench: SessionsBench;
  beforeEach(() => {
    bench = new SessionsBench();
  });
  afterEach(() => bench.dispose());

  it('are declared unchanged, with the full path of their command', async () => {
    bench.define(
      define('one', { type: 'stdio', command: 'node', args: ['-v'], env: { A: 'b' } }),
      define('web', { type: 'http', url: 'https://example.com/mcp', headers: { X: 'y' } }),
      define('gone', { type: 'stdio', command: 'no-such-program-here', args: [], env: {} }),
    );
    const [one, web, ...others] = await bench.declare({ http: true });
    assert.deepEqual(others, []);
    assert.match(String(one?.['command']), /^\/.*\/node$/);
    assert.deepEqual(
      { ...one, command: '' },
      { name: 'one', command: '', args: ['-v'], env: [{ name: 'A', value: 'b' }] },
    );
    assert.deepEqual(web, {
      type: 'http',
      name: 'web',
      url: 'https://example.com/mcp',
      headers: [{ name: 'X', value: 'y' }],
    });
    assert.match(bench.person.stateOf('gone') ?? '', /was not found/);
    assert.deepEqual(bench.person.unknown(), ['one', 'web', 'gone']);
  });

  it('go through Parley if the agent does not support the transport, or a rule names their tools', async () => {
    const web = await httpServer();
    bench.define(define('web', { type: 'http', url: web.url, headers: {} }));
    assert.deepEqual(
      (await bench.declare()).map(({ type, name }) => [type, name]),
      [['acp', 'web']],
    );
    assert.equal((await bench.declare({ http: true }))[0]?.['type'], 'http');
    bench.permissions = ['web__add'];
    assert.equal((await bench.declare({ http: true }))[0]?.['type'], 'acp');
    assert.equal(bench.person.stateOf('web'), 'ready');
    bench.mode = 'never';
    assert.equal((await bench.declare({ http: true }))[0]?.['type'], 'http');
    assert.deepEqual(await bench.declare(), []);
    web.close();
  });

  it('are not given to an agent that reads their file itself', async () => {
    const start = { type: 'stdio', command: 'node', args: ['-v'], env: {} } as const;
    const folder = process.cwd();
    const inFile = (name: string, file: string, at?: string): ServerDefinition => {
      const origin = { id: `${file}:${at}`, label: file, isOfWorkspace: false, file, ...(at && { folder: at }) };
      return { ...define(name, start), origin };
    };
    bench.define(
      inFile('own', '.mcp.json', folder),
      inFile('above', '.mcp.json', dirname(folder)),
      inFile('elsewhere', '.mcp.json', join(folder, 'sub')),
      inFile('editor', '.vscode/mcp.json', folder),
      inFile('copilot', 'mcp-config.json'),
    );
    const declaredTo = async (...ownMcpFiles: string[]): Promise<unknown> => {
      const transports = { capabilities: {}, isRemote: false, ownMcpFiles };
      await bench.person.prepare(bench.session, transports);
      return bench.servers.list().flatMap((one) => (bench.person.declaration(bench.session, one) ? [one.name] : []));
    };
    assert.deepEqual(await declaredTo(), ['own', 'above', 'elsewhere', 'editor', 'copilot']);
    assert.deepEqual(await declaredTo('.mcp.json'), ['elsewhere', 'editor', 'copilot']);
    assert.equal(
      bench.servers.get('own')?.server.unavailableReason?.(bench.session),
      'the agent itself reads this server from .mcp.json',
    );
    assert.deepEqual(await declaredTo('mcp-config.json'), ['own', 'above', 'elsewhere', 'editor']);
  });

  it('keep the tools back that their entry excludes, and take its time limit and a change of both', async () => {
    const hand = new HandServer();
    hand.tools = ['a', 'b', 'c'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const web = define('web', { type: 'http', url: await hand.open(), headers: {} });
    const state = (): unknown =>
      bench.servers
        .get('web')
        ?.server.tools.map(({ name, isExcluded = false, timeout }) => [name, isExcluded, timeout]);
    try {
      bench.define({ ...web, tools: { include: ['a', 'b'], exclude: ['b'], trusted: ['a', '*'], timeout: 5_000 } });
      await bench.declare({ http: true });
      const limit = 5_000;
      await becomes(state, [
        ['a', false, limit],
        ['b', true, limit],
        ['c', true, limit],
      ]);
      assert.deepEqual(await bench.person.trustedTools(), ['web__a', 'web__*']);
      bench.mode = 'always';
      bench.define({ ...web, tools: { exclude: ['c'], trusted: [] } });
      const usual = 600_000;
      await becomes(state, [
        ['a', false, usual],
        ['b', false, usual],
        ['c', true, usual],
      ]);
    } finally {
      hand.close();
    }
  });

  it('are outdated for a directly connected agent after a switch, rule or definition disallows that', async () => {
    const one = define('one', { type: 'stdio', command: 'node', args: ['-v'], env: {} });
    const outdated = (): readonly string[] => bench.hostedServers.findOutdated(bench.session);
    bench.define(one);
    await bench.declare();
    assert.deepEqual(outdated(), []);
    const { rules } = bench;
    for (const changed of [{ toolsOff: new Set(['one__secret']) }, { deny: ['*__secret'] }, { allow: [['one__a']] }]) {
      bench.rules = { ...rules, ...changed };
      assert.deepEqual(outdated(), ['one']);
      bench.rules = rules;
      assert.deepEqual(outdated(), []);
    }
    bench.permissions = ['one__secret'];
    assert.deepEqual(outdated(), ['one']);
    bench.permissions = [];
    bench.define({ ...one, start: { type: 'stdio', command: 'node', args: ['-p', '1'], env: {} } });
    assert.deepEqual(outdated(), ['one']);
    await bench.declare();
    assert.deepEqual(outdated(), []);
    bench.define();
    assert.deepEqual(outdated(), ['one']);
    await bench.hostedServers.close(bench.session.id);
    assert.deepEqual(outdated(), []);
  });

  it('run in the folder that defines them, or in the folder of the first session that needs them', async () => {
    const base = await realpath(await mkdtemp(join('out', 'parley-servers-')));
    const [first, second] = [join(base, 'first'), join(base, 'second')];
    for (const folder of [first, second]) await mkdir(join(folder, 'below'), { recursive: true });
    bench.folders = [first, second];
    bench.mode = 'always';
    /** Records its working directory. */
    const telling = (name: string): ServerLaunch => {
      const start = realServer({ OUT: join(base, name) });
      const script = `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.OUT, process.cwd()); ${start.args.at(-1)}`;
      return { ...start, args: [...start.args.slice(0, -1), script] };
    };
    const ofFolder = define('folder', telling('folder'), { ...theirs, folder: first });
    bench.allowed.add(serverContent(ofFolder));
    bench.define(define('mine', telling('mine')), ofFolder);
    const session = bench.sessionIn('s2', join(second, 'below'));
    const declared = await bench.declare({}, session);
    assert.deepEqual(
      declared.map(({ name }) => name),
      ['mine', 'folder'],
    );
    assert.equal(await readFile(join(base, 'mine'), 'utf8'), second);
    assert.equal(await readFile(join(base, 'folder'), 'utf8'), first);
    await bench.person.shutdown();
    await rm(base, { recursive: true, force: true });
  });

  it('never prevent a session from opening', async () => {
    bench.mode = 'always';
    bench.define(define('mute', node('process.stdin.resume()')), define('real', realServer()));
    const declared = bench.declare();
    await bench.connected('real');
    bench.clock.expire();
    assert.deepEqual(
      (await declared).map(({ name }) => name),
      ['real'],
    );
    assert.match(bench.person.stateOf('mute') ?? '', /^connecting: no answer yet\./);
  });

  it('of a workspace require approval, and again after every change', async () => {
    const start: ServerLaunch = { type: 'stdio', command: 'node', args: ['a'], env: {} };
    const changed: ServerLaunch = { ...start, args: ['b'] };
    bench.define(define('ws', start, theirs));
    assert.deepEqual(await bench.declare(), []);
    assert.deepEqual(bench.asked, ['ws']);
    bench.allowed.add(serverContent(define('ws', start, theirs)));
    assert.equal((await bench.declare()).length, 1);
    bench.define(define('ws', changed, theirs));
    assert.deepEqual(await bench.declare(), []);
    assert.deepEqual([...new Set(bench.asked)], ['ws']);
    assert.ok(bench.asked.length >= 2);
  });

  it('require no approval in an untrusted workspace, or while they are disabled', async () => {
    bench.rules = { ...bench.rules, isTrusted: false };
    bench.define(define('ws', realServer(), theirs));
    await bench.declare();
    bench.rules = { ...bench.rules, isTrusted: true, isOn: () => false };
    await bench.declare();
    assert.deepEqual(bench.asked, []);
  });

  it('are not prepared for a closed session', async () => {
    bench.define(define('own', { type: 'stdio', command: 'node', args: [], env: {} }));
    await bench.declare();
    bench.define(define('first', realServer(), theirs));
    await bench.person.refresh();
    assert.deepEqual([...new Set(bench.asked.splice(0))], ['first']);
    await bench.hostedServers.close('s1');
    bench.define(define('second', realServer(), theirs));
    await bench.person.refresh();
    assert.deepEqual(bench.asked, []);
  });

  it('get their names before workspace servers, whenever they are added', () => {
    bench.servers.add(sampleServer('problems').server, 'builtIn');
    bench.define(define('gh', realServer(), theirs));
    assert.deepEqual(bench.names, ['problems', 'gh']);
    bench.define(define('problems', realServer()), define('gh', realServer()), define('gh', realServer(), theirs));
    assert.deepEqual(bench.names, ['problems', 'problems-2', 'gh', 'gh-2']);
    const places = bench.servers.list().map(({ server }) => server.description);
    assert.deepEqual(places.slice(2), ['Defined in your settings', 'Defined in .vscode/mcp.json']);
    bench.define();
    assert.deepEqual(bench.names, ['problems']);
  });
});
