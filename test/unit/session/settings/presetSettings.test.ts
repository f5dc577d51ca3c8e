import assert from 'node:assert/strict';
import { readPresets } from '../../../../src/session/settings/presetSettings';

describe('session/settings/presetSettings', () => {
  function read(value: unknown): { names: string[]; problems: string[] } {
    const problems: string[] = [];
    const presets = readPresets(value, (message, field = '') => problems.push(`${field}: ${message}`));
    return { names: presets.map(({ name }) => name), problems };
  }

  it('reads a whole preset as it is written', () => {
    const entry = {
      agent: 'Claude',
      options: { Mode: 'plan', fast: true },
      tools: { allow: ['code__*'], deny: ['code__calls'] },
      instructions: 'Be short.',
      prompt: 'Review my changes',
    };
    const presets = readPresets({ 'Deep work': entry }, () => assert.fail('no problem'));
    assert.deepEqual(presets, [{ name: 'Deep work', ...entry }]);
    assert.deepEqual(
      readPresets(undefined, () => assert.fail('no problem')),
      [],
    );
  });

  it('names each wrong value, and uses the other presets', () => {
    const { names, problems } = read({
      good: { agent: 'Claude' },
      color: { agent: 'Claude', color: 'red' },
      '': { agent: 'Claude' },
      ['n'.repeat(101)]: { agent: 'Claude' },
      noAgent: {},
      list: [],
      agent: { agent: 7 },
      options: { agent: 'a', options: { mode: 1 } },
      optionList: { agent: 'a', options: 'plan' },
      tools: { agent: 'a', tools: { only: [] } },
      deny: { agent: 'a', tools: { deny: 'code__*' } },
      text: { agent: 'a', instructions: ' ' },
      long: { agent: 'a', prompt: 'x'.repeat(20_001) },
    });
    assert.deepEqual(names, ['good', 'color']);
    assert.deepEqual(problems, [
      '["color"].color: unknown field, ignored by this version of Parley; known fields: agent, options, tools, instructions, prompt',
      '[""].name: expected a text of 1 to 100 characters, got the string ""',
      `["${'n'.repeat(101)}"].name: expected a text of 1 to 100 characters, got the string "${'n'.repeat(98)}…`,
      '["noAgent"].agent: expected a text of 1 to 20000 characters, got undefined',
      '["list"]: expected an object, got a list',
      '["agent"].agent: expected a text of 1 to 20000 characters, got the number 7',
      '["options"].options.mode: expected a string, true or false, got the number 1',
      '["optionList"].options: expected an object, got the string "plan"',
      '["tools"].tools.only: expected one of the fields allow, deny, got the string "only"',
      '["deny"].tools.deny: expected a list, got the string "code__*"',
      '["text"].instructions: expected a text of 1 to 20000 characters, got the string " "',
      `["long"].prompt: expected a text of 1 to 20000 characters, got the string "${'x'.repeat(98)}…`,
    ]);
  });

  it('limits the number of presets and options, and takes any name', () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`p${at}`, { agent: 'a' }]));
    const { names, problems } = read(many);
    assert.deepEqual([names.length, problems], [200, [': only the first 200 entries are used']]);
    const options = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`o${at}`, 'x']));
    assert.deepEqual(read({ p: { agent: 'a', options } }).problems, [
      '["p"].options: expected at most 50 items, got the number 51',
    ]);
    const hostile = JSON.parse('{"__proto__": {"agent": "a"}, "<b>$(x)\\u202e": {"agent": "a"}}') as unknown;
    assert.deepEqual(read(hostile), { names: ['__proto__', '<b>$(x)\u202e'], problems: [] });
    for (const wrong of [[], 'x', 3, null, true]) assert.equal(read(wrong).problems.length, 1);
  });
});
