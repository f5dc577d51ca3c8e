import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Emitter } from '../../../../../src/base/event';
import { startCallbackServer } from '../../../../../src/mcp/userServers/auth/oauthCallback';
import { readGrant } from '../../../../../src/mcp/userServers/auth/oauthGrant';
import type { SignInUi } from '../../../../../src/mcp/userServers/auth/oauthGrant';
import { OAuthRequests } from '../../../../../src/mcp/userServers/auth/oauthRequests';
import { revoke, runSignIn } from '../../../../../src/mcp/userServers/auth/oauthSignIn';
import { SignInNotification } from '../../../../../src/mcp/userServers/auth/signInNotification';
import type { ServerSecrets } from '../../../../../src/mcp/userServers/config/serverInputs';
import type { UserServer } from '../../../../../src/mcp/userServers/userServer';
import { fileMutex } from '../../../../../src/node/fs/fileMutex';
import type { Resolve } from '../../../../../src/node/http/restrictedRequest';
import type { SessionHandle } from '../../../../../src/session/sessionHandle';
import { stubOf } from '../../../../kit/stubOf';
import { temporaryFolder } from '../../../../kit/temporaryFolder';
import type { Trap } from '../../../../kit/trap';
import { setTrap } from '../../../../kit/trap';
import { AuthServer } from '../authServer';
import { end, HandServer, listen } from '../testServers';
import { holds, PersonBench } from '../userServersBench';

