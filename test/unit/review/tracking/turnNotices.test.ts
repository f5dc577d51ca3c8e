import assert from 'node:assert/strict';
import { turnNotices } from '../../../../src/review/tracking/turnNotices';

describe('notices about a turn', () => {
  it('name the files that the checkpoint lacks', () => {
    const label = (path: string): string => path.slice('/work/'.length);
    const [notice, ...others] = turnNotices(new Map(), new Set(), ['/work/b.log', '/work/a.log'], [], [], label);
    assert.deepEqual(others, []);
    assert.equal(notice?.severity, 'warning');
    assert.equal(notice.title, 'Not in the checkpoint of this message: 2 files');
    assert.match(notice.text, /Restore Checkpoint leaves these files unchanged\.\n\na\.log\nb\.log$/);
  });

  it('name the files whose names are not UTF-8', () => {
    const [notice] = turnNotices(new Map(), new Set(), [], ['/work/caf\\xe9.txt'], [], (path) => path.slice(6));
    assert.equal(notice?.title, 'Not under review: 1 file');
    assert.match(notice.text, /not UTF-8.*\n\ncaf\\xe9\.txt$/);
  });

  it('name the files of which there was no copy', () => {
    const [notice] = turnNotices(new Map(), new Set(), [], [], ['/work/big.txt'], (path) => path.slice(6));
    assert.equal(notice?.title, 'Not under review: 1 file');
    assert.match(notice.text, /larger than 10 MiB or could not be read.*\n\nbig\.txt$/);
  });

  it('list ten files, and say how many more there are', () => {
    const files = Array.from({ length: 12 }, (_, at) => [`/work/${String.fromCodePoint(97 + at)}`, 'main'] as const);
    const [notice] = turnNotices(new Map(files), new Set(), [], [], [], (path) => path.slice('/work/'.length));
    assert.match(notice?.text ?? '', /\n\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nand 2 more$/);
  });
});
