import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import type { RequestHandler } from '../../../../src/agent/clientFeature';
import { nullLogger } from '../../../../src/base/logger';
import { TerminalFeature } from '../../../../src/client/terminal/terminalFeature';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { gitEnvironment, runGit } from '../../../kit/runGit';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('the environment of an agent’s commands', () => {
  const folder = temporaryFolder();
  const session: SessionHandle = {
    id: 's',
    cwd: folder,
    folders: [folder],
    state: emptySession('s'),
    dispatch: () => {},
    userRequests: {
      requestPermission: () => assert.fail('not asked here'),
      authorize: async () => ({ allowed: true, reason: 'a test', by: 'builtIn' }),
      judge: () => assert.fail('not asked here'),
      elicit: () => assert.fail('not asked here'),
    },
  };
  const terminals = new TerminalFeature({ find: () => session }, nullLogger, () => 10_000);
  const call = async (method: string, params: object): Promise<{ terminalId: string; output: string }> => {
    const found = terminals.handlers.find((each) => each.method === method) as RequestHandler;
    const result = found.handle(found.parse({ sessionId: 'a', ...params }), { signal: new AbortController().signal });
    return (await result) as { terminalId: string; output: string };
  };
  const run = async (command: string, args: string[], env: Record<string, string> = {}): Promise<string> => {
    const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
    const { terminalId } = await call('terminal/create', { command, args, env: variables });
    await call('terminal/wait_for_exit', { terminalId });
    return (await call('terminal/output', { terminalId })).output;
  };
  const { env } = process;
  afterEach(() => (process.env = env));
  after(() => {
    terminals.dispose();
  });

  if (basename(userInfo().shell ?? '') === 'bash') {
    it('has the PATH of the login shell after a desktop start, as agents have', async () => {
      writeFileSync(join(folder, '.bashrc'), 'PATH=/opt/from-bashrc:$PATH');
      process.env = { ...env, HOME: folder, PATH: '/usr/local/bin:/usr/bin:/bin' };
      assert.match(await run('env', []), /^PATH=\/opt\/from-bashrc:/m);
    });
  }

  if (process.platform !== 'win32') {
    it('lets git open no editor, in which nobody could type', async () => {
      runGit(folder, 'init', '-q');
      for (const key of ['user.name', 'user.email']) runGit(folder, 'config', key, 'a');
      runGit(folder, 'commit', '-q', '--allow-empty', '-m', 'First');
      process.env = { ...gitEnvironment(), GIT_EDITOR: 'exec sleep 600', EDITOR: 'exec sleep 600' };
      assert.match(await run('git', ['commit', '--allow-empty']), /Aborting commit due to empty commit message/);
      assert.match(await run('git', ['commit', '--allow-empty', '--amend']), /First/);
    });
  }
});
