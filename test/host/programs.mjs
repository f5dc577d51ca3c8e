// Builds and runs the programs `*.bench.ts` of a test folder, in sequence.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { installExtension } from './e2e.mjs';
import { prepare } from './prepare.mjs';
import { node, root } from './run.mjs';

/**
 * @param {string} folder below test
 * @param {string[]} names only these, all when empty; other names are arguments of the programs
 * @param {(name: string, isKept: boolean) => void} [onEnd] called after each program
 * @param {Record<string, string>} [variables] for the programs
 * @returns {Promise<number>} exit code
 */
export async function runPrograms(folder, names, onEnd, variables = {}) {
  // Only programs of the page write screenshots. After Chromium: apt-get can run only once at a time.
  const missing = await prepare('root', 'chromium');
  if (folder === 'page') Object.assign(missing, await prepare('fonts'));
  for (const why of Object.values(missing)) console.error(why);
  await build('--tests');
  mkdirSync(join(root, 'out', 'pictures'), { recursive: true });
  const found = findPrograms(join(root, 'out', 'test', folder));
  const isNamed = (file) => names.includes(nameOf(file));
  const chosen = found.filter((file) => (names.length > 0 ? isNamed(file) : !onlyByName.has(nameOf(file))));
  // Other names are arguments of the programs: scenes.
  const rest = names.filter((name) => !found.some((file) => nameOf(file) === name));
  if (chosen.length === 0) {
    console.error(
      `Nothing to run${names.length > 0 ? ` named ${names.join(', ')}` : ''}. There is: ${found.map(nameOf).join(', ') || 'none'}.`,
    );
    return 1;
  }
  let failed = 0;
  for (const file of chosen) {
    const name = nameOf(file);
    console.log(`\n=== ${name}`);
    const { code } = await (inWindow.has(name)
      ? runInWindow(file, rest, variables)
      : runProgram(file, rest, variables));
    onEnd?.(name, code === 0);
    if (code !== 0) failed += 1;
  }
  return failed > 0 ? 1 : 0;
}

/** Programs that open VS Code with the packed extension. */
const inWindow = new Set(['agents', 'firstSight', 'window']);

/** Programs that install what nothing else needs. */
const onlyByName = new Set(['agents']);

async function runInWindow(file, args, variables) {
  const missing = await prepare('host');
  if (missing.host) console.error(missing.host);
  await build('--package');
  return runProgram(file, args, { ...variables, ...(await installExtension()) });
}

function runProgram(file, args, variables) {
  const env = { ...process.env, CHROMIUM_PATH: findChromium() ?? '', ...variables };
  return node(['--enable-source-maps', file, ...args], { env, show: true });
}

function nameOf(file) {
  return basename(file, '.bench.js');
}

function findPrograms(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.bench.js'))
    .sort()
    .map((name) => join(folder, name));
}
