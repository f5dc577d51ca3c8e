// Builds and runs the programs `*.bench.ts` of a folder of tests, one after the other.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { withInstalledExtension } from './e2e.mjs';
import { prepare } from './prepare.mjs';
import { node, root } from './run.mjs';

/**
 * @param {string} folder below test
 * @param {string[]} names only these; all when empty
 * @param {(name: string, isKept: boolean) => void} [onEnd] called after each program
 * @param {Record<string, string>} [variables] for the programs
 * @returns {Promise<number>} exit code
 */
export async function runPrograms(folder, names, onEnd, variables = {}) {
  const missing = await prepare('root', 'chromium');
  if (missing.chromium) console.error(missing.chromium);
  await build('--tests');
  mkdirSync(join(root, 'out', 'pictures'), { recursive: true });
  const found = findPrograms(join(root, 'out', 'test', folder));
  const chosen = names.length > 0 ? found.filter((file) => names.includes(basename(file, '.bench.js'))) : found;
  if (chosen.length === 0) {
    console.error(
      `Nothing to run${names.length > 0 ? ` named ${names.join(', ')}` : ''}. There is: ${found.map((file) => basename(file, '.bench.js')).join(', ') || 'none'}.`,
    );
    return 1;
  }
  let failed = 0;
  for (const file of chosen) {
    const name = basename(file, '.bench.js');
    console.log(`\n=== ${name}`);
    const { code } = await (inWindow.has(name) ? runInWindow(file, variables) : runProgram(file, variables));
    onEnd?.(name, code === 0);
    if (code !== 0) failed += 1;
  }
  return failed > 0 ? 1 : 0;
}

/** Programs that open VS Code with the packed extension. */
const inWindow = new Set(['window']);

async function runInWindow(file, variables) {
  const missing = await prepare('host');
  if (missing.host) console.error(missing.host);
  await build('--package');
  return withInstalledExtension((env) => runProgram(file, { ...variables, ...env }));
}

function runProgram(file, variables) {
  const env = { ...process.env, CHROMIUM_PATH: findChromium() ?? '', ...variables };
  return node(['--enable-source-maps', file], { env, show: true });
}

function findPrograms(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.bench.js'))
    .sort()
    .map((name) => join(folder, name));
}
