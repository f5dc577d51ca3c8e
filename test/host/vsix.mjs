// Packs the extension as people will install it.
import { join } from 'node:path';
import { build } from './build.mjs';
import { must, root } from './run.mjs';

/**
 * Makes a VSIX. The bundler runs in production mode within (`vscode:prepublish`), so the development build is made anew
 * afterwards: minified files with old source maps beside them would make the next debugging session a riddle.
 * @param {string} file where to
 */
export async function makeVsix(file) {
  const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
  try {
    await must(process.execPath, [vsce, 'package', '--no-dependencies', '--no-rewrite-relative-links', '-o', file]);
  } finally {
    await build();
  }
}