/** OAuth with a user server, from its 401 to the renewed token (MCP: authorization). */
describe('the sign-in at a server', function () {
  let bench: PersonBench;
  let hand: HandServer;
  let auth: AuthServer;
  const kept = new Map<string, string>();
  const keptChanged = new Emitter<void>();
  /** Whether windows receive each other's changes. */
  let isTold = true;
  const folder = temporaryFolder();
  const hidden: string[] = [];
  const opened: string[] = [];
  /** What the user does on the sign-in page. */
  let person: (page: string) => Promise<boolean>;

  beforeEach(async () => {
    bench = new PersonBench();
    hand = new HandServer();
    auth = new AuthServer((request, response) => hand.serve(request, response));
    await auth.open();
    kept.clear();
    isTold = true;
    opened.length = 0;
    person = async (page) => {
      void auth.browse(page);
      return true;
    };
  });
  afterEach(() => {
    bench.dispose();
    hand.close();
    auth.close();
  });

  const secrets: ServerSecrets = {
    read: async (owner, name) => kept.get(`${owner}/${name}`),
    write: async (owner, name, value) => {
      if (value === undefined) kept.delete(`${owner}/${name}`);
      else kept.set(`${owner}/${name}`, value);
      keptChanged.fire();
    },
    onDidChange: (listener) => (isTold ? keptChanged.event(listener) : { dispose: () => undefined }),
    get: async () => undefined,
    hide: (values) => void hidden.push(...Object.values(values)),
  };
  const signIn: SignInUi = {
    open: async (_server, page) => {
      opened.push(page);
      return person(page);
    },
    reachable: async (address) => address,
    inTurn: (name, job) => fileMutex(folder)(name, job),
  };
  function serve(url = auth.url): UserServer {
    return bench.serve({ type: 'http', url, headers: {} }, { secrets, signInUi: signIn });
  }
  async function ready(server: UserServer): Promise<UserServer> {
    await server.prepare(true);
    await holds(server, () => server.state === 'ready');
    return server;
  }

  it('is offered if the server requires it, and no authorization server is contacted before', async () => {
    const server = serve();
    await server.prepare(true);
    assert.equal(server.state, 'needs sign-in');
    assert.equal(server.unavailableReason(stubOf<SessionHandle>({ state: {} })), 'needs sign-in');
    assert.equal(server.account?.status, 'required');
    assert.deepEqual([auth.asked, opened], [[], []]);
  });

  it('opens the page, stores the token as a secret, and uses it for this server only', async () => {
    const server = serve();
    await server.prepare(true);
    await server.account?.signIn();
    await holds(server, () => server.state === 'ready');
    assert.equal(server.account?.status, 'done');
    assert.equal((await bench.call(server, 'add')).text, 'called add');
    const page = new URL(opened[0] ?? '');
    assert.deepEqual(
      [page.origin, page.searchParams.get('code_challenge_method'), page.searchParams.get('resource')],
      [auth.issuer, 'S256', auth.url],
    );
    assert.match(page.searchParams.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const registration = auth.asked.find(({ path }) => path === '/register')?.body;
    assert.equal(registration?.['application_type'], 'native');
    const [token] = auth.good;
    assert.ok(hidden.includes(token ?? ''), 'logs do not show it');
    assert.deepEqual([...kept.keys()], ['MCP server mine/sign-in']);
    const again = await ready(serve());
    assert.equal(again.account?.status, 'done');
    assert.equal(opened.length, 1, 'a restart needs no sign-in');
    assert.equal(readGrant([...kept.values()][0] ?? '', 'https://elsewhere.example/mcp'), undefined);
  });

  it('is renewed without the user, once for all simultaneous requests', async () => {
    const server = serve();
    await server.prepare(true);
    await server.account?.signIn();
    await holds(server, () => server.state === 'ready');
    auth.good.clear();
    const said = await Promise.all([1, 2, 3].map(() => bench.call(server, 'add')));
    assert.deepEqual(
      said.map(({ text }) => text),
      ['called add', 'called add', 'called add'],
    );
    assert.deepEqual([auth.count('/token'), auth.count('/register'), opened.length], [2, 1, 1]);
  });

  it('uses the grant that another window renewed, because a refresh token works once', async () => {
    const first = serve();
    await first.prepare(true);
    await first.account?.signIn();
    await holds(first, () => first.state === 'ready');
    const second = await ready(serve());
    auth.good.clear();
    assert.equal((await bench.call(first, 'add')).text, 'called add');
    auth.good.clear();
    assert.equal((await bench.call(second, 'add')).text, 'called add');
    assert.equal((await bench.call(first, 'add').catch(() => undefined))?.text, 'called add');
    assert.equal(opened.length, 1);
  });

  describe('in a second window', () => {
    let first: UserServer;
    let second: UserServer;

    beforeEach(async () => {
      // Also where the editor does not report changes of another window.
      isTold = false;
      first = serve();
      await first.prepare(true);
      await first.account?.signIn();
      await holds(first, () => first.state === 'ready');
      second = await ready(serve());
    });
    const calls = (): Promise<(string | undefined)[]> =>
      Promise.all(
        [first, second].map(async (server) => (await bench.call(server, 'add').catch(() => undefined))?.text),
      );

    it('is renewed once if both windows notice its expiry at the same time', async () => {
      let refused = 0;
      // The first window gets its new token only when the other requests one too.
      auth.hold = new Promise((resolve) => {
        auth.refused.event(() => {
          refused += 1;
          if (refused === 2) resolve();
        });
      });
      auth.good.clear();
      assert.deepEqual(await calls(), ['called add', 'called add']);
      assert.deepEqual([auth.count('/token'), opened.length], [2, 1]);
    });

    it('is not renewed again if the other window did it, even if that grant has expired too', async () => {
      auth.good.clear();
      assert.equal((await bench.call(first, 'add')).text, 'called add');
      assert.equal((await bench.call(second, 'add')).text, 'called add');
      assert.equal(auth.count('/token'), 2);
      auth.good.clear();
      assert.equal((await bench.call(first, 'add')).text, 'called add');
      auth.good.clear();
      assert.equal((await bench.call(second, 'add')).text, 'called add', 'what the other had got is no good either');
      assert.equal(auth.count('/token'), 4);
    });

    it('ends when the user signs out in the other window', async () => {
      await first.account?.signOut();
      auth.good.clear();
      await assert.rejects(bench.call(second, 'add'), /sign-in is required/);
      assert.deepEqual([kept.size, auth.count('/token')], [0, 1]);
    });
  });

  it('appears in the other window immediately, and so does its end', async () => {
    const [first, second] = [serve(), serve()];
    await first.prepare(true);
    await second.prepare(true);
    await first.account?.signIn();
    await holds(second, () => second.state === 'ready');
    assert.equal(opened.length, 1);
    await second.account?.signOut();
    await holds(first, () => first.state === 'needs sign-in');
    assert.equal(kept.size, 0);
  });

  it('accepts an answer of the browser that arrives before the page is reported as opened', async () => {
    const server = serve();
    await server.prepare(true);
    person = async (page) => {
      assert.equal(await auth.browse(page), 200);
      return true;
    };
    await server.account?.signIn();
    await holds(server, () => server.state === 'ready');
  });

  it('is requested again after its end, and never opens a page by itself', async () => {
    const server = serve();
    await server.prepare(true);
    await server.account?.signIn();
    await holds(server, () => server.state === 'ready');
    auth.endGrants();
    await assert.rejects(bench.call(server, 'add'), /sign-in is required/);
    await holds(server, () => server.state === 'needs sign-in');
    assert.equal(opened.length, 1);
    assert.equal(hand.count('tools/call'), 0);
    await server.account?.signIn();
    await holds(server, () => server.state === 'ready');
  });

  it('is offered once in a window, and again after its end', async () => {
    const told: string[] = [];
    const notice = new SignInNotification((server: UserServer) => void told.push(server.name));
    const server = serve();
    server.onDidChange(() => notice.refresh([server]));
    await server.prepare(true);
    await server.refresh();
    assert.deepEqual(told, ['mine']);
    await server.account?.signIn();
    await holds(server, () => server.state === 'ready');
    auth.endGrants();
    await assert.rejects(bench.call(server, 'add'), /sign-in is required/);
    await holds(server, () => server.state === 'needs sign-in');
    assert.deepEqual(told, ['mine', 'mine']);
  });

  it('ends if the server no longer requires it', async () => {
    const server = serve();
    await server.prepare(true);
    auth.isOpen = true;
    await server.refresh();
    await holds(server, () => server.state === 'ready');
    assert.equal(server.account, undefined);
    assert.equal(server.unavailableReason(stubOf<SessionHandle>({ state: {} })), undefined);
  });

  it('ends locally and at the server', async () => {
    const server = serve();
    await server.prepare(true);
    await server.account?.signIn();
    await server.account?.signOut();
    assert.deepEqual([server.state, kept.size, auth.count('/revoke')], ['needs sign-in', 0, 1]);
  });

  it('is canceled if the user does not open the page', async () => {
    const server = serve();
    await server.prepare(true);
    person = async () => false;
    await server.account?.signIn();
    assert.equal(server.state, 'needs sign-in');
    assert.equal(auth.count('/token'), 0);
  });

  const refused: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'an answer from another authorization server',
      () => (auth.answer = { iss: 'https://evil.example' }),
      /came from an unexpected authorization server/,
    ],
    [
      'an answer that does not say where it comes from, though that was promised',
      () => (auth.answer = { iss: '' }),
      /came from an unexpected authorization server/,
    ],
    [
      'an authorization server that speaks for another one',
      () => (auth.metadata = { issuer: 'https://evil.example' }),
      /reports a different issuer: https:\/\/evil\.example/,
    ],
    [
      'a sign-in page without encryption',
      () => (auth.metadata = { authorization_endpoint: 'http://evil.example/in' }),
      /is not allowed; use https/,
    ],
    ['a sign-in page that is no page', () => (auth.metadata = { authorization_endpoint: 'javascript:alert(1)' }), /./],
    [
      'an endpoint for tokens without encryption',
      () => (auth.metadata = { token_endpoint: 'http://evil.example/token' }),
      /is not allowed; use https/,
    ],
    [
      'a server without PKCE',
      () => (auth.metadata = { code_challenge_methods_supported: ['plain'] }),
      /code_challenge|S256/,
    ],
    [
      'a server that does not state whether it supports PKCE',
      () => (auth.metadata = { code_challenge_methods_supported: undefined }),
      /does not state that it supports PKCE with S256/,
    ],
    ['a token for another server', () => (auth.resource = { resource: 'https://other.example/mcp' }), /does not match/],
    [
      'what the page refuses, in its words',
      () => (auth.answer = { code: '', error: 'access_denied', error_description: 'No\u202e.' }),
      /access_denied: No\\u\{202e\}\./,
    ],
  ];
  for (const [what, change, pattern] of refused) {
    it(`rejects ${what}`, async () => {
      const server = serve();
      await server.prepare(true);
      change();
      await assert.rejects(server.account!.signIn(), (error: Error) => {
        assert.match(error.message, /^Could not sign in to the MCP server “mine”: /);
        assert.match(error.message, pattern);
        return true;
      });
      assert.deepEqual([auth.good.size, kept.size], [0, 0]);
      assert.ok(
        opened.every((page) => page.startsWith(auth.issuer)),
        String(opened),
      );
    });
  }

  it('accepts only the answer of its own sign-in, from this machine, and does not display its content', async () => {
    const callback = await startCallbackServer();
    const abort = new AbortController();
    const answer = callback.answer('secret', abort.signal);
    const ask = async (path: string, init?: RequestInit): Promise<number> =>
      (await fetch(new URL(path, callback.address), init)).status;
    assert.equal(await ask('/callback?code=evil&state=guess'), 404);
    assert.equal(await ask('/callback?code=evil'), 404);
    assert.equal(await ask('/other?code=c&state=secret'), 404);
    assert.equal(await ask('/callback?code=c&state=secret', { method: 'POST' }), 404);
    const page = await fetch(`${callback.address}?code=good&state=secret&iss=x`);
    assert.equal(page.headers.get('content-security-policy'), "default-src 'none'");
    assert.ok(!(await page.text()).includes('good'));
    assert.deepEqual(await answer, { code: 'good', issuer: 'x' });
    const second = callback.answer('other', abort.signal);
    abort.abort();
    await assert.rejects(second, { name: 'CanceledError' });
    callback.close();
  });

  it('follows no redirect to another origin, and stops reading an endless answer', async () => {
    const web = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: '/there' }).end();
      else if (request.url === '/there') response.end('there');
      else {
        response.writeHead(200);
        const more = (): void => {
          if (!response.destroyed) response.write('x'.repeat(65_536), more);
        };
        more();
      }
    });
    const url = await listen(web);
    const { fetch: request } = new OAuthRequests(url);
    await assert.rejects(request(new URL('/away', url)), /redirect/);
    assert.equal((await request(new URL('/away', url), { redirect: 'manual' })).status, 302);
    await assert.rejects((await request(new URL('/long', url))).text(), /the response from .* is too large/);
    end(web);
  });

  describe('at URLs that a server names', () => {
    const NOT_PUBLIC =
      'https://10.0.0.1 https://172.16.9.9 https://192.168.1.1 https://100.64.0.1 https://169.254.169.254 https://0.0.0.0 ' +
      'https://[fe80::1] https://[fd00::1] https://[::ffff:10.0.0.1] https://[::ffff:a9fe:a9fe] https://[64:ff9b::a00:1] ' +
      'https://[::] https://[2002:a00:1::] https://167772161 https://0xa000001 https://012.0.0.1 https://10.1';
    const LOOPBACK =
      'https://127.0.0.1 https://127.1 https://2130706433 https://0x7f000001 https://0177.0.0.1 https://[::1] ' +
      'http://127.0.0.1 http://localhost https://localhost';
    const MAPPED_LOOPBACK = 'https://[::ffff:127.0.0.1] https://[::ffff:7f00:1] https://[::127.0.0.1]';
    let trap: Trap;
    beforeEach(async () => (trap = await setTrap()));
    afterEach(() => trap.close());

    const refusedAt = async (requests: OAuthRequests, url: string): Promise<void> => {
      const address = new URL(url);
      address.port = String(trap.port);
      await assert.rejects(requests.fetch(address), (error: Error) => {
        assert.match(error.message, /not a public IP address|is not allowed; use https|name and password/, url);
        return true;
      });
      assert.equal(trap.seen(), 0, url);
    };
    /** A resolver: `localhost` is this machine, and `192-168-0-1.example` has the address in its name. */
    const names: Resolve = (host, found) => {
      const address = host === 'localhost' ? '127.0.0.1' : host.replace(/\.example$/, '').replaceAll('-', '.');
      found(null, [{ address, family: 4 }]);
    };

    it('contacts only public addresses for a public server', async () => {
      const requests = new OAuthRequests('https://mcp.example/mcp', names);
      for (const url of `${NOT_PUBLIC} ${LOOPBACK} ${MAPPED_LOOPBACK}`.split(' ')) await refusedAt(requests, url);
      for (const url of ['http://93.184.216.34', 'https://a:b@93.184.216.34', 'http://mcp.example'])
        await refusedAt(requests, url);
      const named = 'https://localhost:8080/in https://LOCALHOST. http://app.localhost https://a.b.localhost./x';
      for (const page of `${NOT_PUBLIC} ${LOOPBACK} ${MAPPED_LOOPBACK} ${named}`.split(' '))
        assert.notEqual(requests.refusePage(page), undefined, page);
      assert.equal(requests.refusePage('https://localhost.example/in'), undefined);
      assert.equal(requests.refusePage('https://login.example/authorize?x=1'), undefined);
    });

    it('contacts no name with a non-public address, even if it has public ones too', async () => {
      for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1']) {
        const family = address.includes(':') ? 6 : 4;
        const both: Resolve = (_host, found) =>
          found(null, [
            { address: '93.184.216.34', family: 4 },
            { address, family },
          ]);
        await refusedAt(new OAuthRequests('https://mcp.example/mcp', both), 'https://login.example');
      }
    });

    it('looks up a name only once, in the connection itself', async () => {
      let asked = 0;
      const rebinding: Resolve = (_host, found) => {
        asked += 1;
        if (asked === 1) found(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
        else found(null, [{ address: '127.0.0.1', family: 4 }]);
      };
      const requests = new OAuthRequests('https://mcp.example/mcp', rebinding);
      await assert.rejects(requests.fetch(`https://login.example:${trap.port}/`), TypeError);
      assert.deepEqual([asked, trap.seen()], [1, 0]);
      assert.equal(requests.refusal, undefined);
    });

    it('lets a local server name other local servers, but no private network', async () => {
      const web = createServer((_request, response) => response.end('here'));
      const own = await listen(web);
      const second = createServer((_request, response) => response.end('there'));
      const other = await listen(second);
      const requests = new OAuthRequests(own, names);
      assert.equal(await (await requests.fetch(new URL('/x', own))).text(), 'here');
      assert.equal(await (await requests.fetch(new URL('/x', other))).text(), 'there');
      for (const url of `${NOT_PUBLIC} ${MAPPED_LOOPBACK}`.split(' ')) await refusedAt(requests, url);
      await refusedAt(requests, 'https://10-0-0-1.example');
      end(web);
      end(second);
    });

    it('contacts the user’s own origin, at any address', async () => {
      // The connection is opened, and fails because the listener does not support TLS.
      for (const origin of [`https://127-0-0-1.example:${trap.port}`, `https://127.0.0.1:${trap.port}`]) {
        const requests = new OAuthRequests(`${origin}/mcp`, names);
        await assert.rejects(requests.fetch(`${origin}/token`), TypeError);
        assert.equal(requests.refusal, undefined);
      }
      assert.equal(trap.seen(), 2);
      await assert.rejects(
        new OAuthRequests('https://127-0-0-1.example/mcp', names).fetch('https://127-0-0-1.example:444/'),
        /not a public IP address/,
      );
    });

    const endpoints: readonly (readonly [string, (url: string) => void])[] = [
      ['the authorization server', (url) => (auth.resource = { authorization_servers: [url] })],
      ['the endpoint for tokens', (url) => (auth.metadata = { token_endpoint: url })],
      ['the endpoint for clients', (url) => (auth.metadata = { registration_endpoint: url })],
      ['the page', (url) => (auth.metadata = { authorization_endpoint: url })],
    ];
    for (const [what, name] of endpoints) {
      it(`does not sign in with ${what} in a private network`, async () => {
        for (const url of ['https://10.0.0.1/x', 'https://2852039166/x', 'https://[::ffff:127.0.0.1]/x']) {
          const server = serve();
          await server.prepare(true);
          name(url);
          await assert.rejects(server.account!.signIn(), /is not a public IP address/, url);
          assert.deepEqual([auth.good.size, kept.size], [0, 0]);
        }
        assert.ok(
          opened.every((page) => page.startsWith(auth.issuer)),
          String(opened),
        );
      });
    }

    it('loads no metadata of a public server from this machine', async () => {
      const header = `Bearer resource_metadata="https://127.0.0.1:${trap.port}/x"`;
      const challenge = new Response(null, { status: 401, headers: { 'www-authenticate': header } });
      const at = { name: 'mine', url: 'https://93-184-216-34.example/mcp', owner: 'mine' };
      const nowhere: Resolve = (_host, found) =>
        found(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
      const signal = new AbortController().signal;
      await assert.rejects(
        runSignIn(at, signIn, challenge, signal, nowhere),
        /127\.0\.0\.1.* is not a public IP address/,
      );
      assert.equal(trap.seen(), 0);
    });

    const basic = `Basic ${Buffer.from('me:hidden').toString('base64')}`;
    const secrets: readonly (readonly [string, object, string, string | undefined, string | undefined])[] = [
      ['by basic authentication', {}, '', basic, undefined],
      ['in the body', { revocation_endpoint_auth_methods_supported: ['client_secret_post'] }, '', undefined, 'hidden'],
      ['to no other origin than the one that has it', {}, 'other', undefined, undefined],
    ];
    for (const [how, more, at, header, inBody] of secrets) {
      it(`sends the client’s secret with a revocation ${how}`, async () => {
        const received: (string | undefined | null)[] = [];
        const web = createServer((request, response) => {
          request.setEncoding('utf8');
          let body = '';
          request.on('data', (chunk: string) => (body += chunk));
          request.on('end', () => {
            received.push(request.headers.authorization, new URLSearchParams(body).get('client_secret') ?? undefined);
            response.end();
          });
        });
        const url = await listen(web);
        const token_endpoint = at === '' ? `${url}/token` : 'http://127.0.0.1:1/token';
        const metadata = { issuer: token_endpoint, token_endpoint, revocation_endpoint: `${url}/revoke`, ...more };
        try {
          await revoke({
            url,
            access: 'a',
            tokens: { access_token: 'a' },
            client: { client_id: 'me', client_secret: 'hidden' },
            discovery: { authorizationServerMetadata: metadata },
          });
        } finally {
          end(web);
        }
        assert.deepEqual(received, [header, inBody]);
      });
    }

    it('revokes no grant at an endpoint in a private network', async () => {
      const discovery = { authorizationServerMetadata: { revocation_endpoint: `https://127.0.0.1:${trap.port}/x` } };
      const grant = {
        url: 'https://mcp.example/mcp',
        access: 'a',
        tokens: { access_token: 'a' },
        client: {},
        discovery,
      };
      await assert.rejects(revoke(grant), /is not a public IP address/);
      assert.equal(trap.seen(), 0);
    });
  });
});
