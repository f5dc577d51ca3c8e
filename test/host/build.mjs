// Builds the extension and the tests once per run.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { must, root } from './run.mjs';

/**
 * Runs the bundler. Removes built tests whose source was deleted, because they would run as well.
 * @param {...('--tests' | '--package' | '--production')} options
 */
export async function build(...options) {
  const start = Date.now();
  const output = await must(process.execPath, ['esbuild.mjs', ...options]);
  if (output.trim()) console.log(output.trim());
  if (options.includes('--tests')) await removeOlder(join(root, 'out', 'test'), start);
}

async function removeOlder(folder, time) {
  for (const name of (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'))) {
    const file = join(folder, name);
    if ((await stat(file)).mtimeMs < time - 1000) await rm(file);
  }
}
