import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PinnedDefinition } from '../../../../src/mcp/availability/definitionPins';
import { DefinitionPins, definitionHash, definitionText } from '../../../../src/mcp/availability/definitionPins';
import { MemoryMemento } from '../../../kit/memoryMemento';

const define = (name: string, description: string): PinnedDefinition => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
});

/** As the user does: accepts exactly what is shown. */
function accept(pins: DefinitionPins, name: string): boolean {
  return pins.accept('s', name, pins.heldBack('s').find((held) => held.name === name)?.hash ?? '');
}

describe('mcp/availability/definitionPins', () => {
  it('offers new and unchanged tools, and holds back changed ones, also after a restart', async () => {
    const memory = new MemoryMemento();
    const first = new DefinitionPins(memory);
    assert.deepEqual([...first.check('s', [define('a', '1'), define('b', '1')])], ['a', 'b']);
    const second = new DefinitionPins(memory);
    assert.deepEqual([...second.check('s', [define('a', '2'), define('b', '1'), define('c', '1')])], ['b']);
    assert.deepEqual(
      second.heldBack('s').map(({ name, before, after }) => [name, before.split('\n')[1], after.split('\n')[1]]),
      [
        ['a', 'description: 1', 'description: 2'],
        ['c', undefined, 'description: 1'],
      ],
    );
    assert.deepEqual([...first.check('another', [define('a', '2')])], ['a']);
  });

  it('holds back tools that a server adds later, also after a restart, until they are accepted', () => {
    const memory = new MemoryMemento();
    const first = new DefinitionPins(memory);
    first.check('s', [define('a', '1')]);
    assert.deepEqual([...first.check('s', [define('a', '1'), define('b', '1'), define('c', '1')])], ['a']);
    assert.deepEqual(
      first.heldBack('s').map(({ name, before, isRefused }) => [name, before, isRefused]),
      [
        ['b', '', false],
        ['c', '', false],
      ],
    );
    assert.equal(accept(first, 'b'), true);
    assert.equal(first.refuse('s', 'c', first.heldBack('s')[0]?.hash ?? ''), true);
    const second = new DefinitionPins(memory);
    const all = [define('a', '1'), define('b', '1'), define('c', '1')];
    assert.deepEqual([...second.check('s', all)], ['a', 'b']);
    assert.equal(second.heldBack('s')[0]?.isRefused, true);
    second.check('s', [define('c', '2')]);
    assert.deepEqual([second.heldBack('s')[0]?.isRefused, second.heldBack('s')[0]?.before], [false, '']);
    second.check('s', []);
    assert.deepEqual([...second.check('s', all)], ['a', 'b'], 'what was away is known');
  });

  it('offers a tool again after it is accepted or has its old definition again', async () => {
    const pins = new DefinitionPins(new MemoryMemento());
    const fired: string[] = [];
    pins.onDidChange((server) => fired.push(server));
    pins.check('s', [define('a', '1'), define('b', '1')]);
    pins.check('s', [define('a', '2'), define('b', '2')]);
    assert.equal(accept(pins, 'a'), true);
    assert.equal(accept(pins, 'a'), false);
    assert.deepEqual([...pins.check('s', [define('a', '2'), define('b', '1')])], ['a', 'b']);
    assert.deepEqual(pins.heldBack('s'), []);
    assert.deepEqual(fired, ['s', 's', 's']);
    assert.deepEqual([...pins.check('s', [define('a', '3')])], []);
  });

  it('accepts a decision only about the shown definition, and remembers blocked tools', () => {
    const memory = new MemoryMemento();
    const pins = new DefinitionPins(memory);
    pins.check('s', [define('a', '1')]);
    pins.check('s', [define('a', '2')]);
    const [shown] = pins.heldBack('s');
    assert.ok(shown && !shown.isRefused);
    pins.check('s', [define('a', '3')]);
    assert.equal(pins.accept('s', 'a', shown.hash), false, 'it changed again under their eyes');
    assert.equal(pins.refuse('s', 'a', shown.hash), false);
    assert.equal(pins.refuse('s', 'a', pins.heldBack('s')[0]?.hash ?? ''), true);
    const later = new DefinitionPins(memory);
    assert.equal(later.check('s', [define('a', '3')]).size, 0);
    assert.equal(later.heldBack('s')[0]?.isRefused, true);
    later.check('s', [define('a', '4')]);
    assert.equal(later.heldBack('s')[0]?.isRefused, false, 'another change is asked about again');
    assert.equal(accept(later, 'a'), true);
    assert.deepEqual([...later.check('s', [define('a', '4')])], ['a']);
  });

  it('holds back a second change when only the first one was accepted', async () => {
    const pins = new DefinitionPins(new MemoryMemento());
    pins.check('s', [define('a', '1')]);
    pins.check('s', [define('a', '2')]);
    pins.check('s', [define('a', '3')]);
    accept(pins, 'a');
    assert.deepEqual([...pins.check('s', [define('a', '2')])], []);
  });

  it('detects changes of schemas, titles and hints, but ignores their order', () => {
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

  it('escapes hidden characters', () => {
    const text = definitionText(define('a', 'Adds.\u202eevil\u200b'));
    assert.match(text, /Adds\.\\u\{202e\}evil\\u\{200b\}/);
  });

  it('accepts tool names such as __proto__, and keeps back what damaged pins may have refused', () => {
    const memory = new MemoryMemento();
    const pins = new DefinitionPins(memory);
    const odd = ['__proto__', 'constructor', 'toString'].map((name) => define(name, '1'));
    assert.equal(pins.check('s', odd).size, 3);
    assert.equal(new DefinitionPins(memory).check('s', odd).size, 3);
    const changed = odd.map(({ name }) => define(name, '2'));
    assert.equal(pins.check('s', changed).size, 0);
    for (const key of memory.values.keys()) memory.values.set(key, '{"a":5,"b":{"hash":1}}');
    assert.equal(pins.check('s', [define('a', '1'), define('b', '1')]).size, 0);
  });

  it('property: offers a tool only while its definition equals the first one', async () => {
    const versions = fc.array(fc.constantFrom('1', '2', '3'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(versions, (all) => {
        const pins = new DefinitionPins(new MemoryMemento());
        for (const version of all) {
          const offered = pins.check('s', [define('a', version)]);
          assert.equal(offered.has('a'), version === all[0]);
        }
      }),
    );
  });
});
