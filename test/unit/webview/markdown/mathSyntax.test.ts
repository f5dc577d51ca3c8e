import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  formulaAt,
  maskFormulas,
  MAX_FORMULA,
  mathBlockEnd,
  toFormula,
} from '../../../../src/webview/markdown/mathSyntax';

/** The formulas of a line, as the lexer finds them. */
function formulasOf(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const formula = formulaAt(text.slice(at), text.slice(0, at));
    if (formula === undefined) continue;
    found.push(formula);
    at += formula.length - 1;
  }
  return found;
}

describe('math syntax', () => {
  it('parses four delimiters', () => {
    assert.deepEqual(formulasOf(String.raw`a $x$ b \(y\) c \[z\] d $$w$$ e`), [
      '$x$',
      String.raw`\(y\)`,
      String.raw`\[z\]`,
      '$$w$$',
    ]);
    assert.deepEqual(toFormula('$x^2$'), { tex: 'x^2', isDisplay: false });
    assert.deepEqual(toFormula(String.raw`\( x \)`), { tex: 'x', isDisplay: false });
    assert.deepEqual(toFormula('$$ x $$'), { tex: 'x', isDisplay: true });
    assert.deepEqual(toFormula(String.raw`\[x\]`), { tex: 'x', isDisplay: true });
  });

  it('finds formulas beside punctuation and beside scripts without spaces', () => {
    assert.deepEqual(formulasOf('($x$), $a_1$. 其中$n$是'), ['$x$', '$a_1$', '$n$']);
    assert.deepEqual(formulasOf('$2x + 1$, $3 \\times 4$, $2 \\text{ apples}$'), [
      '$2x + 1$',
      '$3 \\times 4$',
      '$2 \\text{ apples}$',
    ]);
    assert.deepEqual(formulasOf(String.raw`$\$5$ and $a\\[4pt]b$`), [String.raw`$\$5$`, String.raw`$a\\[4pt]b$`]);
  });

  it('does not treat prices and shell variables as formulas', () => {
    for (const text of [
      'costs $5 and $10',
      '$5/$10, $5-$6',
      'US$5 or A$6',
      'I paid $5, she paid 10$.',
      '$5 million and 3 million$',
      '$HOME/bin:$PATH',
      'echo $HOME and $PATH',
      '$a_$b $foo$bar',
      '$ x $, $x $, $ x$',
      '$$, $$$, $$$$',
      '$x\ny$',
      '$`x` and `y`$',
      'process $$ and so on',
      String.raw`\\( x`,
    ])
      assert.deepEqual(formulasOf(text), [], text);
  });

  it('ignores a formula that is empty, unfinished or too long', () => {
    for (const text of [
      '$$ $$',
      String.raw`\(\)`,
      String.raw`\[ \]`,
      '$x',
      String.raw`\(x`,
      String.raw`\[x`,
      '$$x$',
      `$${'x'.repeat(MAX_FORMULA)}$`,
    ])
      assert.deepEqual(formulasOf(text), [], text.slice(0, 20));
  });

  it('finds the start of a formula with several lines', () => {
    assert.equal(mathBlockEnd('$$'), '$$');
    assert.equal(mathBlockEnd('  $$ x ='), '$$');
    assert.equal(mathBlockEnd(String.raw`\[`), String.raw`\]`);
    for (const line of ['$$x$$', '$$$', '    $$', 'a $$', String.raw`\[x\]`, '$x$'])
      assert.equal(mathBlockEnd(line), undefined, line);
  });

  it('masks formulas with text of the same length', () => {
    assert.equal(maskFormulas('*a $b*c$ d*'), '*a aaaaa d*');
    assert.equal(maskFormulas('*a $5 d*'), '*a $5 d*');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('$', '$$', '\\', '\\(', '\\)', '\\[', '\\]', '*', ' ', 'x', '5', '\n')),
        (parts) => {
          assert.equal(maskFormulas(parts.join('')).length, parts.join('').length);
        },
      ),
    );
  });
});
