import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const module = pathToFileURL(join(process.cwd(), 'test/host/cleanup.mjs')).href;

/** Loads the module twice, as two bundled test files of a process do, and runs `code` with both copies. */
function withTwoCopies(code: string): string {
  const script = `
    const [one, two] = [await import('${module}?1'), await import('${module}?2')];
    ${code}
  `;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
}

describe('the cleanup of test programs', () => {
  it('listens once per process, however many bundles contain it', () => {
    const counted = withTwoCopies(`
      const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];
      const before = events.map((event) => process.listenerCount(event));
      for (const copy of [one, two]) copy.atExit(() => undefined);
      console.log(events.map((event, index) => process.listenerCount(event) - before[index]).join(' '));
    `);
    assert.equal(counted, '1 1 1 1\n');
  });

  it('runs the actions of all bundles, the last first', () => {
    const ran = withTwoCopies(`
      one.atExit(() => console.log('first'));
      const done = one.atExit(() => console.log('done before'));
      two.atExit(() => console.log('second'));
      done();
    `);
    assert.equal(ran, 'second\nfirst\n');
  });
});
