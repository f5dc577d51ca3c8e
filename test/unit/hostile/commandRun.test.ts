import assert from 'node:assert/strict';
import { CommandRunTarget } from '../../fuzz/commandRunTarget';
import { fuzz } from '../../fuzz/runner';

/** The same cases in every run; `npm run fuzz -- --target "commands that run"` tries new ones. */
const SEED = 20261122;
const CASES = 200;

describe('hostile: commands that run without asking', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('touch nothing that is protected or outside the workspace', async () => {
    const target = new CommandRunTarget();
    const { failures } = await fuzz(target, { seed: SEED, goesOn: (done) => done < CASES });
    assert.equal(failures.join('\n\n'), '');
    assert.ok(target.ran >= CASES / 20, `only ${target.ran} of ${CASES} lines ran`);
  });

  it('are reported by this test if they do', async () => {
    const careless = new CommandRunTarget((line) => !line.includes('.env'));
    const { failures } = await fuzz(careless, { seed: SEED, goesOn: (done) => done < CASES });
    assert.match(failures[0] ?? '', /ran unasked/);
  });
});
