import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { mocha as options } from '../../package.json';

/**
 * Entry point that VS Code's extension host calls to run tests (the convention of `@vscode/test-electron`): runs all integration
 * tests with mocha. HOST_TEST_REPORTER names the reporter, MOCHA_GREP selects tests by title. Rejects when a test fails.
 */
export async function run(): Promise<void> {
  const mocha = new Mocha({
    ...options,
    reporter: process.env['HOST_TEST_REPORTER'] ?? 'spec',
    ...(process.env['MOCHA_GREP'] ? { grep: process.env['MOCHA_GREP'] } : {}),
  });
  for (const file of testFiles()) mocha.addFile(file);
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} integration tests failed.`);
}

function testFiles(): string[] {
  return readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .sort()
    .map((file) => join(__dirname, file));
}
