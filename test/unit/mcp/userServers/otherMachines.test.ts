import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import { nullLogger } from '../../../../src/base/logger';
import type { AccountChange } from '../../../../src/mcp/userServers/auth/oauthGrant';
import { Account } from '../../../../src/mcp/userServers/auth/serverAccount';
import { SignInNotification } from '../../../../src/mcp/userServers/auth/signInNotification';
import type { ServerSecrets } from '../../../../src/mcp/userServers/config/serverInputs';
import type { UserServer } from '../../../../src/mcp/userServers/userServer';
import { settled, until } from '../../../kit/waiting';
import { HandServer } from './testServers';
import { holds, noSignIn, PersonBench } from './userServersBench';

/** A vault with one secret, which another window may change. */
class Vault implements ServerSecrets {
  value: string | undefined;
  listeners = 0;
  reads = 0;
  /** Reads and writes wait for it. */
  reading: Promise<void> = Promise.resolve();
  writing: Promise<void> = Promise.resolve();
  readonly changed = new Emitter<void>();

  readonly onDidChange: ServerSecrets['onDidChange'] = (listener) => {
    this.listeners += 1;
    const subscription = this.changed.event(listener);
    return {
      dispose: () => {
        this.listeners -= 1;
        subscription.dispose();
      },
    };
  };

  async read(): Promise<string | undefined> {
    this.reads += 1;
    await this.reading;
    return this.value;
  }

  async write(_owner: string, _name: string, value: string | undefined): Promise<void> {
    await this.writing;
    this.value = value;
    this.changed.fire();
  }

  async get(): Promise<undefined> {}

  hide(): void {}

  /** Another window signs in or out. */
  elsewhere(value: string | undefined): void {
    this.value = value;
    this.changed.fire();
  }
}

describe('changes of a user server in other windows', function () {
  let bench: PersonBench;
  let hand: HandServer;
  let url: string;
  let vault: Vault;

  beforeEach(async () => {
    bench = new PersonBench();
    hand = new HandServer();
    url = await hand.open();
    vault = new Vault();
  });
  afterEach(() => {
    bench.dispose();
    hand.close();
  });
  const grant = (access: string): string =>
    JSON.stringify({ url, tokens: { access_token: access }, client: { client_id: access }, discovery: {} });
  const serve = (): UserServer => bench.serve({ type: 'http', url, headers: {} }, { secrets: vault });

  it('start nothing if it is removed from the settings before the user has answered', async () => {
    const [asked, answer] = [createDeferred<void>(), createDeferred<boolean>()];
    const confirm = (): Promise<boolean> => {
      asked.resolve();
      return answer.promise;
    };
    const server = bench.serve(
      { type: 'http', url, headers: {} },
      {
        secrets: vault,
        consent: { isAllowed: () => false, confirm },
      },
    );
    await server.redefine({ ...server.definition, origin: { ...server.definition.origin, isOfWorkspace: true } });
    const prepared = server.prepare(true);
    await asked.promise;
    server.dispose();
    answer.resolve(true);
    await prepared;
    assert.deepEqual([vault.listeners, hand.seen, server.start], [0, [], undefined]);
  });

  it('close an account that was being opened when the server is removed from the settings', async () => {
    const gate = createDeferred<void>();
    vault.reading = gate.promise;
    const server = serve();
    const prepared = server.prepare(true);
    await until(() => vault.reads > 0);
    assert.equal(vault.listeners, 1);
    server.dispose();
    gate.resolve();
    await prepared;
    assert.deepEqual([vault.listeners, hand.seen], [0, []]);
  });

  it('connect nothing if the agent connects to the server directly', async () => {
    const server = serve();
    await server.prepare(false);
    const states: (string | undefined)[] = [];
    server.onDidChange(() => states.push(server.state));
    vault.elsewhere(grant('one'));
    await holds(server, () => server.account?.status === 'done');
    vault.elsewhere(undefined);
    await holds(server, () => server.account?.status === 'required');
    vault.elsewhere(grant('two'));
    await holds(server, () => server.account?.status === 'done');
    assert.deepEqual([states.includes('connecting'), hand.seen], [false, []]);
  });

  it('end the connection after a sign-out without a notification, and restore it after a sign-in', async () => {
    vault.value = grant('one');
    const told: string[] = [];
    const notice = new SignInNotification((one: UserServer) => void told.push(one.name));
    const server = serve();
    server.onDidChange(() => notice.refresh([server]));
    await server.prepare(true);
    await holds(server, () => server.state === 'ready');
    vault.elsewhere(undefined);
    await holds(server, () => server.state === 'needs sign-in');
    vault.elsewhere(grant('two'));
    await holds(server, () => server.state === 'ready');
    assert.deepEqual([told, hand.count('initialize')], [[], 2]);
    assert.deepEqual([...new Set(hand.tokens)], ['Bearer one', 'Bearer two'], 'it was not asked without a token');
  });

  describe('to its sign-in', () => {
    let account: Account;
    const changes: AccountChange[] = [];

    beforeEach(async () => {
      changes.length = 0;
      vault.value = grant('one');
      const reconnect = async (change: AccountChange): Promise<void> => void changes.push(change);
      account = new Account({ name: 'mine', url, owner: 'mine' }, vault, noSignIn, nullLogger, reconnect);
      await account.load();
      vault.reads = 0;
    });
    afterEach(() => account.dispose());

    it('are read after this window’s own change was stored, not before', async () => {
      const gate = createDeferred<void>();
      vault.writing = gate.promise;
      const signedOut = account.signOut();
      await settled();
      vault.changed.fire();
      vault.changed.fire();
      await settled();
      assert.deepEqual([account.status, changes, vault.reads], ['required', [], 1], 'the old sign-in is not back');
      gate.resolve();
      await signedOut;
      assert.deepEqual([account.status, changes, vault.reads], ['required', ['here'], 2], 'looked at once afterwards');
      vault.elsewhere(grant('two'));
      await settled();
      assert.deepEqual([account.status, changes], ['done', ['here', 'signedInInOtherWindow']]);
    });

    it('do not affect a closed account', async () => {
      const gate = createDeferred<void>();
      vault.reading = gate.promise;
      vault.elsewhere(grant('two'));
      account.dispose();
      gate.resolve();
      await settled();
      assert.deepEqual(changes, []);
    });
  });
});
