import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConformanceBench } from './bench';
import { checkNames, formSection } from './documentText';
import { CHECKS } from './run';
import { rootAbove } from './suite';
import { TOLERANCE } from './tolerance';

const root = rootAbove(__dirname);

describe('tolerance', function () {
  let bench: ConformanceBench;

  beforeEach(async () => {
    bench = await ConformanceBench.open();
  });
  afterEach(async () => {
    await bench.closeWindow();
    await bench.remove();
  });

  it('a write without the capability is rejected, and the turn continues', async () => {
    await bench.send('write notes.txt hello', 'text And on');
    const text = String(bench.evidence().facts('shown').at(-1));
    assert.match(text, /\[write notes\.txt: error -32601 .*\]\n {2}And on/);
    assert.ok(!existsSync(join(bench.folders[0] ?? '', 'notes.txt')));
  });

  it('output on stderr is neither an error nor part of the conversation', async () => {
    await bench.send('stderr \u001B[31mError: a stack trace', 'text Fine');
    const text = String(bench.evidence().facts('shown').at(-1));
    assert.ok(text.includes('turn: idle end_turn'), text);
    // Above it is the heading, which the prompt gave.
    assert.equal(text.slice(text.indexOf('\n\n')).trim(), '[agent]\n  Fine');
  });

  it('a warning in the answer is shown as text, and a turn without output ends', async () => {
    await bench.send('text Warning: Model metadata is not there');
    assert.match(String(bench.evidence().facts('shown').at(-1)), /\[agent\]\n {2}Warning: Model metadata is not there/);
    await bench.send('stop end_turn');
    assert.match(String(bench.evidence().facts('shown').at(-1)), /turn: idle end_turn/);
  });
});

describe('conformance document', () => {
  it('names existing tests for each point', () => {
    for (const { file, title } of TOLERANCE.flatMap(({ proofs }) => proofs)) {
      const isThere =
        file === 'conformance'
          ? CHECKS.some(({ id }) => id === title)
          : readFileSync(join(root, 'test', file), 'utf8').includes(`it('${title}'`);
      assert.ok(isThere, `${file} has no test "${title}"`);
    }
  });

  it('is up to date with the checks (npm run docs:conformance writes it)', () => {
    const text = readFileSync(join(root, 'docs', 'conformance.md'), 'utf8');
    const lines = text.split('\n').filter((line) => /^\| \w+\.\w+ \|/.test(line));
    const written = lines.map((line) => line.split(' | ').slice(0, -2).join(' | '));
    assert.deepEqual(written, checkNames());
    assert.deepEqual(
      TOLERANCE.filter(({ says }) => !text.includes(says.replaceAll('|', '\\|'))),
      [],
    );
    assert.ok(text.includes(formSection().join('\n')), 'The table of tolerated forms is out of date.');
  });
});
