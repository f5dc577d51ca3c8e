import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import type { ServerSecrets } from '../../../../src/mcp/userServers/config/serverInputs';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { HandServer, node } from './testServers';
import { holds, noSecrets, ownPlace, PersonBench } from './userServersBench';

/** A server that reports its process id, then behaves as given. */
const program = (file: string, then: string): string => `
import { writeFileSync, renameSync } from 'node:fs';
writeFileSync(${JSON.stringify(`${file}.new`)}, String(process.pid));
renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});
process.stdin.on('data', (chunk) => {
  for (const line of String(chunk).split('\\n').filter(Boolean)) {
    const { id, method, params } = JSON.parse(line);
    const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    ${then}
  }
});`;

const INITIALIZE = `if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });`;

describe('the end of a user server', function () {
  let bench: PersonBench;
  let folder: string;

  beforeEach(() => {
    bench = new PersonBench();
    folder = temporaryFolder();
  });
  afterEach(() => {
    bench.dispose();
  });

  /** Its process, once it runs. */
  function pidIn(name: string): Promise<number> {
    const file = join(folder, name);
    return new Promise((resolve) => {
      const look = (): void => {
        if (!existsSync(file)) return;
        watcher.close();
        resolve(Number(readFileSync(file, 'utf8')));
      };
      const watcher = watch(folder, look);
      look();
    });
  }
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const start = (name: string, then: string) => node(program(join(folder, name), then));

  const never = "if (method === 'none') answer({});";
  for (const [when, then] of [
    ['says nothing', never],
    ['does not tell what it has', INITIALIZE],
  ] as const) {
    it(`is awaited and immediate while the server ${when}`, async () => {
      const server = bench.serve(start('pid', then));
      const prepared = server.prepare(true);
      const pid = await pidIn('pid');
      await server.shutdown();
      assert.equal(isAlive(pid), false);
      await prepared;
      assert.equal(server.state, 'not connected');
    });
  }

  it('is awaited also after a failed start of a server that does not exit by itself', async () => {
    const stays = `process.stdin.on('end', () => setInterval(() => {}, 1e6)); process.on('SIGTERM', () => {});
      if (method === 'initialize') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no database' } }) + '\\n');`;
    const server = bench.serve(start('pid', stays));
    const pid = pidIn('pid');
    await server.prepare(true);
    assert.match(server.state ?? '', /^failed: .*no database/);
    assert.equal(isAlive(await pid), true);
    await server.shutdown();
    assert.equal(isAlive(await pid), false);
  });

  it('cancels an open input request, and starts no further one after its approval', async () => {
    const consented = createDeferred<boolean>();
    const asked = createDeferred<AbortSignal>();
    let count = 0;
    const get: ServerSecrets['get'] = (_owner, _name, _form, signal) => {
      count += 1;
      asked.resolve(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
    };
    const waiting = (isOfWorkspace: boolean) => {
      const server = bench.serve(start('pid', never), {
        secrets: { ...noSecrets, get },
        consent: { isAllowed: () => false, confirm: () => consented.promise },
      });
      const place = { ...ownPlace, isOfWorkspace };
      const inputs = new Map([['key', { isSecret: true }]]);
      return {
        server,
        defined: server.redefine({ name: 'mine', start: start('pid', never), written: {}, inputs, origin: place }),
      };
    };
    const own = waiting(false);
    await own.defined;
    const ownPrepared = own.server.prepare(true);
    const signal = await asked.promise;
    own.server.dispose();
    await ownPrepared;
    assert.deepEqual([signal.aborted, count], [true, 1]);
    const foreign = waiting(true);
    await foreign.defined;
    const foreignPrepared = foreign.server.prepare(true);
    foreign.server.dispose();
    consented.resolve(true);
    await foreignPrepared;
    assert.equal(count, 1);
  });

  it('shows the question again when the user asks for it while its notification waits', async () => {
    const consented = createDeferred<boolean>();
    const repeats: boolean[] = [];
    const confirm = (_definition: unknown, isAgain: boolean): Promise<boolean> => {
      repeats.push(isAgain);
      if (isAgain) consented.resolve(true);
      return consented.promise;
    };
    const server = bench.serve(start('pid', never), { consent: { isAllowed: () => false, confirm } });
    const origin = { ...ownPlace, isOfWorkspace: true };
    await server.redefine({ name: 'mine', start: start('pid', never), written: {}, inputs: new Map(), origin });
    const prepared = server.prepare(false);
    assert.ok(server.needsSetup);
    await server.prepare(false, true);
    await prepared;
    assert.deepEqual([repeats, server.needsSetup], [[false, true], false]);
  });

  it('happens during the start, too, when its definition changes', async () => {
    const server = bench.serve(start('old', never));
    void server.prepare(true);
    const old = await pidIn('old');
    await server.redefine({
      name: 'mine',
      start: start('new', INITIALIZE),
      written: {},
      inputs: new Map(),
      origin: ownPlace,
    });
    assert.equal(isAlive(old), false);
  });

  it('is one failed attempt if it happens before the first list, and shows the end of stderr', async () => {
    const dies = `${INITIALIZE} if (method === 'tools/list') { process.stderr.write('no database\\n', () => process.exit(4)); }`;
    const server = bench.serve(start('pid', dies));
    const states: (string | undefined)[] = [];
    server.onDidChange(() => states.push(server.state));
    await server.prepare(true);
    assert.match(server.state ?? '', /^failed: the server exited \(code 4\) \(retrying in 1 s\)\nno database/);
    await holds(server, () => server.state === 'connecting');
    assert.equal(states.filter((state) => state?.startsWith('failed')).length, 1);
  });

  describe('cancels its requests', () => {
    let hand: HandServer;
    let server: UserServer;
    const open = createDeferred<void>();

    beforeEach(async () => {
      hand = new HandServer();
      server = bench.serve({ type: 'http', url: await hand.open(), headers: {} });
      await server.prepare(true);
      await holds(server, () => server.state === 'ready');
      bench.thinking = open.promise;
    });
    afterEach(() => hand.close());

    /** A running call, and its URL request. */
    async function asked(): Promise<{ readonly call: Promise<unknown>; readonly signal: AbortSignal }> {
      const came = createDeferred<AbortSignal>();
      const push = bench.asked.push.bind(bench.asked);
      bench.asked.push = (request) => {
        came.resolve(request.signal);
        return push(request);
      };
      hand.answers['tools/call'] ??= () => open.promise;
      const call = bench.call(server, 'add').catch((error: unknown) => error);
      return { call, signal: await came.promise };
    }
    const page = { mode: 'url', message: 'Open it', url: 'https://example.com/a', elicitationId: 'e1' };
    const gone = async (signal: AbortSignal): Promise<void> => {
      if (!signal.aborted) await once(signal, 'abort');
    };

    it('when the call ends without their answers', async () => {
      hand.answers['tools/call'] = async () => {
        void hand.ask('elicitation/create', page);
        await came;
        return { content: [] };
      };
      const question = asked();
      const came = question.then(() => undefined);
      const { call, signal } = await question;
      await call;
      assert.equal(signal.aborted, true);
    });

    it('when the server is removed from the settings', async () => {
      hand.answers['tools/call'] = () => {
        void hand.ask('elicitation/create', page);
        return open.promise;
      };
      const { signal } = await asked();
      assert.equal(signal.aborted, false);
      server.dispose();
      await gone(signal);
    });

    it('when the server required a page to be opened first', async () => {
      hand.refusal = { code: -32_042, message: 'open', data: { elicitations: [page] } };
      const { signal } = await asked();
      server.dispose();
      await gone(signal);
    });
  });
});
