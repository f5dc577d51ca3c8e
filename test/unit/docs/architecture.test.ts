import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as architectureModule from '../../host/architecture.mjs';

describe('docs/architecture.md', () => {
  it('has the rooms and flows of the source (npm run docs:architecture writes them)', async () => {
    const path = join(process.cwd(), 'test/host/architecture.mjs');
    const architecture = (await import(pathToFileURL(path).href)) as typeof architectureModule;
    assert.equal(readFileSync('docs/architecture.md', 'utf8'), architecture.architectureDocument(process.cwd()));
  });
});
