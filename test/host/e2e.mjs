// Runs the end-to-end tests: the packed extension, installed in a real workbench that is driven through its page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { linkBuiltIns } from './builtIns.mjs';
import { flagForTests } from './chromium.mjs';
import { runMocha } from './mocha.mjs';
import { root } from './run.mjs';
import { installVsix } from './server.mjs';
import { makeVsix } from './vsix.mjs';
import { makeTemporaryFolder } from './workspace.mjs';

/**
 * Packs and installs the extension for windows that `openWorkbench` opens. What was installed is removed at the exit of this process.
 * @returns {Promise<Record<string, string>>} The variables that name it.
 */
export async function installExtension() {
  const folder = await makeTemporaryFolder('extensions');
  const extensions = join(folder, 'installed');
  const builtIns = join(folder, 'built-in');
  mkdirSync(join(root, 'out', 'pictures'), { recursive: true });
  const vsix = join(root, 'dist', 'parley.vsix');
  await makeVsix(vsix);
  await installVsix(vsix, extensions);
  await linkBuiltIns(builtIns, ['markdown-language-features', 'mermaid-markdown-features']);
  return { E2E_EXTENSIONS: extensions, E2E_BUILT_INS: builtIns };
}

/**
 * The variables of `installExtension` are set.
 * @returns {Promise<import('./report.mjs').Report>}
 */
export function runE2e() {
  const require = [join(root, 'test/host/windowHost.mjs')];
  // Suites that share a window run one after the other.
  const first = (text) => text.includes('shareAmongSuites(');
  return runMocha(['e2e'], { env: { E2E_CHROMIUM_FLAG: flagForTests }, require, first });
}
