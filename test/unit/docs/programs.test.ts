import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PROGRAMS } from '../../../src/permissions/programs/programTable';
import { knownFacts, knownOptions, PAGE, permissionsDocument } from './programsPage';

describe('docs/permissions.md', () => {
  it('has the programs of the table (npm run docs:permissions writes them)', () => {
    assert.equal(readFileSync(PAGE, 'utf8'), permissionsDocument(process.cwd()));
  });

  it('says something about each program', () => {
    for (const program of Object.values(PROGRAMS).flat())
      assert.notEqual(knownFacts(program) + knownOptions(program), '', program.names);
  });
});
