import assert from 'node:assert/strict';
import type { Direction, TrafficEntry } from '../../../../src/shared/traffic/trafficEntries';
import { RequestIndex, entryText, matchesTrafficFilter } from '../../../../src/shared/traffic/trafficEntries';

describe('shared/traffic/trafficEntries', () => {
  let index: RequestIndex;
  let seq: number;

  beforeEach(() => {
    index = new RequestIndex();
    seq = 0;
  });

  function add(dir: Direction, at: number, message: unknown): void {
    index.add({ seq: seq++, at, dir, bytes: 1, message });
  }

  const brief = () => index.rows.map(({ kind, method, id, duration, error }) => [kind, method, id, duration, error]);

  it('finds the request of each response, and its duration', () => {
    add('out', 100, { id: 1, method: 'session/prompt' });
    add('in', 110, { method: 'session/update' });
    add('in', 120, { id: 1, method: 'fs/read_text_file' });
    add('out', 125, { id: 1, result: {} });
    add('in', 150, { id: 1, result: {} });
    assert.deepEqual(brief(), [
      ['request', 'session/prompt', '1', 50, undefined],
      ['notification', 'session/update', undefined, undefined, undefined],
      ['request', 'fs/read_text_file', '1', 5, undefined],
      ['response', 'fs/read_text_file', '1', 5, undefined],
      ['response', 'session/prompt', '1', 50, undefined],
    ]);
  });

  it('marks the request and the response of an error', () => {
    add('out', 0, { id: 'a', method: 'session/new' });
    add('in', 3, { id: 'a', error: { code: -32000, message: 'Authentication required' } });
    add('in', 4, { id: 'b', error: 'odd' });
    assert.deepEqual(brief(), [
      ['request', 'session/new', '"a"', 3, '-32000 Authentication required'],
      ['response', 'session/new', '"a"', 3, '-32000 Authentication required'],
      ['response', undefined, '"b"', undefined, 'Error without a message'],
    ]);
  });

  it('distinguishes ids of different types, and uses the newest of equal ids', () => {
    add('out', 0, { id: 0, method: 'initialize' });
    add('out', 1, { id: '0', method: 'other' });
    add('out', 10, { id: 0, method: 'initialize' });
    add('in', 12, { id: 0, result: {} });
    assert.deepEqual(
      index.rows.map(({ duration }) => duration),
      [undefined, undefined, 2, 2],
    );
  });

  it('accepts any value: not an object, no method, no id', () => {
    add('in', 0, null);
    add('in', 0, { method: 5 });
    index.add({ seq: seq++, at: 0, dir: 'in', bytes: 1, noise: 'hello' });
    index.add({ seq: seq++, at: 0, dir: 'in', bytes: 1, stderr: 'warning' });
    index.add({ seq: seq++, at: 0, dir: 'out', bytes: 9, beginning: '{"jso' });
    assert.deepEqual(
      index.rows.map(({ kind }) => kind),
      ['noise', 'response', 'noise', 'stderr', 'cut'],
    );
  });

  it('continues finding requests after rows were dropped', () => {
    for (let n = 0; n < 3; n++) add('out', n, { id: n, method: `m${n}` });
    index.dropBefore(2);
    add('in', 10, { id: 1, result: {} });
    add('in', 11, { id: 2, result: {} });
    assert.deepEqual(brief(), [
      ['request', 'm2', '2', 9, undefined],
      ['response', undefined, '1', undefined, undefined],
      ['response', 'm2', '2', 9, undefined],
    ]);
    index.dropBefore(100);
    assert.equal(index.rows.length, 0);
  });

  it('filters by text, method, direction and errors together', () => {
    add('out', 0, { id: 1, method: 'a', params: { text: 'Needle' } });
    add('in', 1, { id: 1, error: { code: 1, message: 'needle too' } });
    add('in', 2, { method: 'b', params: 'needle' });
    const text = (entry: TrafficEntry): string => entryText(entry).toLowerCase();
    const found = (filter: Partial<Parameters<typeof matchesTrafficFilter>[1]>): number[] =>
      index.rows
        .filter((row) => matchesTrafficFilter(row, { text: '', errorsOnly: false, ...filter }, text))
        .map(({ entry }) => entry.seq);
    assert.deepEqual(found({}), [0, 1, 2]);
    assert.deepEqual(found({ text: 'NEEDLE' }), [0, 1, 2]);
    assert.deepEqual(found({ text: 'too' }), [1]);
    assert.deepEqual(found({ method: 'a' }), [0, 1]);
    assert.deepEqual(found({ dir: 'in' }), [1, 2]);
    assert.deepEqual(found({ errorsOnly: true }), [0, 1]);
    assert.deepEqual(found({ errorsOnly: true, dir: 'out', method: 'a', text: 'needle' }), [0]);
  });
});
