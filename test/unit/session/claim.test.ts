import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claim, isClaimed } from '../../../src/session/claim';

describe('a claim on a session', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-claim-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is had by one window at a time', () => {
    const mine = claim(folder, 'one');
    assert.ok(mine);
    assert.equal(claim(folder, 'one'), undefined);
    assert.ok(isClaimed(folder, 'one'));
    mine.dispose();
    claim(folder, 'one')?.dispose();
    assert.ok(claim(folder, 'one'));
  });

  it('dies with the process that had it', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(folder, 'two.window'), String(pid));
    assert.ok(claim(folder, 'two'));
  });

  it('is waited for while another window writes it, and not for ever', () => {
    const file = join(folder, 'four.window');
    writeFileSync(file, '');
    assert.equal(claim(folder, 'four'), undefined);
    utimesSync(file, 0, 0);
    assert.ok(claim(folder, 'four'));
  });

  it('keeps nobody out where nothing can be written', () => {
    writeFileSync(join(folder, 'no-folder'), '');
    claim(join(folder, 'no-folder'), 'five')?.dispose();
    assert.ok(claim(join(folder, 'no-folder'), 'five'));
  });

  it('is not kept by a damaged file', () => {
    writeFileSync(join(folder, 'three.window'), 'not a number');
    assert.ok(claim(folder, 'three'));
  });
});
