import { inputs, picks, resetStub, toasts } from '../ui/vscodeStub';
import assert from 'node:assert/strict';
import { Redactor } from '../../../src/base/redactor';
import { SecretInputs } from '../../../src/client/secretInputs';
import { settled } from '../../kit/waiting';

describe('client/secretInputs', () => {
  let kept: Map<string, string>;
  let redactor: Redactor;
  let secrets: SecretInputs;

  beforeEach(() => {
    resetStub();
    kept = new Map([['somebody else’s', 'x']]);
    redactor = new Redactor();
    const storage = {
      keys: async () => [...kept.keys()],
      get: async (key: string) => kept.get(key),
      store: async (key: string, value: string) => void kept.set(key, value),
      delete: async (key: string) => void kept.delete(key),
      onDidChange: () => ({ dispose() {} }),
    };
    secrets = new SecretInputs(storage, redactor);
  });

  it('asks once, in a password input box, and never logs the value', async () => {
    const first = secrets.get('Mine', 'KEY');
    const second = secrets.get('Mine', 'KEY');
    await settled();
    assert.equal(inputs.length, 1);
    assert.equal(inputs[0]?.options.password, true);
    assert.match(`${inputs[0]?.options.title} ${inputs[0]?.options.prompt}`, /Mine.*KEY/);
    inputs[0]?.accept('open sesame');
    assert.deepEqual(await Promise.all([first, second]), ['open sesame', 'open sesame']);
    assert.equal(inputs.length, 1);
    assert.equal(redactor.redact('say open sesame'), 'say [redacted]');
  });

  it('shows links and hidden characters of a description as written', async () => {
    const description = 'Paste it. [How?](command:evil)\u202e\nmore';
    void secrets.get('Mine', 'KEY', { isSecret: true, description });
    await settled();
    const { prompt } = inputs[0]?.options ?? {};
    assert.ok(prompt?.includes('[How?] (command:evil)\\u{202e} ⏎ more (“KEY”)'), prompt);
  });

  it('shows icons and hidden characters of options as written, and stores the selected one', async () => {
    const options = ['$(check) recommended', 'other\u202e'];
    const selected = secrets.get('Mine', 'KIND', { isSecret: false, options });
    await settled();
    assert.deepEqual(picks[0]?.labels, ['$\u2060(check) recommended', 'other\\u{202e}']);
    picks[0]?.accept('$\u2060(check) recommended');
    assert.equal(await selected, options[0]);
  });

  it('stores nothing when the input box is closed, and asks again', async () => {
    const closed = secrets.get('Mine', 'KEY');
    await settled();
    inputs[0]?.accept(undefined);
    assert.equal(await closed, undefined);
    assert.equal(kept.size, 1);
    void secrets.get('Mine', 'KEY');
    await settled();
    assert.equal(inputs.length, 2);
  });

  it('separates the secrets of two agents, and deletes the selected ones', async () => {
    for (const agent of ['Mine', 'Yours']) {
      const got = secrets.get(agent, 'KEY');
      await settled();
      inputs.at(-1)?.accept(`of ${agent}`);
      await got;
    }
    const done = secrets.deleteSelected();
    await settled();
    assert.deepEqual(picks[0]?.labels, ['KEY', 'KEY']);
    picks[0]?.accept('KEY');
    await done;
    assert.deepEqual([...kept.values()], ['x', 'of Yours']);
  });

  it('closes the input box when the request is aborted, and shows no further one', async () => {
    const gone = new AbortController();
    const form = { isSecret: true };
    const [shown, waiting] = [
      secrets.get('Mine', 'KEY', form, gone.signal),
      secrets.get('Mine', 'OTHER', form, gone.signal),
    ];
    await settled();
    assert.equal(inputs.length, 1);
    gone.abort();
    assert.deepEqual(await Promise.all([shown, waiting]), [undefined, undefined]);
    assert.deepEqual([inputs.length, kept.size], [1, 1]);
  });

  it('reports when no secrets are stored', async () => {
    await secrets.deleteSelected();
    assert.match(toasts[0]?.message ?? '', /No secrets are stored/);
  });
});
