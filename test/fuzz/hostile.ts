import * as fc from 'fast-check';
import { anyText } from './anyText';

/** Values that replace valid ones. */

/** Texts that look like another type, are invalid Unicode, or are long. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\u202e\u2066evil',
    '\u200b\ufeff',
    '\ud800',
    'a\udc00',
    '__proto__',
    'constructor',
    'toString',
    '../../etc/passwd',
    '/etc/passwd',
    '\\\\server\\share',
    'file:///etc/passwd',
    'C:\\Windows',
    'javascript:alert(1)',
    'command:workbench.action.quit',
    '<img src=x onerror=alert(1)>',
    '[x](command:workbench.action.quit)',
    '$(trash) $(sync~spin)',
    '${workspaceFolder}/${env:HOME}/${input:x}',
    '\u001b]8;;https://evil.test\u0007x\u001b]8;;\u0007',
    '\u001b[999999999;999999999H\u001b[2J',
    '{"jsonrpc":"2.0"}',
    '\r\n\r\n',
    'NaN',
    '-1',
    '1e999',
    '2026-02-30',
    'x'.repeat(70_000),
    '😀'.repeat(2_000),
    '\n'.repeat(3_000),
  ),
  fc.string(),
  anyText(),
);

/** Any JSON value, with a bias to unusual ones. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e21,
      Number.MAX_SAFE_INTEGER + 1,
      -Number.MAX_VALUE,
      [],
      {},
      [null],
      [[]],
      { type: 'text' },
      { type: 'text', text: null },
      { type: 'diff', path: '/workspace/a', newText: 5 },
      { type: 'diff', path: '', oldText: 'a\n'.repeat(500), newText: 'b\n'.repeat(500) },
      { type: 'terminal', terminalId: '__proto__' },
      { type: 'content', content: { type: 'resource', resource: {} } },
      { type: 'image', data: '!', mimeType: 'text/html' },
      { sessionUpdate: 'tool_call', toolCallId: '' },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

const kinds = ['replace', 'remove', 'rename', 'add', 'repeat', 'swap', 'wrap'] as const;

/** One change of a JSON value; `where` indexes its values, depth first. */
export interface Edit {
  readonly kind: (typeof kinds)[number];
  readonly where: number;
  readonly text: string;
  readonly value: unknown;
}

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), where: fc.nat(400), text: hostileText, value: hostileValue }),
  { maxLength: 4 },
);

/** A copy of `value` with these changes. */
export function edited(value: unknown, changes: readonly Edit[]): unknown {
  const root: { value: unknown } = { value: structuredClone(value) };
  for (const change of changes) apply(change, placesOf(root));
  return root.value ?? null;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Lists every value inside `holder` with the object or array that contains it. */
function placesOf(holder: object, found: Place[] = []): Place[] {
  for (const key of Object.keys(holder)) {
    found.push({ holder: holder as Record<string, unknown>, key });
    const value = (holder as Record<string, unknown>)[key];
    if (typeof value === 'object' && value !== null) placesOf(value, found);
  }
  return found;
}

function apply({ kind, where, text, value }: Edit, places: readonly Place[]): void {
  const place = places[where % places.length];
  if (!place) return;
  const { holder, key } = place;
  const old = holder[key];
  // Assigning "__proto__" would change the prototype instead of creating the field that JSON has.
  const set = (name: string, to: unknown): void =>
    void Object.defineProperty(holder, name, {
      // A copy: a shared value would be changed in two positions by a later edit.
      value: structuredClone(to),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  if (kind === 'replace') set(key, value);
  else if (kind === 'remove') delete holder[key];
  else if (kind === 'rename' && !Array.isArray(holder)) set(text, old);
  else if (kind === 'add') set(Array.isArray(holder) ? String(holder.length) : text, value);
  else if (kind === 'repeat') set(key, [old, old]);
  else if (kind === 'swap') set(key, structuredClone(places[(where * 7 + 1) % places.length]?.holder ?? null));
  else set(key, { [key]: old });
}
