// Packs the extension as users install it.
import { chmod, cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { must, root, run } from './run.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** Allowed contents of a VSIX; .vscodeignore selects from them. */
const packed = ['.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE', 'l10n', 'media'];

/** Used without a commit: zip archives cannot store times before 1980. */
const NO_COMMIT = '315619200';

/**
 * Packs the production build of `esbuild.mjs --package`. Uses a separate folder, because vsce reads every file below the packed
 * folder, and this one contains a whole VS Code. The same commit gives the same bytes: file times are those of the commit, modes
 * those of plain files.
 * @param {string} file Target path.
 * @param {{ list?: boolean }} [options] list: names the packed files, which takes vsce more than a second.
 * @returns {Promise<string[]>} With `list` the files in it, as `vsce ls` names them.
 */
export async function makeVsix(file, { list = false } = {}) {
  const folder = await makeTemporaryFolder('package');
  try {
    const sentences = (await readdir(root)).filter((name) => /^package\.nls(?:\..+)?\.json$/.test(name));
    for (const name of [...packed, ...sentences]) await cp(join(root, name), join(folder, name), { recursive: true });
    await cp(join(root, 'out/package/dist'), join(folder, 'dist'), { recursive: true });
    await writeManifest(folder);
    await Promise.all([...sentences, ...(await bundles())].map((name) => makeCompact(join(folder, name))));
    await makePlain(folder);
    const args = ['package', '--no-dependencies'];
    const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
    await mkdir(dirname(resolve(file)), { recursive: true });
    const env = { ...process.env, SOURCE_DATE_EPOCH: await commitTime(), TZ: 'UTC' };
    await must(process.execPath, [vsce, ...args, '-o', resolve(file)], { cwd: folder, env });
    await compressAgain(resolve(file));
    if (!list) return [];
    const listed = await must(process.execPath, [vsce, 'ls', '--no-dependencies'], { cwd: folder });
    return listed.split('\n').filter(Boolean);
  } finally {
    await removeFolder(folder);
  }
}

/**
 * Writes the archive again with the best compression, and with the sizes of each file in its header, where vsce appends them: 14 KB less.
 * Offsets are those of APPNOTE.TXT, sections 4.3.7 and 4.3.12; vsce writes no extra fields and no comments.
 * @param {string} file
 */
async function compressAgain(file) {
  const old = await readFile(file);
  const end = Buffer.from(old.subarray(-22));
  const packed = [];
  const directory = [];
  let offset = 0;
  for (let at = end.readUInt32LE(16); at < old.length - end.length;) {
    const record = Buffer.from(old.subarray(at, at + 46 + old.readUInt16LE(at + 28)));
    const start = record.readUInt32LE(42) + record.length - 16;
    const stored = old.subarray(start, start + record.readUInt32LE(20));
    const plain = record.readUInt16LE(10) === 0 ? stored : inflateRawSync(stored);
    const deflated = deflateRawSync(plain, { level: 9 });
    const content = deflated.length < plain.length ? deflated : plain;
    record.writeUInt16LE(record.readUInt16LE(8) & ~8, 8);
    record.writeUInt16LE(content === plain ? 0 : 8, 10);
    record.writeUInt32LE(content.length, 20);
    record.writeUInt32LE(offset, 42);
    directory.push(record);
    const header = [Buffer.from('PK\x03\x04'), record.subarray(6, 32), record.subarray(46)];
    packed.push(...header, content);
    offset += record.length - 16 + content.length;
    at += record.length;
  }
  end.writeUInt32LE(offset, 16);
  await writeFile(file, Buffer.concat([...packed, ...directory, end]));
}

/** Seconds since 1970. */
async function commitTime() {
  const { code, output } = await run('git', ['log', '-1', '--format=%ct']);
  return code === 0 ? output.trim() : NO_COMMIT;
}

/** The translations; `l10n` has nothing else. */
async function bundles() {
  return (await readdir(join(root, 'l10n'))).map((name) => join('l10n', name));
}

/** Removes line breaks and indentation, which only help readers. @param {string} file */
async function makeCompact(file) {
  await writeFile(file, JSON.stringify(JSON.parse(await readFile(file, 'utf8'))));
}

/** Modes would depend on the umask of the machine. */
async function makePlain(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  await Promise.all(files.map((entry) => chmod(join(entry.parentPath, entry.name), 0o644)));
}

/** Removes scripts and development packages: neither works in an installed extension, nor in the packed folder. */
async function writeManifest(folder) {
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    dependencies: _dependencies,
    ...manifest
  } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
}
