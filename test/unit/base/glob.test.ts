import assert from 'node:assert/strict';
import fc from 'fast-check';
import picomatch from 'picomatch/posix';
import { compileGlob } from '../../../src/base/glob';

describe('base/glob', () => {
  const matching = (glob: string, ...paths: readonly string[]): readonly string[] =>
    paths.filter((path) => compileGlob(glob)(path) === true);
  const all = (glob: string, ...paths: readonly string[]): void => assert.deepEqual(matching(glob, ...paths), paths);
  const none = (glob: string, ...paths: readonly string[]): void => assert.deepEqual(matching(glob, ...paths), []);

  it('matches any characters of a name', () => {
    all('*.ts', 'a.ts', '.ts', '😀.ts');
    none('*.ts', 'a/b.ts', 'a.tsx', 'a-ts', '');
    all('a?c', 'abc', 'a😀c');
    none('a?c', 'ac', 'a/c', 'abbc');
    all('a**b', 'ab', 'axxb');
    none('a**b', 'ax/xb');
  });

  it('matches any folders', () => {
    all('**', 'a', '.a/b');
    all('src/**', 'src', 'src/a', 'src/a/.b');
    none('src/**', 'srca', 'lib/src');
    all('**/b', 'b', 'a/b', 'a/.c/b');
    none('**/b', 'ab', 'a/bb');
    all('a/**/b', 'a/b', 'a/x/b', 'a/x/y/b');
    none('a/**/b', 'ab', 'a/xb');
    all('a{/**,}', 'a', 'a/b/c');
    all('{src/**,test}/x', 'src/x', 'src/a/b/x', 'test/x');
    all('*/**', 'a/b');
    none('*/**', 'a');
    all('/a/**/**', '/a', '/a/b', '/a/b/c');
  });

  it('matches classes, and names with the same brackets', () => {
    all('[a-c]x[!d-]', 'axe', 'cx_');
    none('[a-c]x[!d-]', 'dxe', 'axd', 'ax-', 'ax/');
    all('[]a]', ']', 'a');
    all('app/[id].ts', 'app/[id].ts', 'app/i.ts');
    none('app/[id].ts', 'app/x.ts');
    all('[a', '[a');
  });

  it('matches alternatives', () => {
    all('{a,b{c,d},}.ts', 'a.ts', 'bc.ts', 'bd.ts', '.ts');
    none('{a,b{c,d},}.ts', 'b.ts', 'a,b.ts');
    all('v{1..3}', 'v1', 'v3');
    none('v{1..3}', 'v4', 'v..');
    all('(a|b)', 'a', 'b');
    all('src/(app)/{x}', 'src/(app)/{x}');
    none('src/(app)/{x}', 'src/app/x');
    all('@(a|b)?(c)*(d)+(e)', 'ae', 'bcddee');
    none('@(a|b)?(c)*(d)+(e)', 'abe', 'acce', 'ad');
    all('!(a|b*).js', 'c.js', 'aa.js', '.js');
    none('!(a|b*).js', 'a.js', 'bc.js', 'c/d.js');
    all('{a,[}]}b', 'ab', '}b');
  });

  it('takes other characters as they are', () => {
    all('\\*\\{a,b\\}\\@(a)', '*{a,b}@(a)');
    for (const text of ['a.b', '$a^', '(a', 'a)', '{a', 'a}', '}{', '{a}', 'a|b', 'a,b', '+a', '@a', '!a', '#', 'a\\'])
      all(text, text);
    none('a.b', 'axb');
  });

  it('matches as picomatch, which has matched so far', () => {
    const part = fc.constantFrom('a', 'b', '/', '*', '**', '?', '.', '/**/', '**/', '/**', '{a,b}', '[ab]', '@(a|b)');
    const glob = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    const path = fc.array(fc.constantFrom('a', 'b', 'ab', '.a', '/'), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(glob, path, (pattern, parts) => {
        const text = parts.join('').replace(/\/+/g, '/').replace(/\/$/, '');
        fc.pre(
          text !== '' &&
            !/\/\/|\*{3}|[*?][*?]/.test(pattern.replaceAll('**', '')) &&
            !/\*\*[^/]|[^/]\*\*|\)\?/.test(pattern) &&
            // It drops one `./` at the start, and no second one.
            !pattern.startsWith('././'),
        );
        const expected = picomatch(pattern, { dot: true, nonegate: true })(text);
        assert.equal(compileGlob(pattern)(text), expected, `${pattern} on ${text}`);
      }),
      { numRuns: 20_000 },
    );
  });

  it('takes time in proportion to the path, or leaves it undecided', () => {
    const undecided = compileGlob('**/*+(*(*a)|*(*b))*!(*!(*!(*c)))');
    assert.equal(undecided('a'.repeat(4_096)), undefined);
    assert.equal(compileGlob(`**/${'*a'.repeat(12)}*b`)('a'.repeat(4_096)), false);
    assert.equal(compileGlob('**/*a*a*a*b')('a'.repeat(500)), false);
    assert.equal(compileGlob(`${'**/a/'.repeat(20)}b`)('a/'.repeat(2_000)), false);
    assert.equal(compileGlob('('.repeat(4_097))('a'), undefined);
    for (const opener of ['(', '{', '[', '@(', '{a,', '!('])
      assert.doesNotThrow(() => compileGlob(opener.repeat(4_096 / opener.length))('a'.repeat(4_096)), opener);
    assert.doesNotThrow(() => compileGlob('@('.repeat(1_000) + ')'.repeat(1_000))('a'));
  });
});
