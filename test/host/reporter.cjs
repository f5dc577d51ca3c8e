// A mocha reporter that prints like "spec" and also appends one JSON line per event to $HOST_TEST_REPORT. Lines instead of one document: if
// the process crashes, the report still shows which test was running.
'use strict';
const { appendFileSync } = require('node:fs');
const { reporters } = require('mocha');
const { mapStack } = require('./sourceStack.cjs');

const file = process.env.HOST_TEST_REPORT;
/** Milliseconds. A test that hung often waits on after its time limit, and keeps the process alive. */
const AFTER_FAILURE_MS = 1000;

class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('start', () => write({ event: 'start', total: runner.total }));
    const starts = new Map();
    runner.on('suite', (suite) => starts.set(suite, performance.now()));
    runner.on('suite end', (suite) => {
      if (suite.parent?.root)
        write({ event: 'suite', title: suite.title, ms: Math.round(performance.now() - starts.get(suite)) });
    });
    runner.on('hook', (hook) => write({ event: 'hook', title: hook.fullTitle() }));
    runner.on('test', (test) => write({ event: 'test', title: test.fullTitle() }));
    runner.on('pass', (test) => write({ event: 'pass', title: test.fullTitle(), ms: test.duration }));
    runner.on('pending', (test) => write({ event: 'skip', title: test.fullTitle() }));
    runner.on('fail', (test, error) => {
      nameSources(error);
      write({ event: 'fail', title: test.fullTitle(), ...describe(error) });
    });
    runner.once('end', () => {
      write({ event: 'end' });
      const limit = Number(options.reporterOptions?.exits ?? 0);
      if (limit > 0) exitAfter(limit, runner.failures);
    });
  }
}

/** Ends a process that something keeps alive after its last test; a failure if no test has failed. */
function exitAfter(limit, failures) {
  const exit = () => {
    const message = `The process of these tests does not end: ${process.getActiveResourcesInfo().join(', ')}`;
    if (failures === 0) write({ event: 'fail', title: 'after the last test', message, stack: message });
    write({ event: 'end' });
    process.exit();
  };
  setTimeout(exit, failures === 0 ? limit : AFTER_FAILURE_MS).unref();
}

/** Also in its causes, which mocha prints. */
function nameSources(error) {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
    // The stack of a frozen error stays.
    if (one.stack) Reflect.set(one, 'stack', mapStack(one.stack));
  }
}

function describe(error) {
  const message = error?.message ?? String(error);
  const compared = error?.actual !== undefined || error?.expected !== undefined;
  const values = compared ? { expected: show(error.expected), actual: show(error.actual) } : {};
  return { message, stack: error?.stack ?? message, ...values };
}

function show(value) {
  return require('node:util').inspect(value, { depth: 6, maxStringLength: 4000 });
}

function write(line) {
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

module.exports = Reporter;
