import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WorkspacePathIndex } from '../../../../src/ui/attachments/pathIndex';
import { beginsWord, indexPath, scoreOf } from '../../../../src/ui/attachments/pathSearch';

function indexOf(...labels: string[]): WorkspacePathIndex {
  const index = new WorkspacePathIndex();
  for (const label of labels) index.addFile(`file:///w/${label}`, label);
  return index;
}
const labels = (index: WorkspacePathIndex, query: string, limit = 10): string[] =>
  index.search(query, limit).map(({ label }) => label);

describe('ui/attachments/pathIndex', () => {
  it('matches only beginnings of words in titles, and any place where words have no spaces between them', () => {
    const title = 'Retry uploads: fix src/upload.ts';
    for (const query of ['', 'ret', 'UPL', 'upload.ts', 'retry uploads']) assert.equal(beginsWord(title, query), true);
    for (const query of ['try', 'rf', 'oads', 'x']) assert.equal(beginsWord(title, query), false, query);
    assert.equal(beginsWord('修复上传错误', '上传'), true);
  });

  it('ranks names before folders, prefixes before infixes, and words before scattered letters', () => {
    const index = indexOf('app/readme.md', 'src/webapp.ts', 'src/my-app.ts', 'src/app.ts', 'a/p/p.ts', 'src/other.ts');
    const expected = ['app', 'src/app.ts', 'src/my-app.ts', 'src/webapp.ts', 'app/readme.md', 'a/p/p.ts'];
    assert.deepEqual(labels(index, 'app'), expected);
    assert.equal(labels(index, 'app.ts')[0], 'src/app.ts');
  });

  it('matches initials and folders, in any letter case, with either slash', () => {
    const index = indexOf('src/view/chatView.ts', 'src/view/chart.ts', 'docs/cv.md', 'src/agent/Tap.ts');
    assert.equal(labels(index, 'cV')[0], 'docs/cv.md');
    assert.equal(labels(index, 'chatv')[0], 'src/view/chatView.ts');
    assert.equal(labels(index, 'view/cha')[0], 'src/view/chart.ts');
    const views = indexOf('v/i/e/w/c/xxx.ts', 'src/view/cxx.ts');
    assert.equal(labels(views, 'view/c')[0], 'src/view/cxx.ts');
    assert.equal(labels(index, 'AGENT\\tap')[0], 'src/agent/Tap.ts');
    assert.equal(labels(index, './src/agent/t')[0], 'src/agent/Tap.ts');
    assert.deepEqual(labels(index, 'xyz'), []);
  });

  it('contains folders until their last file is removed', () => {
    const index = indexOf('a/b/one.ts', 'a/b/two.ts', 'a/three.ts');
    assert.deepEqual(labels(index, 'b').includes('a/b'), true);
    index.remove('a/b/one.ts');
    assert.ok(labels(index, 'b').includes('a/b'));
    index.remove('a/b/two.ts');
    assert.ok(!labels(index, 'b').includes('a/b'));
    index.addFile('file:///w/a/c/d.ts', 'a/c/d.ts');
    index.remove('a');
    assert.equal(index.size, 0);
  });

  it('returns the same results for typed, deleted and pasted letters', () => {
    const files = ['src/app.ts', 'src/apt.ts', 'a/p/p', 'b/apple.ts'];
    const typed = indexOf(...files);
    for (const query of ['', 'a', 'ap', 'app', 'ap', 'a', 's', 'src/ap', 'src/app']) {
      assert.deepEqual(labels(typed, query), labels(indexOf(...files), query));
    }
    typed.addFile('file:///w/src/apps.ts', 'src/apps.ts');
    assert.ok(labels(typed, 'src/apps').includes('src/apps.ts'));
    typed.remove('src/apps.ts');
    assert.ok(!labels(typed, 'src/apps').includes('src/apps.ts'));
  });

  it('returns exactly the paths that contain the letters in order', () => {
    const path = fc
      .array(fc.stringMatching(/^[a-cA-C._é日-]{1,4}$/u), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, fc.stringMatching(/^(?:[a-c日][a-c日/]{0,3})?$/u), (label, query) => {
        let rest = query;
        for (const char of label.toLowerCase()) if (rest.startsWith(char)) rest = rest.slice(char.length);
        const found = scoreOf(indexPath('', label, false), query) !== undefined;
        assert.equal(found, rest === '');
        assert.equal(labels(indexOf(label), query, 50).includes(label), found);
      }),
    );
  });

  it('equals a newly built index after any changes', () => {
    const path = fc.stringMatching(/^[ab](?:\/[ab]){0,3}\/f$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean())), (changes) => {
        const index = new WorkspacePathIndex();
        const files = new Set<string>();
        for (const [label, isAdded] of changes) {
          if (isAdded) index.addFile(`file:///w/${label}`, label);
          else index.remove(label);
          if (isAdded) files.add(label);
          else files.delete(label);
        }
        assert.deepEqual(labels(index, '', 1000).toSorted(), labels(indexOf(...files), '', 1000).toSorted());
      }),
    );
  });

  it('searches folders once, however many files they have', () => {
    const stepsFor = (files: number): number => {
      const index = indexOf(...Array.from({ length: files }, (_, n) => `src/render/f${n}.ts`));
      return countSteps(() => assert.equal(labels(index, 'src/re').length, 10));
    };
    assert.equal(stepsFor(2_000), stepsFor(200));
  });

  it('removes folders in a number of steps that is proportional to theirs', () => {
    const stepsFor = (folders: number): number => {
      const index = new WorkspacePathIndex();
      for (let n = 0; n < folders; n++)
        for (const file of ['x', 'y']) index.addFile(`file:///w/d/${n}/${file}`, `d/${n}/${file}`);
      const steps = countSteps(() => {
        for (let n = 0; n < folders; n++) index.remove(`d/${n}`);
      });
      assert.equal(index.size, 0);
      return steps;
    };
    assert.ok(stepsFor(2_000) < 12 * stepsFor(200));
  });
});

/** Look-ups, deletions and comparisons during a job. */
function countSteps(job: () => void): number {
  let steps = 0;
  const prototypes: readonly (readonly [object, readonly string[]])[] = [
    [Map.prototype, ['get', 'has', 'delete']],
    [Set.prototype, ['has', 'delete']],
    [String.prototype, ['startsWith', 'lastIndexOf', 'indexOf']],
  ];
  const restore: (() => void)[] = [];
  for (const [prototype, names] of prototypes)
    for (const name of names) {
      const own = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
      restore.push(() => Reflect.set(prototype, name, own));
      Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
        steps += 1;
        return Reflect.apply(own, this, args);
      });
    }
  try {
    job();
  } finally {
    for (const one of restore) one();
  }
  return steps;
}
