import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changesText } from '../../../../src/ui/attachments/diffAttachment';

const diffOf = (name: string, lines: number): string =>
  [`diff --git a/${name} b/${name}`, ...Array.from({ length: lines }, (_, at) => `+line ${at}`)].join('\n');

describe('changes attached for an agent', () => {
  it('are complete within the limit', () => {
    const diff = diffOf('a.ts', 3);
    assert.deepEqual(changesText(diff), { text: diff, left: [] });
  });

  it('are cut at the end of a line, with the names of the cut file and all later ones', () => {
    const diff = ['one.ts', 'two words.ts', 'three.ts', 'four.ts'].map((name) => diffOf(name, 10)).join('\n');
    const most = diff.indexOf('diff --git a/three') + 60;
    const { text, left } = changesText(diff, ['five.ts'], most);
    assert.deepEqual(left, ['three.ts', 'four.ts', 'five.ts']);
    assert.match(text, /\+line \d\n\n\[Too long [^]*: three\.ts, four\.ts, five\.ts\]$/);
    const atFile = changesText(diff, [], diff.indexOf('diff --git a/three'));
    assert.deepEqual(atFile.left, ['three.ts', 'four.ts']);
  });

  it('stay within the limit, and consist of whole lines if possible', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 30 }), fc.integer({ min: 1, max: 2_000 }), (sizes, most) => {
        const diff = sizes.map((size, at) => diffOf(`f${at}`, size)).join('\n');
        const { text, left } = changesText(diff, [], most);
        assert.ok(text.length <= most + 2_000);
        assert.equal(left.length === 0, diff.length <= most);
      }),
    );
  });
});
