import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import type { RequestHandler } from '../../../../src/agent/clientFeature';
import { RpcError } from '../../../../src/base/jsonRpc';
import { nullLogger } from '../../../../src/base/logger';
import { MAX_TERMINALS, TerminalFeature } from '../../../../src/client/terminal/terminalFeature';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import { emptySession } from '../../../../src/shared/state/sessionState';

describe('the limit of terminals', () => {
  const ended: string[] = [];
  const waiting: (() => void)[] = [];
  const session: SessionHandle = {
    id: 's',
    cwd: tmpdir(),
    folders: [tmpdir()],
    state: emptySession('s'),
    dispatch: (action) => {
      if (action.type === 'terminalExited') ended.push(action.terminalId);
      for (const wake of waiting.splice(0)) wake();
    },
    userRequests: {
      requestPermission: () => assert.fail('not asked here'),
      authorize: async () => ({ allowed: true, reason: 'a test', by: 'builtIn' }),
      judge: () => assert.fail('not asked here'),
      elicit: () => assert.fail('not asked here'),
    },
  };
  const terminals = new TerminalFeature({ find: () => session }, nullLogger, () => 1000);
  const call = async (method: string, params: object): Promise<unknown> => {
    const found = terminals.handlers.find((each) => each.method === method) as RequestHandler;
    return found.handle(found.parse({ sessionId: 'a', ...params }), { signal: new AbortController().signal });
  };
  const create = async (command: string, ...args: string[]): Promise<string> =>
    ((await call('terminal/create', { command, args })) as { terminalId: string }).terminalId;
  const exits = async (terminalId: string): Promise<void> => {
    while (!ended.includes(terminalId)) await new Promise<void>((resolve) => waiting.push(resolve));
  };

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  after(() => terminals.dispose());

  it('counts only running commands, and keeps the output of ended commands for a while', async () => {
    const ids: string[] = [];
    while (ids.length <= 2 * MAX_TERMINALS) {
      const some = Array.from({ length: MAX_TERMINALS / 4 }, (_, at) => create('echo', `line ${ids.length + at}`));
      const created = await Promise.all(some);
      await Promise.all(created.map(exits));
      ids.push(...created);
    }
    const output = (id = ''): Promise<unknown> => call('terminal/output', { terminalId: id });
    const last = ids.slice(-MAX_TERMINALS);
    assert.equal(((await output(last[0])) as { output: string }).output, `line ${ids.length - MAX_TERMINALS}\n`);
    await assert.rejects(output(ids[0]), /was released|does not exist/);
  });

  it('rejects a command above the limit until another ends', async () => {
    const running = await Promise.all(Array.from({ length: MAX_TERMINALS }, () => create('sleep', '600')));
    await assert.rejects(
      create('true'),
      (error) => error instanceof RpcError && /already runs 64 commands.*terminal\/kill/.test(error.message),
    );
    await call('terminal/kill', { terminalId: running[0] });
    await exits(await create('true'));
  });
});
