// Packs the extension as people will install it.
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { must, root } from './run.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** What may be in a VSIX; .vscodeignore chooses among it. */
const packed = ['.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE', 'l10n', 'media'];

/**
 * Makes a VSIX of the production build that `esbuild.mjs --package` made. In a folder of its own, because vsce looks at each file below
 * where it packs, and below here lies a whole VS Code.
 * @param {string} file where to
 */
export async function makeVsix(file) {
  const folder = await makeTemporaryFolder('package');
  try {
    const sentences = (await readdir(root)).filter((name) => /^package\.nls(?:\..+)?\.json$/.test(name));
    for (const name of [...packed, ...sentences]) await cp(join(root, name), join(folder, name), { recursive: true });
    await cp(join(root, 'out/package/dist'), join(folder, 'dist'), { recursive: true });
    await writeManifest(folder);
    const args = ['package', '--no-dependencies'];
    const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
    await mkdir(dirname(resolve(file)), { recursive: true });
    await must(process.execPath, [vsce, ...args, '-o', resolve(file)], { cwd: folder });
  } finally {
    await removeFolder(folder);
  }
}

/** Without scripts and development packages: neither works in an installed extension, nor in the folder packed here. */
async function writeManifest(folder) {
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    dependencies: _dependencies,
    ...manifest
  } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
