import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PinnedDefinition } from '../../../src/mcp/pinning';
import { DefinitionPins, definitionHash, definitionText } from '../../../src/mcp/pinning';

class Memory {
  readonly kept = new Map<string, string>();

  get(key: string): unknown {
    const text = this.kept.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.kept.delete(key);
    else this.kept.set(key, JSON.stringify(value));
  }
}

const define = (name: string, description: string): PinnedDefinition => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
});

describe('mcp/pinning', () => {
  it('offers what is new and what is the same, and holds back what changed, over a restart', async () => {
    const memory = new Memory();
    const first = new DefinitionPins(memory);
    assert.deepEqual([...(await first.check('s', [define('a', '1'), define('b', '1')]))], ['a', 'b']);
    const second = new DefinitionPins(memory);
    assert.deepEqual(
      [...(await second.check('s', [define('a', '2'), define('b', '1'), define('c', '1')]))],
      ['b', 'c'],
    );
    assert.deepEqual(
      second.held('s').map(({ name, before, after }) => [name, before.split('\n')[1], after.split('\n')[1]]),
      [['a', 'description: 1', 'description: 2']],
    );
    assert.deepEqual([...(await first.check('another', [define('a', '2')]))], ['a']);
  });

  it('offers a tool again once it is accepted, or is as it was', async () => {
    const pins = new DefinitionPins(new Memory());
    const fired: string[] = [];
    pins.onDidChange((server) => fired.push(server));
    await pins.check('s', [define('a', '1'), define('b', '1')]);
    await pins.check('s', [define('a', '2'), define('b', '2')]);
    assert.equal(await pins.accept('s', 'a'), true);
    assert.equal(await pins.accept('s', 'a'), false);
    assert.deepEqual([...(await pins.check('s', [define('a', '2'), define('b', '1')]))], ['a', 'b']);
    assert.deepEqual(pins.held('s'), []);
    assert.deepEqual(fired, ['s', 's', 's']);
    assert.deepEqual([...(await pins.check('s', [define('a', '3')]))], []);
  });

  it('does not take a second change for the first one that was accepted meanwhile', async () => {
    const pins = new DefinitionPins(new Memory());
    await pins.check('s', [define('a', '1')]);
    await pins.check('s', [define('a', '2')]);
    await pins.check('s', [define('a', '3')]);
    await pins.accept('s', 'a');
    assert.deepEqual([...(await pins.check('s', [define('a', '2')]))], []);
  });

  it('sees changes of schemas, titles and hints, not of their order', () => {
    const base = { ...define('a', '1'), title: 'T', annotations: { readOnlyHint: true } };
    const hash = definitionHash(base);
    const { inputSchema: _schema, ...others } = base;
    const reordered = { inputSchema: { properties: { a: { type: 'string' } }, type: 'object' }, ...others };
    assert.equal(definitionHash(reordered), hash);
    assert.notEqual(definitionHash({ ...base, title: 'U' }), hash);
    assert.notEqual(definitionHash({ ...base, annotations: { readOnlyHint: false } }), hash);
    assert.notEqual(definitionHash({ ...base, inputSchema: { type: 'object' } }), hash);
    assert.notEqual(definitionHash({ ...base, outputSchema: {} }), hash);
  });

  it('shows hidden characters', () => {
    const text = definitionText(define('a', 'Adds.\u202eevil\u200b'));
    assert.match(text, /Adds\.\\u\{202e\}evil\\u\{200b\}/);
  });

  it('takes names that are fields of every object, and damaged memory', async () => {
    const memory = new Memory();
    const pins = new DefinitionPins(memory);
    const odd = ['__proto__', 'constructor', 'toString'].map((name) => define(name, '1'));
    assert.equal((await pins.check('s', odd)).size, 3);
    assert.equal((await new DefinitionPins(memory).check('s', odd)).size, 3);
    const changed = odd.map(({ name }) => define(name, '2'));
    assert.equal((await pins.check('s', changed)).size, 0);
    for (const key of memory.kept.keys()) memory.kept.set(key, '{"a":5,"b":{"hash":1}}');
    assert.equal((await pins.check('s', [define('a', '1'), define('b', '1')])).size, 2);
    await pins.forget('s');
    assert.equal((await pins.check('s', changed)).size, 3);
  });

  it('property: a tool is offered exactly when it is as it was first seen', async () => {
    const versions = fc.array(fc.constantFrom('1', '2', '3'), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(versions, async (all) => {
        const pins = new DefinitionPins(new Memory());
        for (const version of all) {
          // oxlint-disable-next-line no-await-in-loop -- one list after the other
          const offered = await pins.check('s', [define('a', version)]);
          assert.equal(offered.has('a'), version === all[0]);
        }
      }),
    );
  });
});
