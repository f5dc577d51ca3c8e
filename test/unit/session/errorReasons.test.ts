import assert from 'node:assert/strict';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { Entry } from '../../../src/shared/state/sessionState';
import { SessionBench } from './sessionBench';

const EXPIRED = 'Your access token could not be refreshed because the refresh token was revoked. Please sign in again.';
const expired = { code: -32603, message: 'Internal error', data: { details: EXPIRED } };
const full = { code: -32603, message: 'Internal error', data: { error: { message: 'The store is full.' } } };
const METHODS = JSON.stringify([{ id: 'browser', name: 'Browser' }]);
const mode = { id: 'mode', name: 'Mode', type: 'select', currentValue: 'a' };
const RESULT = JSON.stringify({
  configOptions: [{ ...mode, options: ['a', 'b'].map((value) => ({ value, name: value })) }],
});
const MODES = JSON.stringify({
  modes: { currentModeId: 'a', availableModes: ['a', 'b'].map((id) => ({ id, name: id })) },
});
const MODELS = JSON.stringify({
  models: { currentModelId: 'a', availableModels: ['a', 'b'].map((modelId) => ({ modelId, name: modelId })) },
});

describe('the reason of an error in the chat', () => {
  let bench: SessionBench;
  afterEach(async () => bench.close());

  const open = async (errors: object, env: Record<string, string> = {}, folder?: string): Promise<void> => {
    const all = { FAKE_ERRORS: JSON.stringify(errors), FAKE_AUTH_METHODS: METHODS, ...env };
    bench = await SessionBench.open({ env: all, ...(folder !== undefined && { folder }) });
  };
  const last = (kind: Entry['kind']): Entry | undefined =>
    Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry).findLast((entry) => entry.kind === kind);
  function error(): string {
    const entry = last('error');
    assert.ok(entry?.kind === 'error');
    return `${entry.message} [${entry.remedies.join(' ')}]`;
  }

  it('is shown for session/prompt, with Sign In where it is about signing in', async () => {
    await open({ 'session/prompt': expired });
    await bench.send('hi');
    assert.equal(error(), `Internal error: ${EXPIRED} [signIn retry showLog]`);
    assert.ok(bench.session.turn.wasRefused, 'the message is sent again after signing in');
  });

  it('is shown without Sign In for other errors', async () => {
    await open({ 'session/prompt': full });
    await bench.send('hi');
    assert.equal(error(), 'Internal error: The store is full. [retry showLog]');
  });

  it('is shown with Sign In where only codes are about signing in', async () => {
    const data = [{ message: 'Request failed', statusCode: 401 }, { error: { type: 'authentication_error' } }];
    for (const each of data) {
      await open({ 'session/prompt': { ...full, data: each } });
      await bench.send('hi');
      assert.match(error(), /^Internal error: .* \[signIn retry showLog\]$/);
      if (each !== data.at(-1)) await bench.close();
    }
  });

  it('is shown for session/new', async () => {
    await open({ 'session/new': full });
    await bench.session.turn.start('fake');
    assert.equal(error(), 'Internal error: The store is full. [retry showLog]');
  });

  it('is shown with the code for a required sign-in', async () => {
    await open({ 'session/prompt': { code: -32000, message: 'Authentication required', data: 'The plan has ended' } });
    await bench.send('hi');
    assert.equal(
      error(),
      'Fake requires sign-in. Sign in, then retry. Authentication required: The plan has ended. [signIn retry showLog]',
    );
    const { connection } = bench.session.state;
    assert.ok(connection.status === 'signIn' && connection.detail?.endsWith('The plan has ended'));
  });

  it('is shown for authenticate', async () => {
    await open({ authenticate: { ...full, data: 'The browser\nwas closed' } }, { FAKE_AUTH_REQUIRED: 'session/new' });
    await bench.session.turn.start('fake');
    await bench.session.auth.signIn('browser');
    const { connection } = bench.session.state;
    assert.ok(connection.status === 'signIn');
    assert.equal(connection.error, 'Browser failed: Internal error: The browser\nwas closed.');
  });

  for (const [method, result] of [
    ['session/set_config_option', RESULT],
    ['session/set_mode', MODES],
    ['session/set_model', MODELS],
  ] as const) {
    it(`is shown for ${method}`, async () => {
      await open({ [method]: full }, { FAKE_NEW_RESULT: result });
      await bench.send('hi');
      const [option] = bench.session.state.selectors;
      await bench.session.configOptions.choose(option?.id ?? '', 'b');
      const notice = last('notice');
      assert.ok(notice?.kind === 'notice' && notice.text === 'Internal error: The store is full.');
    });

    it(`is shown for ${method} with Sign In where it is about signing in`, async () => {
      await open({ [method]: expired }, { FAKE_NEW_RESULT: result });
      await bench.send('hi');
      const [option] = bench.session.state.selectors;
      await bench.session.configOptions.choose(option?.id ?? '', 'b');
      assert.equal(error(), `${option?.name} was not changed. Internal error: ${EXPIRED} [signIn showLog]`);
    });
  }

  for (const [method, capabilities] of [
    ['session/load', { loadSession: true }],
    ['session/resume', { sessionCapabilities: { resume: {} } }],
  ] as const) {
    const env = { FAKE_CAPABILITIES: JSON.stringify(capabilities) };
    const reopen = async (errors: object): Promise<void> => {
      await open({}, env);
      await bench.send('text hello');
      const { folder } = bench;
      await bench.closeWindow();
      await open(errors, env, folder);
    };

    it(`is shown for ${method} when another session is opened instead`, async () => {
      await reopen({ [method]: full });
      await bench.send('text again');
      const notice = last('notice');
      assert.ok(notice?.kind === 'notice');
      assert.match(notice.text ?? '', /could not be opened: Internal error: The store is full\./);
    });

    it(`is shown for ${method}, and no other session is opened where it is about signing in`, async () => {
      await reopen({ [method]: expired });
      await bench.send('text again');
      assert.equal(error(), `Internal error: ${EXPIRED} [signIn retry showLog]`);
    });
  }

  it('has no secrets, no hidden characters, and 2,000 characters at most', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const details = `Used ${key} and \u202e${process.pid}-hidden. ${'x'.repeat(5_000)}`;
    const env = { MY_API_KEY: 'correct horse battery' };
    await open(
      { 'session/prompt': { code: -32603, message: 'correct horse battery', data: { details, token: 'abc def' } } },
      env,
    );
    await bench.send('hi');
    const entry = last('error');
    assert.ok(entry?.kind === 'error');
    assert.doesNotMatch(entry.message, /sk-ant|horse|abc def|\u202e/);
    assert.match(entry.message, /^\[redacted\]: Used \[redacted\] and \\u\{202e\}/);
    assert.ok(entry.message.length <= 2_001 && entry.message.endsWith('…'));
    assert.deepEqual(entry.remedies, ['retry', 'showLog']);
  });
});
