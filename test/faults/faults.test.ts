import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DAMAGED_FILES, FAULTS, MOMENTS, expectedOutcome, faultPage, someCells } from './faults';
import { killPage } from './kills/killRow';
import { KILL_ROWS } from './kills/killRows';
import { playCell, useTemporaryFolder, warmUp } from './playCell';

describe('a failing agent', () => {
  let restore: () => void;

  before(async () => {
    restore = useTemporaryFolder();
    await warmUp();
  });
  after(() => restore());

  for (const cell of someCells())
    it(`${FAULTS[cell.fault]}: ${MOMENTS[cell.moment]}`, async () => {
      await playCell(cell);
    });

  it('docs/faults.md describes how the user continues', () => {
    const page = faultPage(expectedOutcome) + killPage(KILL_ROWS);
    assert.equal(readFileSync('docs/faults.md', 'utf8').split(DAMAGED_FILES)[0], page);
  });
});
