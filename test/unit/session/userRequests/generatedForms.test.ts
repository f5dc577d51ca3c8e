import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/json';
import { parseElicitationForm } from '../../../../src/session/userRequests/elicitationForm';
import type { FieldValue, FormField } from '../../../../src/shared/state/elicitationState';
import { validateField } from '../../../../src/shared/state/elicitationState';
import { fieldJson } from '../../../../src/shared/state/fieldJson';

function fields(properties: JsonObject, more: JsonObject = {}): readonly FormField[] {
  const question = parseElicitationForm({ requestedSchema: { type: 'object', properties, ...more } });
  assert.ok(question.mode === 'form');
  return question.fields;
}
function only(property: unknown, more?: JsonObject): FormField {
  const [field] = fields({ p: property }, more);
  assert.ok(field);
  return field;
}
/** A field in short: its type and what can be chosen. */
function short(field: FormField): string {
  if ('choices' in field) return `${field.type} ${field.choices.map(({ label }) => label).join(' ')}`;
  if (field.type === 'number') return field.whole ? 'integer' : 'number';
  return field.type === 'text' && field.json ? 'json' : field.type;
}
function answer(field: FormField, value: FieldValue): unknown {
  assert.equal(validateField(field, value, true), undefined);
  return fieldJson(field, value);
}

const nothing = { type: 'null' };
const $defs = {
  Size: { enum: ['s', 'l'], type: 'string', title: 'Size', description: 'How large' },
  Level: { enum: [1, 2, 3], type: 'integer' },
  Note: { anyOf: [{ type: 'string', maxLength: 5 }, nothing] },
  Tree: { type: 'object', properties: { child: { $ref: '#/$defs/Tree' } } },
  Loop: { allOf: [{ $ref: '#/$defs/Loop' }] },
  'a/b~c d': { type: 'boolean' },
};

