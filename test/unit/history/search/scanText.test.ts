import assert from 'node:assert/strict';
import fc from 'fast-check';
import { foldCaseKeepingLength } from '../../../../src/base/text';
import { toChunk, scan, scanBody } from '../../../../src/history/search/scanText';
import { searchIndexLine, parseSearchEntry } from '../../../../src/history/search/searchIndexFile';
import { SearchTextCache } from '../../../../src/history/search/sessionSearch';
import { TimeSlicer } from '../../../../src/history/search/timeSlicer';
import { TrigramBuilder, mayContain } from '../../../../src/history/search/trigrams';
import type { TranscriptFile } from '../../../../src/history/transcriptFile';

describe('trigrams', () => {
  it('never exclude a word that occurs', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, word, after) => {
        const collector = new TrigramBuilder();
        collector.add(before + word + after);
        return mayContain(collector.trigrams, word);
      }),
    );
  });

  it('are few for a short text, and exclude most other words', () => {
    const collector = new TrigramBuilder();
    collector.add('the quick brown fox jumps over the lazy dog');
    const { trigrams } = collector;
    assert.ok(trigrams.length <= 128);
    const words = Array.from({ length: 1000 }, (_, at) => `zx${at}q${at * 7}`);
    assert.ok(words.filter((word) => mayContain(trigrams, word)).length < 20);
  });

  it('exclude words of one and two letters, too', () => {
    const collector = new TrigramBuilder();
    collector.add('会话 abc');
    const { trigrams } = collector;
    const held = (words: readonly string[]): string[] => words.filter((word) => mayContain(trigrams, word));
    assert.deepEqual(held(['会话', '会', 'ab', 'c']), ['会话', '会', 'ab', 'c']);
    assert.ok(held(['搜索', '搜', 'zz', 'z', 'ac', 'ca', '话会']).length < 3);
  });
});

describe('scanning', () => {
  const body = ['first line\nred pear', 'green Apple', 'RED apple'].map((text, entry) =>
    searchIndexLine({ entry, kind: 'user', text }),
  );

  it('finds entries that contain every word in any letter case, with their lines', () => {
    const { hits } = scan(toChunk(body.join('')), ['red', 'apple'], 5);
    assert.deepEqual(hits, [{ entry: 2, kind: 'user', line: 'RED apple' }]);
    assert.deepEqual(scan(toChunk(body.join('')), ['pear'], 5).hits[0]?.line, 'red pear');
  });

  it('does not find the number or the kind of an entry', () => {
    assert.deepEqual(scan(toChunk(body.join('')), ['user'], 5).hits, []);
    assert.deepEqual(scan(toChunk(body.join('')), ['2'], 5).hits, []);
  });

  it('stops at the end of a truncated file', () => {
    const { hits, isAll } = scan(toChunk(body.join('').slice(0, -1)), ['apple'], 5);
    assert.deepEqual(
      hits.map(({ entry }) => entry),
      [1, 2],
    );
    assert.ok(isAll);
  });

  it('cuts a long line around the word', () => {
    const long = searchIndexLine({ entry: 0, kind: 'agent', text: `${'a '.repeat(500)}needle${' b'.repeat(500)}` });
    const [hit] = scan(toChunk(long), ['needle'], 1).hits;
    assert.match(hit?.line ?? '', /^….{1,60}needle.*…$/);
  });

  it('writes the line of an entry with a long run of blanks in linear time', () => {
    const blanks = ' '.repeat(60_000);
    assert.equal(searchIndexLine({ entry: 0, kind: 'tool', text: `a${blanks}b` }), `0\ttool\ta${blanks}b\n`);
    const line = searchIndexLine({ entry: 0, kind: 'tool', text: `a${blanks}\n${blanks}\n\n  b` });
    assert.equal(parseSearchEntry(line.trimEnd()).text, 'a\nb');
  });

  it('finds the same in several pieces as in one', async () => {
    const entries = fc.array(fc.string({ unit: fc.constantFrom('a', 'B', ' ', '\n', 'é') }), { minLength: 1 });
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 2 }), {
      minLength: 1,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(entries, words, fc.nat(4), fc.nat(4), async (texts, wanted, most, cut) => {
        const lines = texts.map((text, entry) => searchIndexLine({ entry, kind: 'user', text }));
        const pieces = [lines.slice(0, cut), lines.slice(cut)].map((some) => toChunk(some.join('')));
        const found = await scanBody(pieces, wanted, most, new TimeSlicer());
        assert.deepEqual(found, scan(toChunk(lines.join('')), wanted, most));
      }),
    );
  });

  it('finds each word, at any position', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.nat(), (texts, pick) => {
        const clean = texts.map((text) => text.replaceAll(/[^\p{L}\p{N}]/gu, '_'));
        const at = pick % clean.length;
        const all = clean.map((text, entry) => searchIndexLine({ entry, kind: 'user', text })).join('');
        const { hits } = scan(toChunk(all), [foldCaseKeepingLength(clean[at] ?? '')], clean.length);
        return hits.some(({ entry }) => entry === at);
      }),
    );
  });
});

describe('cached texts', () => {
  const file = (id: string, at = 1): TranscriptFile => ({ id, size: 1, at });
  const long = [{ text: 'x'.repeat(6_000_000), folded: '' }];

  it('are the first ones, up to a size limit', () => {
    const bodies = new SearchTextCache();
    bodies.add(file('first'), long);
    bodies.add(file('second'), long);
    assert.equal(bodies.get(file('first')), long);
    assert.equal(bodies.get(file('second')), undefined);
    bodies.clear();
    bodies.add(file('second'), long);
    assert.equal(bodies.get(file('second')), long);
  });

  it('are removed when the transcript was written to', () => {
    const bodies = new SearchTextCache();
    bodies.add(file('first'), long);
    assert.equal(bodies.get(file('first', 2)), undefined);
    bodies.add(file('second'), long);
    assert.equal(bodies.get(file('second')), long);
  });
});
