import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TOLERATED_FORMS, ToleratedForms } from '../../../../src/agent/connection/toleratedForms';
import type { JsonObject } from '../../../../src/base/json';

const text = (words: string): JsonObject => ({ type: 'text', text: words });
const item = (content: unknown): JsonObject => ({ type: 'content', content });
const chunk = (content: unknown): JsonObject => ({ sessionUpdate: 'agent_message_chunk', content });
const call = (fields: JsonObject): JsonObject => ({ sessionUpdate: 'tool_call', toolCallId: 't', ...fields });
const commands = (list: unknown): JsonObject => ({
  sessionUpdate: 'available_commands_update',
  availableCommands: list,
});

type Form = keyof typeof TOLERATED_FORMS;

/** The received message, the parsed message, and the reported deviations. */
const CASES: readonly [title: string, forms: readonly Form[], sent: unknown, read: readonly JsonObject[]][] = [
  [
    'the id of a mode under another name',
    ['modeId'],
    { sessionUpdate: 'current_mode_update', modeId: 'plan' },
    [{ sessionUpdate: 'current_mode_update', modeId: 'plan', currentModeId: 'plan' }],
  ],
  [
    'the hint of a command, deeper inside',
    ['hint'],
    commands([{ name: 'a', input: { unstructured: { hint: 'what' } } }]),
    [commands([{ name: 'a', input: { unstructured: { hint: 'what' }, hint: 'what' } }])],
  ],
  [
    'content of a tool call without its wrapper',
    ['bareBlock'],
    call({ content: [text('a'), 'b', item(text('c'))] }),
    [call({ content: [item(text('a')), item(text('b')), item(text('c'))] })],
  ],
  [
    'content of a tool call that is a text',
    ['bareBlock'],
    call({ content: 'a' }),
    [call({ content: [item(text('a'))] })],
  ],
  [
    'content of a tool call that is one object',
    ['single', 'bareBlock'],
    call({ content: text('a'), locations: { path: '/a' } }),
    [call({ content: [item(text('a'))], locations: [{ path: '/a' }] })],
  ],
  [
    'several blocks in one wrapper',
    ['list', 'bareText'],
    call({ content: [item([text('a'), 'b'])] }),
    [call({ content: [item(text('a')), item(text('b'))] })],
  ],
  ['a wrapper around the block of a message', ['wrappedBlock'], chunk(item(text('a'))), [chunk(text('a'))]],
  ['a text as the content of a message', ['bareText'], chunk('a'), [chunk(text('a'))]],
  ['several blocks in one message', ['list'], chunk([text('a'), text('b')]), [chunk(text('a')), chunk(text('b'))]],
  ['several updates in one', ['list'], [chunk(text('a')), chunk(text('b'))], [chunk(text('a')), chunk(text('b'))]],
  [
    'one command, and a list with its input',
    ['single', 'list'],
    commands({ name: 'a', input: [{ hint: 'what' }] }),
    [commands([{ name: 'a', input: { hint: 'what' } }])],
  ],
  [
    'one entry of a plan',
    ['single'],
    { sessionUpdate: 'plan', entries: { content: 'a' } },
    [{ sessionUpdate: 'plan', entries: [{ content: 'a' }] }],
  ],
  [
    'one entry of a plan by id',
    ['single'],
    { sessionUpdate: 'plan_update', plan: { planId: 'p', type: 'items', entries: { content: 'a' } } },
    [{ sessionUpdate: 'plan_update', plan: { planId: 'p', type: 'items', entries: [{ content: 'a' }] } }],
  ],
  [
    'one config option',
    ['single'],
    { sessionUpdate: 'config_option_update', configOptions: { id: 'a' } },
    [{ sessionUpdate: 'config_option_update', configOptions: [{ id: 'a' }] }],
  ],
];

function collector(): { forms: ToleratedForms; notes: string[] } {
  const notes: string[] = [];
  return { forms: new ToleratedForms((note) => void notes.push(note)), notes };
}