describe('forms as generators write them', () => {
  const shown: [name: string, property: unknown, as: string][] = [
    ['anyOf with null', { anyOf: [{ type: 'string' }, nothing], default: null }, 'text'],
    ['oneOf with null, first', { oneOf: [nothing, { type: 'integer', minimum: 1 }] }, 'integer'],
    ['a list of types', { type: ['number', 'null'] }, 'number'],
    ['a list with one type', { type: ['boolean'] }, 'boolean'],
    ['integer or number', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
    ['a type in capitals', { type: 'BOOLEAN' }, 'boolean'],
    ['a list of types in capitals', { type: ['INTEGER', 'NULL'] }, 'integer'],
    ['$ref to an anchor', { $ref: '#Size' }, 'json'],
    ['const', { const: 'v1' }, 'choice v1'],
    ['const of an integer with a title', { const: 3, title: 'Three', type: 'integer' }, 'choice Three'],
    ['enum of integers', { type: 'integer', enum: [1, 2, 3] }, 'choice 1 2 3'],
    ['enum with null', { enum: ['a', null, 'b'] }, 'choice a b'],
    ['enum of several types', { enum: [1, '1', true, 'x'] }, 'choice 1 1 true x'],
    ['oneOf without a type', { oneOf: [{ const: 'r', title: 'Red' }, { const: 'g' }] }, 'choice Red g'],
    ['anyOf of literals and null', { anyOf: [{ const: 1 }, { enum: ['auto'] }, nothing] }, 'choice 1 auto'],
    ['nested nullable enum', { anyOf: [{ anyOf: [{ enum: ['a', 'b'] }, nothing] }, nothing] }, 'choice a b'],
    ['$ref to $defs', { $ref: '#/$defs/Size' }, 'choice s l'],
    ['nullable $ref', { anyOf: [{ $ref: '#/$defs/Level' }, nothing] }, 'choice 1 2 3'],
    ['$ref to a nullable', { $ref: '#/$defs/Note' }, 'text'],
    ['$ref with escapes', { $ref: '#/$defs/a~1b~0c%20d' }, 'boolean'],
    ['allOf with one member', { allOf: [{ $ref: '#/$defs/Size' }], default: 'l' }, 'choice s l'],
    ['allOf with limits', { allOf: [{ type: 'string', minLength: 1 }, { maxLength: 9 }] }, 'text'],
    ['a format without a type', { format: 'date' }, 'text'],
    ['an unknown format', { type: 'string', format: 'uuid' }, 'text'],
    ['strings of several formats', { anyOf: [{ type: 'string', format: 'uri' }, { type: 'string' }] }, 'text'],
    ['an array of enums', { type: 'array', items: { $ref: '#/$defs/Level' } }, 'choices 1 2 3'],
    ['a nullable array', { anyOf: [{ type: 'array', items: { enum: ['a'] } }, nothing] }, 'choices a'],
    ['an array of literals', { items: { anyOf: [{ const: 'a' }, { const: 2 }] } }, 'choices a 2'],
    ['only null', nothing, 'choice null'],
    ['string or integer', { type: ['string', 'integer'] }, 'json'],
    ['any value', {}, 'json'],
    ['true', true, 'json'],
    ['an object', { type: 'object', properties: { a: { type: 'string' } } }, 'json'],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, 'json'],
    ['a list of objects', { type: 'array', items: { $ref: '#/$defs/Tree' } }, 'json'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, 'json'],
    ['a reference to itself', { $ref: '#/$defs/Loop' }, 'json'],
    ['a reference to nowhere', { $ref: '#/$defs/None' }, 'json'],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }, 'json'],
    ['an unknown type', { type: 'tuple' }, 'json'],
    ['no schema', 3, 'json'],
  ];
  for (const [name, property, as] of shown) {
    it(`shows ${name}`, () => assert.equal(short(only(property, { $defs })), as));
  }

  it('names the schema of a property that only a text can show, and shows the others', () => {
    const odd = { type: 'array', items: { type: 'object' }, description: 'Pairs' };
    const [first, second] = fields({ odd, name: { type: 'string' } });
    assert.equal(first?.description, `Pairs\nJSON Schema: ${JSON.stringify(odd)}`);
    assert.equal(second?.description, undefined);
  });

  it('takes what stands beside a reference first, and keeps the rest of its target', () => {
    const field = only({ $ref: '#/$defs/Size', title: 'Your size', default: 'l' }, { $defs });
    assert.deepEqual([field.label, field.description], ['Your size', 'How large']);
    assert.ok(field.type === 'choice' && field.initial === 'l');
    const note = only({ $ref: '#/$defs/Note' }, { $defs });
    assert.ok(note.type === 'text' && note.maxLength === 5);
    const level = only({ $ref: '#/$defs/Level', default: 2 }, { $defs });
    assert.ok(level.type === 'choice' && level.initial === '2');
  });

  it('reads a form that is itself a reference, without a type, or without properties', () => {
    const form = { properties: { name: { type: 'string' } }, required: ['name'] };
    const $ref = '#/$defs/Form';
    const schemas = [
      { $ref, $defs: { Form: form } },
      form,
      { allOf: [form], type: 'object' },
      { ...form, type: ['object', 'null'] },
      { ...form, type: 'OBJECT' },
      { anyOf: [{ $ref }, nothing], $defs: { Form: { type: 'object', ...form } } },
    ];
    for (const requestedSchema of schemas) {
      const question = parseElicitationForm({ requestedSchema });
      assert.ok(question.mode === 'form');
      assert.deepEqual(question.fields, [{ key: 'name', label: 'name', required: true, type: 'text' }]);
    }
    assert.deepEqual(fields({}), []);
  });

  it('may leave what can be null empty', () => {
    const nullable = { anyOf: [{ type: 'string' }, nothing] };
    const of = (property: JsonObject, required: readonly string[]): unknown => {
      const field = only(property, { required });
      return [field.required, field.nullWhenEmpty];
    };
    assert.deepEqual(of({ ...nullable, default: null }, []), [false, undefined]);
    assert.deepEqual(of(nullable, ['p']), [false, true]);
    assert.deepEqual(of({ type: 'string', nullable: true }, ['p']), [false, true], 'OpenAPI 3.0');
    assert.deepEqual(of({ ...nullable, default: 'x' }, []), [false, true], 'left out it would be "x"');
    assert.deepEqual(of({ type: 'string' }, ['p']), [true, undefined]);
  });

  for (const [draft, limits] of [
    ['2020-12', { exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['4, which OpenAPI 3.0 uses', { minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }],
  ] as const) {
    it(`keeps exclusive limits, as in JSON Schema ${draft}`, () => {
      const field = only({ type: 'number', ...limits });
      assert.deepEqual(
        [0, 0.5, 1].map((value) => validateField(field, value, true)),
        ['This must be more than 0.', undefined, 'This must be less than 1.'],
      );
    });
  }

  it('keeps inclusive limits that say so', () => {
    const field = only({ type: 'number', minimum: 0, exclusiveMinimum: false });
    assert.equal(validateField(field, 0, true), undefined);
  });

  it('returns values of the types that the schema names', () => {
    const choice = (schema: JsonObject): FormField => only(schema, { $defs });
    assert.equal(answer(choice({ $ref: '#/$defs/Level' }), '2'), 2);
    assert.equal(answer(choice({ enum: [true, 'x'] }), 'true'), true);
    assert.equal(answer(choice({ enum: ['', 'x'] }), '""'), '');
    assert.equal(answer(choice(nothing), 'null'), null);
    assert.deepEqual(answer(choice({ type: 'array', items: { $ref: '#/$defs/Level' } }), ['1', '3']), [1, 3]);
    const both = choice({ enum: [1, '1'] });
    assert.ok(both.type === 'choice');
    assert.deepEqual(
      both.choices.map(({ value }) => answer(both, value)),
      [1, '1'],
    );
  });

  it('reads a text as JSON of these types, and a list also with commas', () => {
    const values: [JsonObject, string, unknown][] = [
      [{ type: ['string', 'integer'] }, '7', 7],
      [{ type: ['string', 'integer'] }, '7.5', '7.5'],
      [{ type: 'object' }, '{"a":1}', { a: 1 }],
      [{}, 'plain', 'plain'],
      [{ type: 'array', items: { type: 'string' } }, '["a, b"]', ['a, b']],
      [{ type: 'array', items: { type: 'string' } }, 'a, b,', ['a', 'b']],
      [{ type: 'array', items: { type: 'integer' } }, '1, 2', [1, 2]],
    ];
    for (const [schema, text, value] of values) assert.deepEqual(answer(only(schema), text), value, text);
    const wrong: [JsonObject, string][] = [
      [{ type: 'object' }, 'plain'],
      [{ type: 'object' }, '[]'],
      [{ type: ['integer', 'boolean'] }, '1.5'],
      [{ type: 'array', items: { type: 'integer' } }, '1, x'],
      [{ type: 'array', items: { type: 'object' } }, 'x'],
    ];
    for (const [schema, text] of wrong)
      assert.match(validateField(only(schema), text, true) ?? '', /must be JSON/, text);
  });

  it('reads schemas that lead to each other a limited number of times', () => {
    let reads = 0;
    const $ref = { $ref: '#/$defs/Bush' };
    const Bush = {
      get anyOf() {
        if (++reads > 1_000_000) throw new Error('read without end');
        return [$ref, $ref, $ref];
      },
    };
    const [bush, name] = fields({ bush: $ref, name: { type: 'string' } }, { $defs: { Bush } });
    assert.ok(bush && short(bush) === 'json' && bush.description?.startsWith('JSON Schema'));
    assert.ok(name && reads > 0);
  });

  it('never refuses a form for one of its properties', () => {
    const keyword = fc.constantFrom(
      'type',
      'enum',
      'const',
      'anyOf',
      'oneOf',
      'allOf',
      '$ref',
      'items',
      'default',
      'title',
    );
    const value = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('string', 'null', 'array', '#', '#/properties/p', 3, null, true),
        fc.array(tie('schema'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
      ),
    })).schema;
    fc.assert(fc.property(value, (property) => void only(property)));
  });
});
