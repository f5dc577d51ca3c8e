import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

describe('docs/complaints.md', () => {
  const rows = Array.from(
    readFileSync('docs/complaints.md', 'utf8').matchAll(/^\| (.+) \| .+ \| `(test\/[\w/]+\.test\.ts)`: (.+) \|$/gm),
    ([, complaint = '', path = '', title = '']) => ({ complaint, path, title }),
  );

  it('names an existing test for each complaint', () => {
    assert.equal(rows.length, 10);
    for (const { complaint, path, title } of rows) {
      assert.ok(existsSync(path), complaint);
      assert.ok(readFileSync(path, 'utf8').includes(`it('${title}', `), `${complaint}: ${title}`);
    }
  });
});