describe('tolerated forms', () => {
  for (const [title, forms, sent, read] of CASES) {
    it(`reads ${title}, and logs it once`, () => {
      const { forms: reader, notes } = collector();
      assert.deepEqual(reader.updates(sent), read);
      assert.deepEqual(reader.updates(sent), read);
      assert.equal(notes.length, forms.length);
      for (const form of forms) assert.ok(notes.some((note) => note.includes(TOLERATED_FORMS[form][0])));
    });
  }

  it('has a case for each form in the table', () => {
    assert.deepEqual(
      Array.from(new Set(CASES.flatMap(([, forms]) => forms))).toSorted(),
      Object.keys(TOLERATED_FORMS).toSorted(),
    );
  });

  it('reads a permission request: one option, a list with the call, its bare content', () => {
    const { forms } = collector();
    const read = {
      sessionId: 's',
      toolCall: { toolCallId: 't', content: [item(text('a'))] },
      options: [{ optionId: 'o' }],
    };
    const sent = { sessionId: 's', toolCall: [{ toolCallId: 't', content: text('a') }], options: { optionId: 'o' } };
    assert.deepEqual(forms.permission(sent), read);
    assert.equal(forms.permission(read), read);
  });

  it('reads the modes and options in a result', () => {
    const { forms } = collector();
    assert.deepEqual(forms.result({ configOptions: { id: 'a' }, modes: { availableModes: { id: 'm' } } }), {
      configOptions: [{ id: 'a' }],
      modes: { availableModes: [{ id: 'm' }] },
    });
  });

  it('prefers the form of ACP, and does not change it', () => {
    const { forms, notes } = collector();
    for (const update of [
      { sessionUpdate: 'current_mode_update', modeId: 'a', currentModeId: 'b' },
      commands([{ name: 'a', input: { hint: 'one', unstructured: { hint: 'two' } } }, 7]),
      chunk(text('a')),
      chunk(null),
      chunk([]),
      chunk({ type: 'text' }),
      call({
        content: [item(text('a')), { type: 'diff', path: '/a', newText: '' }, { type: 'terminal', terminalId: 'x' }],
      }),
      call({ content: [{ type: 'unknown' }, 7, null, item(null)] }),
      { sessionUpdate: 'unknown', content: [text('a')] },
    ]) {
      const read = forms.updates(update);
      assert.equal(read.length, 1);
      assert.equal(read[0], update);
    }
    const result = { sessionId: 's', modes: { availableModes: [] }, configOptions: [] };
    assert.equal(forms.result(result), result);
    assert.deepEqual(notes, []);
  });

  it('accepts any JSON, and does not change its own result', () => {
    const kind = fc.constantFrom(...CASES.flatMap(([, , , read]) => read.map((update) => update['sessionUpdate'])));
    const part = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        fc.constant(text('x')),
        tie('value').map(item),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    })).value;
    const update = fc.record(
      {
        sessionUpdate: kind,
        content: part,
        locations: part,
        entries: part,
        availableCommands: part,
        modeId: part,
        plan: part,
      },
      { requiredKeys: ['sessionUpdate'] },
    );
    fc.assert(
      fc.property(fc.oneof(update, fc.array(update), fc.jsonValue()), (sent) => {
        const { forms } = collector();
        const read = forms.updates(sent);
        if (sent !== null && typeof sent === 'object' && !Array.isArray(sent)) assert.ok(read.length > 0);
        assert.doesNotThrow(() => [forms.permission(sent), forms.result(sent)]);
        const known = new Set(['current_mode_update', 'plan', 'available_commands_update', 'tool_call']);
        for (const one of read.filter(({ sessionUpdate }) => known.has(String(sessionUpdate)))) {
          assert.deepEqual(forms.updates(one), [one]);
        }
      }),
    );
  });
});
