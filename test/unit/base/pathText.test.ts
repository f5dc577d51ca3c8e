import assert from 'node:assert/strict';
import { foldCase, isOnOtherComputer } from '../../../src/base/pathText';

describe('base/pathText', () => {
  it('detects paths on other computers in every notation, only on Windows', () => {
    const paths = [
      String.raw`\\host\share\x`,
      '//host/share/x',
      String.raw`\/host\share`,
      String.raw`\\host@SSL\DavWWWRoot\x`,
      String.raw`\\host@8080\x`,
      String.raw`\\?\UNC\host\share\x`,
      String.raw`\\.\UNC\host\share\x`,
      '//?/UNC/host/share/x',
      String.raw`\\host`,
    ];
    for (const path of paths) {
      assert.ok(isOnOtherComputer(path, [String.raw`C:\ws`], 'win32'), path);
      assert.ok(!isOnOtherComputer(path, ['/ws'], 'linux'), path);
    }
    for (const path of [String.raw`C:\ws\x`, 'C:/ws', String.raw`\ws`, 'x'])
      assert.ok(!isOnOtherComputer(path, [], 'win32'), path);
  });

  it('accepts paths on the share of an open folder', () => {
    const folders = [String.raw`\\Server\share\ws`];
    assert.ok(!isOnOtherComputer('//server/SHARE/other', folders, 'win32'));
    assert.ok(isOnOtherComputer('//server/share2/other', folders, 'win32'));
    assert.ok(isOnOtherComputer('//server.evil.test/share/other', folders, 'win32'));
  });

  it('folds case and Unicode composition as file systems do', () => {
    const same = [
      ['SRC/Ä.ts', 'src/a\u0308.ts'],
      ['\u017Frc', 'src'],
      ['\u212Aelvin', 'kelvin'],
      ['ΟΔΟΣ', 'οδος'],
      ['ΟΔΟΣ', 'οδο\u03C2'],
    ] as const;
    for (const [one, other] of same) assert.equal(foldCase(one), foldCase(other));
    const different = [
      ['ı', 'i'],
      ['İ', 'i'],
      ['ß', 's'],
    ] as const;
    for (const [one, other] of different) assert.notEqual(foldCase(one), foldCase(other));
  });
});
