import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import { nullLogger } from '../../../../src/base/logger';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import { KeyValueFiles } from '../../../../src/node/fs/keyValueFiles';
import { onDidLoseData } from '../../../../src/node/fs/storedFile';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { TestClock } from '../../../kit/testClock';
import { HandServer } from './testServers';
import { holds, MemoryValues, PersonBench } from './userServersBench';

describe('the cache of server definitions', function () {
  let bench: PersonBench;
  let hand: HandServer;
  let url: string;
  let kept: MemoryValues;
  let clock: TestClock;

  beforeEach(async () => {
    bench = new PersonBench();
    hand = new HandServer();
    url = await hand.open();
    kept = new MemoryValues();
    clock = new TestClock();
  });
  afterEach(() => {
    bench.dispose();
    hand.close();
  });

  const serve = (): UserServer => bench.serve({ type: 'http', url, headers: {} }, { kept, clock });
  async function ready(server = serve()): Promise<UserServer> {
    await server.prepare(true);
    await holds(server, () => server.state === 'ready');
    return server;
  }
  const names = (server: UserServer): readonly string[] => server.tools.map(({ name }) => name);

  it('replaces list requests for the same server version, until it expires or is refreshed', async () => {
    await ready();
    assert.equal(hand.count('tools/list'), 1);
    const second = await ready();
    assert.deepEqual([names(second), hand.count('tools/list')], [['add'], 1]);
    await clock.pass(10 * 60_000);
    const third = await ready();
    assert.equal(hand.count('tools/list'), 2);
    await third.refresh();
    assert.equal(hand.count('tools/list'), 3);
    hand.version = '1.0.1';
    await ready();
    assert.equal(hand.count('tools/list'), 4);
  });

  it('uses the time to live that the server sends', async () => {
    hand.answers['tools/list'] = () => ({ tools: hand.tools, ttlMs: 1_000 });
    await ready();
    await clock.pass(999);
    await ready();
    assert.equal(hand.count('tools/list'), 1);
    await clock.pass(1);
    await ready();
    assert.equal(hand.count('tools/list'), 2);
  });

  it('is renewed over an open connection when a chat is opened after its expiry', async () => {
    const server = await ready();
    await clock.pass(10 * 60_000);
    hand.tools = [...hand.tools, { name: 'new', inputSchema: { type: 'object' } }];
    await server.prepare(true);
    await holds(server, () => server.heldBack.list().some(({ name }) => name === 'new'));
  });

  it('offers cached tools while the server is starting; calls wait for it', async () => {
    await ready();
    const gate = createDeferred<void>();
    const { initialize } = hand.answers;
    hand.answers['initialize'] = async (params) => {
      await gate.promise;
      return initialize?.(params);
    };
    const server = serve();
    await server.prepare(true);
    assert.equal(server.state, 'connecting');
    assert.deepEqual(names(server), ['add']);
    assert.equal(server.unavailableReason(stubOf<SessionHandle>({ state: {} })), undefined);
    const called = bench.call(server, 'add');
    assert.equal(hand.count('tools/call'), 0);
    gate.resolve();
    assert.equal((await called).text, 'called add');
  });

  it('makes no call that was canceled while the server was starting', async () => {
    await ready();
    const gate = createDeferred<void>();
    const { initialize } = hand.answers;
    hand.answers['initialize'] = async (params) => {
      await gate.promise;
      return initialize?.(params);
    };
    const server = serve();
    await server.prepare(true);
    const abort = new AbortController();
    const called = server.tools[0]!.call({}, bench.context(abort.signal));
    abort.abort();
    gate.resolve();
    await assert.rejects(called);
    assert.equal(hand.count('tools/call'), 0);
  });

  it('offers nothing of a server that cannot be reached, with the reason', async () => {
    await ready();
    hand.answers['initialize'] = () => {
      throw new Error('unreachable');
    };
    hand.close();
    const server = serve();
    await server.prepare(true);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000]) {
      await holds(server, () => server.state?.includes(`retrying in ${pause / 1_000} s`) === true);
      assert.equal(server.unavailableReason(stubOf<SessionHandle>({ state: {} })), undefined, 'it may come back');
      await clock.pass(pause);
    }
    await holds(server, () => /^failed: (?!.*retrying in)/.test(server.state ?? ''));
    assert.match(server.unavailableReason(stubOf<SessionHandle>({ state: {} })) ?? '', /^failed: /);
    assert.deepEqual(names(server), ['add'], 'the panel still knows its tools');
  });

  it('stores nothing of a server under the name of its replacement', async () => {
    const [asked, gate] = [createDeferred<void>(), createDeferred<void>()];
    const list = hand.answers['tools/list'];
    hand.answers['tools/list'] = async (params) => {
      asked.resolve();
      await gate.promise;
      return list?.(params);
    };
    const server = serve();
    void server.prepare(true);
    await asked.promise;
    const next = { ...server.definition, start: { type: 'http', url: `${url}?next`, headers: {} } } as const;
    await server.redefine(next);
    gate.resolve();
    await ready();
    const listings = [...kept.kept.keys()].filter((key) => key.startsWith('listing:'));
    assert.deepEqual([listings.length, listings.some((key) => key.includes('?next'))], [1, false]);
  });

  it('is stored in one file for each server, and ignores damaged files', async () => {
    const folder = temporaryFolder();
    const losses: string[] = [];
    const subscription = onDidLoseData(({ lost }) => losses.push(lost));
    const log = nullLogger;
    const first = new KeyValueFiles(join(folder, 'mcp'), log);
    await first.load('a');
    assert.equal(first.get('a'), undefined);
    await Promise.all([first.update('a', { n: 1 }), first.update('a', { n: 2 }), first.update('b', {})]);
    const second = new KeyValueFiles(join(folder, 'mcp'), log);
    await second.load('a');
    assert.deepEqual(second.get('a'), { n: 2 });
    await first.update('b', undefined);
    const files = await readdir(join(folder, 'mcp'));
    assert.equal(files.length, 1);
    await writeFile(join(folder, 'mcp', files[0]!), '{"n":');
    await second.load('a');
    assert.equal(second.get('a'), null, 'it had a value');
    await second.load('a');
    subscription.dispose();
    assert.deepEqual([second.get('a'), losses], [null, ['what you accepted of an MCP server']]);
    await rm(folder, { recursive: true });
  });

  it('is not treated as missing while it cannot be read', async function () {
    // Windows reserves links for administrators.
    if (process.platform === 'win32') this.skip();
    const folder = temporaryFolder();
    try {
      const first = new KeyValueFiles(folder, nullLogger);
      await first.update('a', 1);
      const path = join(folder, (await readdir(folder))[0]!);
      await rm(path);
      // A link to itself cannot be opened by any user.
      await symlink(path, path);
      const second = new KeyValueFiles(folder, nullLogger);
      await assert.rejects(second.load('a'), { code: 'ELOOP' });
      await rm(path);
      await second.load('a');
      assert.equal(second.get('a'), undefined);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('stays valid, with its pins, if only its time cannot be written', async () => {
    const folder = temporaryFolder();
    try {
      await new KeyValueFiles(folder, nullLogger).update('a', { n: 1 });
      const [file] = await readdir(folder);
      let isGoing = false;
      const values = new KeyValueFiles(folder, nullLogger, () => {
        if (isGoing) rmSync(join(folder, file!));
        return Date.now();
      });
      await values.load('b');
      isGoing = true;
      await values.load('a');
      assert.deepEqual([values.get('a'), await readdir(folder)], [{ n: 1 }, []]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is deleted, with its pins, after half a year without use in any window', async () => {
    const folder = temporaryFolder();
    try {
      const at = (days: number): KeyValueFiles =>
        new KeyValueFiles(folder, nullLogger, () => Date.now() + days * 86_400_000);
      await at(0).update('used', { n: 1 });
      await at(0).update('gone', { n: 2 });
      await writeFile(join(folder, 'x.json.123'), 'half a file');
      const later = at(100);
      await later.load('used');
      assert.deepEqual([later.get('used'), (await readdir(folder)).length], [{ n: 1 }, 2]);
      // A third look believes the clock.
      await at(200).load('used');
      const last = at(300);
      await Promise.all(['used', 'gone'].map((key) => last.load(key)));
      assert.deepEqual([last.get('used'), last.get('gone'), (await readdir(folder)).length], [{ n: 1 }, undefined, 1]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
