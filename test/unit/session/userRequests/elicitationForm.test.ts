import assert from 'node:assert/strict';
import type { ElicitationEntry } from '../../../../src/shared/state/elicitationState';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { SessionBench } from '../sessionBench';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
};
const formParams = JSON.stringify({ message: 'Who are you?', mode: 'form', requestedSchema: schema });
const create = `request elicitation/create {"sessionId":"$SESSION",${formParams.slice(1)}`;
const withdrawn = `request-cancel elicitation/create {"sessionId":"$SESSION",${formParams.slice(1)}`;

describe('elicitation in a session', function () {
  let bench: SessionBench;

  beforeEach(async () => {
    bench = await SessionBench.open();
  });
  afterEach(async () => bench.close());

  const waits = (state: SessionState): boolean => state.waiting.length > 0;
  function entry(): ElicitationEntry {
    const found = Array.from(entriesFrom(bench.session.state.entries), ([, each]) => each).findLast(
      ({ kind }) => kind === 'elicitation',
    );
    assert.ok(found?.kind === 'elicitation');
    return found;
  }
  const answer = (value: Parameters<typeof bench.session.userRequests.elicitations.answer>[1]): Promise<boolean> =>
    bench.session.userRequests.elicitations.answer(entry().elicitationId, value);

  it('shows the form with the name of the agent, and returns the values once', async () => {
    const asked: number[] = [];
    bench.sessions.onDidAsk(({ entry: index }) => asked.push(index));
    const turn = bench.send(create);
    await bench.until(waits);
    assert.deepEqual(asked, bench.session.state.waiting);
    assert.deepEqual([entry().agent, entry().message], ['Fake', 'Who are you?']);
    assert.ok(await answer({ action: 'accept', content: { name: 'Ada', age: 36, extra: 'never asked for' } }));
    assert.equal(await answer({ action: 'decline' }), false);
    await turn;
    assert.match(bench.text, /\[elicitation\/create: \{"action":"accept","content":\{"name":"Ada","age":36\}\}\]/);
    assert.deepEqual(entry().outcome, { type: 'accepted' });
    assert.doesNotMatch(JSON.stringify(entry()), /Ada/, 'what was filled in is not kept');
  });

  it('rejects values that do not match the request', async () => {
    const turn = bench.send(create);
    await bench.until(waits);
    for (const content of [{}, { name: 5 }, { name: 'Ada', age: -1 }, { name: 'Ada', age: '36' }]) {
      assert.equal(await answer({ action: 'accept', content }), false);
    }
    assert.ok(await answer({ action: 'decline' }));
    await turn;
    assert.match(bench.text, /\{"action":"decline"\}/);
  });

  it('is canceled with the turn', async () => {
    const turn = bench.send(create);
    await bench.until(waits);
    bench.session.turn.stop();
    await turn;
    assert.deepEqual(entry().outcome, { type: 'canceled', reason: 'you stopped the turn' });
    assert.deepEqual(bench.session.state.waiting, []);
    const results = bench.received().flatMap(({ result }) => (result === undefined ? [] : [result]));
    assert.deepEqual(results, [{ action: 'cancel' }]);
  });

  it('can be withdrawn by the agent', async () => {
    await bench.send(withdrawn);
    assert.deepEqual(entry().outcome, { type: 'canceled', reason: 'withdrawn by the agent' });
    assert.match(bench.text, /elicitation\/create: (\{"action":"cancel"\}|error -32800)/);
  });

  it('opens a URL after consent until the agent reports completion, and ignores unknown ids', async () => {
    const params = {
      sessionId: '$SESSION',
      message: 'Log in',
      mode: 'url',
      elicitationId: 'e1',
      url: 'https://a.test/x',
    };
    const turn = bench.send(
      `request elicitation/create ${JSON.stringify(params)}`,
      'notify elicitation/complete {"elicitationId":"nobody’s"}',
      'text still open',
      'notify elicitation/complete {"elicitationId":"e1"}',
      'notify elicitation/complete {"elicitationId":"e1"}',
    );
    await bench.until(waits);
    assert.equal(bench.session.userRequests.elicitations.urlOf(entry().elicitationId), 'https://a.test/x');
    const states: (boolean | undefined)[] = [];
    bench.session.onDidDispatch(({ action }) => {
      if (action.type === 'textAppended') states.push(entry().completed);
    });
    await answer({ action: 'accept' });
    await turn;
    assert.match(bench.text, /\{"action":"accept"\}/);
    assert.equal(entry().completed, true);
    assert.ok(!states.includes(true));
  });

  it('may belong to a request instead of a session', async () => {
    const turn = bench.send(`request elicitation/create {"requestId":$PROMPT,${formParams.slice(1)}`);
    await bench.until(waits);
    await answer({ action: 'accept', content: { name: 'Ada' } });
    await turn;
    assert.match(bench.text, /"name":"Ada"/);
  });

  it('rejects unknown modes', async () => {
    await bench.send('request elicitation/create {"sessionId":"$SESSION","message":"m","mode":"hologram"}');
    assert.match(bench.text, /elicitation\/create: error -32602/);
  });

  it('answers a form as generators write it with the types of its schema', async () => {
    const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    const properties = {
      name: { type: 'string' },
      note: { ...nullable, default: null },
      reason: nullable,
      level: { $ref: '#/$defs/Level' },
      pairs: { type: 'array', items: { type: 'object' } },
    };
    const requestedSchema = {
      type: 'object',
      properties,
      required: ['name', 'reason', 'level'],
      $defs: { Level: { enum: [1, 2], type: 'integer' } },
    };
    const params = { sessionId: '$SESSION', message: 'A note', mode: 'form', requestedSchema };
    const turn = bench.send(`request elicitation/create ${JSON.stringify(params)}`);
    await bench.until(waits);
    assert.equal(await answer({ action: 'accept', content: { name: 'Ada', level: '2', pairs: 'no list' } }), false);
    assert.ok(await answer({ action: 'accept', content: { name: 'Ada', level: '2', pairs: '[{"a":1}]' } }));
    await turn;
    const sent = bench.received().flatMap(({ result }) => (result === undefined ? [] : [result]));
    const content = { name: 'Ada', reason: null, level: 2, pairs: [{ a: 1 }] };
    assert.deepEqual(sent, [{ action: 'accept', content }]);
  });

  it('is no longer pending after a reload', async () => {
    void bench.send(create);
    await bench.until(waits);
    await bench.closeWindow();
    bench = await SessionBench.open({ folder: bench.folder });
    assert.equal(entry().outcome?.type, 'canceled');
    assert.deepEqual(bench.session.state.waiting, []);
  });
});
