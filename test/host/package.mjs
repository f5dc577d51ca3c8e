// npm run package [-- --check]: dist/parley.vsix, one for all platforms, and dist/parley.sbom.json, what it is made of (CycloneDX). --check
// packs the commit once more, in a clone with packages of its own, and fails where a byte differs.
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from './build.mjs';
import { prepare } from './prepare.mjs';
import { must, node, root } from './run.mjs';
import { makeVsix } from './vsix.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

const vsix = 'dist/parley.vsix';

await prepare('root');
await build('--package');
const files = await makeVsix(vsix);
await writeBillOfMaterials();
const hash = hashOf(vsix);
console.log(`${vsix}: ${(statSync(vsix).size / 1024).toFixed(0)} KiB, ${files.length} files, sha256 ${hash}`);
if (process.argv.includes('--check')) {
  await checkContent();
  await checkAgain();
}

/** By npm itself, without what differs from run to run. */
async function writeBillOfMaterials() {
  const args = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--omit',
    'dev',
    '--package-lock-only',
  ];
  const text = await must(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  const { serialNumber: _serial, ...bill } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  delete bill.metadata.timestamp;
  bill.metadata.component.name = 'parley';
  writeFileSync('dist/parley.sbom.json', `${JSON.stringify(bill, undefined, 2)}\n`);
}

/** What `vsce ls` names is what the archive holds, by the names that `vsce package` gives. */
async function checkContent() {
  // Not there before `prepare`.
  const { default: yauzl } = await import('yauzl');
  const archive = await promisify(yauzl.open)(vsix);
  /** @type {string[]} */
  const held = [];
  archive.on('entry', ({ fileName }) => held.push(fileName.replace(/^extension\//, '').toLowerCase()));
  await new Promise((resolve, reject) => archive.once('end', resolve).once('error', reject));
  const named = files.map((name) => (name === 'LICENSE' ? 'license.txt' : name.toLowerCase()));
  const expected = [...named, '[content_types].xml', 'extension.vsixmanifest'].toSorted().join('\n');
  if (held.toSorted().join('\n') !== expected) throw new Error('"vsce ls" and the VSIX do not agree.');
  console.log(`vsce ls names the ${files.length} files of the VSIX`);
}

async function checkAgain() {
  const changed = await must('git', ['status', '--porcelain']);
  if (changed !== '') throw new Error(`Commit first: the clone does not have\n${changed}`);
  const folder = await makeTemporaryFolder('clone');
  try {
    await must('git', ['clone', '--quiet', root, folder]);
    const { code, output } = await node(['test/host/package.mjs'], { cwd: folder });
    if (code !== 0) throw new Error(output);
    for (const name of [vsix, 'dist/parley.sbom.json']) {
      if (hashOf(name) !== hashOf(join(folder, name)))
        throw new Error(`${name} differs between two builds of one commit.`);
    }
    console.log(`packed again in ${folder}: the same bytes`);
  } finally {
    await removeFolder(folder);
  }
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
