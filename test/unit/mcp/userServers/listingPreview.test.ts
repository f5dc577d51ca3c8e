import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../../../src/base/lifecycle';
import type { StdioStart } from '../../../../src/mcp/userServers/config/serverDefinition';
import { serverContent } from '../../../../src/mcp/userServers/config/serverDefinition';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { until, untilEvent } from '../../../kit/waiting';
import { define, SessionsBench, theirs } from './sessionsBench';
import { node, realServer } from './testServers';

describe('user servers in an open Tools panel before the first chat uses them', () => {
  let bench: SessionsBench;
  beforeEach(() => {
    bench = new SessionsBench();
  });
  afterEach(() => bench.dispose());
  const looks = (condition: () => boolean): Promise<void> => untilEvent(bench.gate.changed.event, condition);
  const toolsOf = (name: string): readonly string[] | undefined =>
    bench.servers.get(name)?.server.preview?.tools.map((tool) => tool.name);
  let lease: Disposable | undefined;
  let scratch: string;

  beforeEach(() => (scratch = temporaryFolder()));

  afterEach(() => {
    lease?.dispose();
  });

  it('are listed with tools and resources over a temporary connection, without offering them to agents', async () => {
    const { pids, start } = await tellsItsPid(scratch);
    bench.define(define('real', start));
    assert.equal(toolsOf('real'), undefined);
    lease = bench.person.view(bench.session);
    await looks(() => toolsOf('real') !== undefined && bench.person.stateOf('real') === undefined);
    assert.deepEqual(toolsOf('real')?.slice(0, 2), ['echo', 'meta']);
    assert.deepEqual(
      bench.servers.get('real')?.server.preview?.resources.map(({ uri }) => uri),
      ['note://one'],
    );
    assert.deepEqual(bench.servers.get('real')?.server.tools, []);
    const [pid] = await pids();
    assert.throws(() => process.kill(Number(pid), 0), /ESRCH/);
    bench.person.view(bench.session).dispose();
    assert.equal((await pids()).length, 1);
  });

  it('start nothing in an untrusted workspace, or when they are disabled', async () => {
    const { pids, start } = await tellsItsPid(scratch);
    bench.rules = { isTrusted: false, isOn: () => true, deny: [], allow: [] };
    bench.define(define('real', start));
    lease = bench.person.view(bench.session);
    bench.rules = { isTrusted: true, isOn: () => false, deny: [], allow: [] };
    bench.rulesChanged.fire();
    await bench.person.refresh();
    assert.deepEqual(await pids(), []);
    bench.rules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };
    bench.rulesChanged.fire();
    await looks(() => toolsOf('real') !== undefined);
  });

  it('request no input: the row says what is needed, and Set Up requests it', async () => {
    const secret = { ...define('secret', realServer()), inputs: new Map([['key', { isSecret: true }]]) };
    bench.define(define('mine', realServer(), theirs), secret);
    lease = bench.person.view(bench.session);
    await looks(() => ['mine', 'secret'].every((name) => bench.person.stateOf(name) !== undefined));
    assert.equal(bench.person.stateOf('mine'), 'review what the server runs first');
    assert.equal(bench.person.stateOf('secret'), 'input required');
    assert.deepEqual(bench.asked, []);
    assert.ok(bench.person.all.every((server) => server.needsSetup));
    bench.allowed.add(serverContent(define('mine', realServer(), theirs)));
    await bench.person.setUp('mine');
    await looks(() => toolsOf('mine') !== undefined);
    await bench.person.setUp('secret');
    assert.match(bench.person.stateOf('secret') ?? '', /was not provided/);
  });

  it('show in their row why they have no list, and end when the panel is closed', async () => {
    const dies = node('process.stderr.write("no key\\n"); process.exit(2);');
    const { pids, start } = await tellsItsPid(scratch, 'setInterval(() => undefined, 1000);');
    bench.define(define('dies', dies), define('hangs', start));
    lease = bench.person.view(bench.session);
    await looks(() => bench.person.stateOf('dies')?.startsWith('failed: ') === true);
    assert.match(bench.person.stateOf('dies') ?? '', /no key/);
    assert.equal(bench.person.stateOf('hangs'), 'connecting');
    let running: readonly string[] = [];
    await until(async () => (running = await pids()).length > 0);
    lease.dispose();
    await bench.person.shutdown();
    assert.throws(() => process.kill(Number(running[0]), 0), /ESRCH/);
  });
});

/** The real server, or another script; it writes its process id to a file when it starts. */
async function tellsItsPid(
  folder: string,
  script?: string,
): Promise<{
  readonly pids: () => Promise<readonly string[]>;
  readonly start: StdioStart;
}> {
  const file = join(folder, 'pids');
  const start = script === undefined ? realServer() : node(script);
  const [type = '', flag = '', code = ''] = start.args;
  const note = `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(file)}, process.pid + '\\n');`;
  const pids = async (): Promise<readonly string[]> => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean);
  };
  return { pids, start: { ...start, args: [type, flag, note + code] } };
}
