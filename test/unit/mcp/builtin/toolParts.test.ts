import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { createDeferred } from '../../../../src/base/async';
import { BackgroundRuns } from '../../../../src/mcp/builtin/common/backgroundRuns';
import { ideToolNames } from '../../../../src/mcp/builtin/ide/ideToolNames';
import { TaskOutputTail } from '../../../../src/mcp/builtin/tasks/taskProcess';
import { shellArguments, shellKind, shellLine } from '../../../../src/mcp/builtin/tasks/taskShellLine';
import { readTestReport } from '../../../../src/mcp/builtin/tests/testReport';

const STRONG = 2;
const WEAK = 3;

describe('Command lines of tasks', () => {
  it('detect a shell by its program', () => {
    const programs = [
      '/bin/zsh',
      'C:\\Windows\\System32\\cmd.exe',
      'C:\\Program Files\\PowerShell\\7\\pwsh.exe',
      'cmd',
    ];
    assert.deepEqual(programs.map(shellKind), ['posix', 'cmd', 'powershell', 'cmd']);
  });

  it('quote words with spaces, and keep quoted words unchanged', () => {
    assert.equal(shellLine(['echo', 'a b', '"c d"', '$HOME', 'e'], 'posix'), `echo 'a b' "c d" $HOME e`);
    assert.equal(shellLine(['C:\\My Tools\\x.exe', "it's here"], 'powershell'), `& 'C:\\My Tools\\x.exe' 'it''s here'`);
    assert.equal(shellLine(['C:\\My Tools\\x.exe', 'a "b"'], 'cmd'), `"C:\\My Tools\\x.exe" "a ""b"""`);
    assert.equal(shellLine(['echo', { value: '$A "x"', quoting: WEAK }], 'posix'), `echo "$A \\"x\\""`);
  });

  it('keep every word unchanged in a real shell', function () {
    if (process.platform === 'win32') this.skip();
    const words = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom(...`ab '"$\`\\;&|*\n`.split('')) }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(words, (given) => {
        const line = shellLine(['printf', '%s\\0', ...given.map((value) => ({ value, quoting: STRONG }))], 'posix');
        // Without an argument printf prints its format once, with empty values.
        const output = execFileSync('/bin/sh', [...shellArguments('posix'), line.replace('%s\\0', "'%s\\0'")], {
          encoding: 'utf8',
        });
        assert.deepEqual(output.split('\0').slice(0, -1), given.length === 0 ? [''] : given);
      }),
      { numRuns: 30 },
    );
  });
});

describe('Reports of tests', () => {
  it('contain failures with their locations, whatever texts these have', () => {
    const text = `<summary passed=2 failed=2 />
<testFailure name="says \\"hi\\"" path="a > b">
<message>
expected </testFailure> here
</message>
<stackFrame path="/w/a.ts" line="4" col="2" />
</testFailure>
<testFailure name="adds" path="">
<expectedOutput>
1
2
</expectedOutput>
<actualOutput>

</actualOutput>
<location path="/w/b.ts" line="9" col="1" />
</testFailure>
`;
    assert.deepEqual(readTestReport(text), {
      passed: 2,
      failed: 2,
      failures: [
        { name: 'says "hi"', suite: 'a > b', message: 'expected </testFailure> here', path: '/w/a.ts', line: 4 },
        { name: 'adds', expected: '1\n2', path: '/w/b.ts', line: 9 },
      ],
    });
  });

  it('contain the output of a run without messages, and are undefined for other text', () => {
    const text =
      '<summary passed=0 failed=1 />\n<testFailure name="x" path="">\n</testFailure>\n<output>\nboom\n</output>\n';
    assert.deepEqual(readTestReport(text), { passed: 0, failed: 1, failures: [{ name: 'x' }], output: 'boom' });
    assert.equal(readTestReport('No tests found in the files.'), undefined);
  });

  it('never throw for any text', () => {
    const parts = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          '<summary passed=1 failed=1 />',
          '<testFailure name="a" path="b">\n',
          '</testFailure>\n',
          '<message>\n',
        ),
      ),
    );
    fc.assert(
      fc.property(parts, (all) => {
        const report = readTestReport(all.join(''));
        assert.ok(report === undefined || report.failures.every(({ name }) => typeof name === 'string'));
      }),
    );
  });
});

describe('Names of tools of other extensions', () => {
  it('become plain, short and unique, whatever they are', () => {
    const name = fc.string({
      unit: fc.oneof(fc.constantFrom('_', '.', '/', 'a', 'B', '1', '-'), fc.string({ maxLength: 1 })),
      maxLength: 90,
    });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const offered = ideToolNames(names);
        assert.equal(offered.length, names.length);
        assert.equal(new Set(offered).size, names.length);
        for (const one of offered) {
          assert.match(one, /^[A-Za-z0-9_-]{1,54}$/);
          assert.ok(!one.includes('__') && !one.startsWith('_'));
        }
      }),
    );
  });

  it('stay unchanged if possible', () => {
    assert.deepEqual(ideToolNames(['runTests', 'a.b', 'a__b']), ['runTests', 'a_b', 'a_b-2']);
  });
});

describe('Background runs', () => {
  function started(): {
    running: Parameters<BackgroundRuns<string>['add']>[1];
    isStopped: () => boolean;
    end: (how: string) => void;
  } {
    const end = createDeferred<string>();
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      end.resolve('stopped');
    };
    return {
      running: { done: end.promise, output: () => 'so far', stop },
      isStopped: () => stopped,
      end: (how) => end.resolve(how),
    };
  }

  it('belong to their session, and end with it', async () => {
    const runs = new BackgroundRuns<string>();
    const [mine, other] = [started(), started()];
    const run = runs.add('mine', mine.running, undefined);
    const foreign = runs.add('other', other.running, undefined);
    assert.equal(runs.get('mine', run.id), run);
    assert.throws(() => runs.get('mine', foreign.id), /There is no run/);
    runs.closeSession('mine');
    await runs.wait(run, 1_000, new AbortController().signal);
    assert.deepEqual([mine.isStopped(), other.isStopped(), foreign.result], [true, false, undefined]);
    await mine.running.done;
    assert.equal(run.result, 'stopped');
    runs.dispose();
    assert.ok(other.isStopped());
  });

  it('are stopped after their time limit, and limited in number', async () => {
    const runs = new BackgroundRuns<string>();
    const late = runs.add('mine', started().running, 1);
    await runs.wait(late, 5_000, new AbortController().signal);
    assert.ok(late.isOverTime);
    const all = Array.from({ length: 8 }, () => started());
    for (const { running } of all) runs.add('mine', running, undefined);
    assert.throws(() => runs.checkRoom('mine'), /8 of them are running/);
    runs.checkRoom('other');
    all[0]!.end('done');
    await all[0]!.running.done;
    await Promise.resolve();
    runs.checkRoom('mine');
    runs.dispose();
  });

  it('do not keep a reference to a disconnected caller', async () => {
    const runs = new BackgroundRuns<string>();
    const abort = new AbortController();
    const run = runs.add('mine', started().running, undefined);
    const waiting = runs.wait(run, 600_000, abort.signal);
    abort.abort();
    await waiting;
    assert.equal(run.result, undefined);
    runs.dispose();
  });
});

describe('Output of a task', () => {
  it('is plain text without colors, with only the last state of an overwritten line', () => {
    const printed = new TaskOutputTail();
    printed.add('\u001b[31mred\u001b[0m\r\n10 %\r');
    printed.add('100 %\r\ndone');
    assert.equal(printed.read(), 'red\n100 %\ndone');
  });
});
