// Runs the end-to-end tests: the packed extension, installed, in a real workbench that is driven through its page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runMocha } from './mocha.mjs';
import { root } from './run.mjs';
import { installVsix } from './server.mjs';
import { makeVsix } from './vsix.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** Milliseconds a test may take: a workbench starts in 5 s, in 20 s on a busy machine, and a real agent takes its time. */
const timeout = 120_000;

/** @returns {Promise<import('./report.mjs').Report>} */
export async function runE2e() {
  const extensions = await makeTemporaryFolder('extensions');
  try {
    mkdirSync(join(root, 'out', 'pictures'), { recursive: true });
    const vsix = join(root, 'dist', 'parley.vsix');
    await makeVsix(vsix);
    await installVsix(vsix, extensions);
    return await runMocha(['e2e'], { timeout, env: { E2E_EXTENSIONS: extensions } });
  } finally {
    await removeFolder(extensions);
  }
}
