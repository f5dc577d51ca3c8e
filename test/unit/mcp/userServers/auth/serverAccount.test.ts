import assert from 'node:assert/strict';
import { nullLogger } from '../../../../../src/base/logger';
import type { SignInUi } from '../../../../../src/mcp/userServers/auth/oauthGrant';
import { Account } from '../../../../../src/mcp/userServers/auth/serverAccount';
import { noSecrets, noSignIn } from '../userServersBench';

const URL_OF_SERVER = 'https://tools.example:8443/mcp';
const KEPT = JSON.stringify({
  url: URL_OF_SERVER,
  tokens: { access_token: 'secret', refresh_token: 'again' },
  client: {},
  discovery: {},
});

/** A token goes only to the server for which it was issued, wherever the SDK sends requests (docs/security.md, row 13). */
describe('mcp/userServers/auth/serverAccount', () => {
  let account: Account;
  let status: number;
  let turns: number;
  let sent: (readonly [string, string | null])[];

  beforeEach(async () => {
    [status, turns, sent] = [200, 0, []];
    const signInUi: SignInUi = {
      ...noSignIn,
      inTurn: () => {
        turns += 1;
        return Promise.reject(new Error('there is nothing to renew it with'));
      },
    };
    const secrets = { ...noSecrets, read: async () => KEPT };
    const server = { name: 'mine', url: URL_OF_SERVER, owner: 'MCP server mine' };
    account = new Account(server, secrets, signInUi, nullLogger, async () => undefined);
    await account.load();
  });
  afterEach(() => account.dispose());

  const ask = (url: string | URL): Promise<Response> =>
    account.withAuthorization(async (address, init) => {
      sent.push([String(address), new Headers(init?.headers).get('authorization')]);
      return new Response(null, { status });
    })(url);

  const strangers = [
    'https://evil.example/mcp',
    'http://tools.example:8443/mcp',
    'https://tools.example/mcp',
    'https://tools.example:8444/mcp',
    'https://sub.tools.example:8443/mcp',
    'https://tools.example.evil.example:8443/mcp',
    'https://tools.example:8443@evil.example/mcp',
  ];

  it('sends its token with every request to its server', async () => {
    await ask(URL_OF_SERVER);
    await ask(new URL('https://TOOLS.example:8443/other?x=1'));
    assert.deepEqual(
      sent.map(([, authorization]) => authorization),
      ['Bearer secret', 'Bearer secret'],
    );
  });

  for (const url of strangers) {
    it(`does not send its token to ${url}`, async () => {
      await ask(url);
      assert.deepEqual(sent, [[url, null]]);
    });
  }

  it('is renewed or requires a sign-in only after a rejection by its own server', async () => {
    status = 401;
    for (const url of strangers) assert.equal((await ask(url)).status, 401);
    assert.deepEqual([turns, account.state], [0, 'done']);
    await assert.rejects(ask(URL_OF_SERVER), /sign-in is required/);
    assert.deepEqual([turns, account.state], [1, 'required']);
  });
});
