// Builds the extension and the tests once per run.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { must, root } from './run.mjs';

/**
 * Runs the bundler. Built tests of files that are gone are removed first: they would run, too.
 * @param {...('--tests' | '--production')} options
 */
export async function build(...options) {
  if (options.includes('--tests')) await rm(join(root, 'out', 'test'), { recursive: true, force: true });
  const output = await must(process.execPath, ['esbuild.mjs', ...options]);
  if (output.trim()) console.log(output.trim());
}
