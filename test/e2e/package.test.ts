import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl from 'yauzl';

/** Contents of the VSIX that the other end-to-end tests install (supply chain). */
describe('the VSIX', () => {
  const vsix = join(process.cwd(), 'dist', 'parley.vsix');
  let files: ReadonlyMap<string, Buffer>;

  before(async () => {
    files = await readZip(vsix);
  });

  const text = (name: string): string => files.get(name)?.toString('utf8') ?? '';
  const scripts = (): [string, string][] =>
    [...files.keys()].filter((name) => name.endsWith('.js')).map((name) => [name, text(name)]);

  it('dist/parley.vsix is at most 2 MB', () => {
    assert.ok(statSync(vsix).size <= 2_000_000, `${statSync(vsix).size} bytes`);
  });

  it('contains only expected files', () => {
    const expected = [
      /^extension\.vsixmanifest$/,
      /^\[Content_Types\]\.xml$/,
      /^extension\/(?:package\.json|readme\.md|changelog\.md|LICENSE\.txt)$/,
      /^extension\/package\.nls(?:\.[a-z-]+)?\.json$/,
      /^extension\/l10n\/[\w.-]+\.json$/,
      /^extension\/media\/[\w/.-]+\.(?:svg|png|css|md)$/,
      /^extension\/dist\/(?:extension|demo|replay|relay)\.js$/,
      // Chunks that are loaded later, named by their hash.
      /^extension\/dist\/\w+-[A-Z0-9]{8}\.js$/,
      /^extension\/dist\/ThirdPartyNotices\.txt$/,
      /^extension\/dist\/lib\/[\w-]+\.js$/,
      /^extension\/dist\/webview\/[\w-]+\.(?:js|css|ttf|woff2)$/,
      /^extension\/dist\/webview\/page\.json$/,
      /^extension\/dist\/webview\/chunks\/[\w-]+\.js$/,
    ];
    const strange = [...files.keys()].filter((name) => !expected.some((pattern) => pattern.test(name)));
    assert.deepEqual(strange, []);
    for (const name of ['dist/extension.js', 'dist/lib/demo.js', 'dist/webview/page.js', 'dist/webview/chat.css']) {
      assert.ok(files.has(`extension/${name}`), name);
    }
  });

  it('contains the license of each included package', () => {
    const notices = text('extension/dist/ThirdPartyNotices.txt');
    for (const name of [
      'katex',
      'preact',
      '@shikijs/core',
      '@agentclientprotocol/sdk',
      '@modelcontextprotocol/sdk',
      'ws',
    ]) {
      assert.ok(notices.includes(`\n${name} `) || notices.startsWith(`${name} `), name);
    }
    const empty = notices.split(`\n${'-'.repeat(80)}\n\n`).filter((one) => one.trim().split('\n').length < 4);
    assert.deepEqual(empty, []);
  });

  it('has a manifest without scripts and dependencies', () => {
    const manifest = JSON.parse(text('extension/package.json')) as Record<string, unknown>;
    for (const field of ['scripts', 'dependencies', 'devDependencies', 'extensionDependencies', 'extensionPack']) {
      assert.equal(manifest[field], undefined, field);
    }
    assert.deepEqual([manifest['publisher'], manifest['name']], ['parley', 'parley']);
  });

  it('contains no source maps and no paths of the build machine', () => {
    const places = [process.cwd(), homedir()].filter((place) => place.length > 5);
    for (const [name, code] of scripts()) {
      assert.doesNotMatch(code, /\/\/# sourceMappingURL=/, name);
      for (const place of places) assert.ok(!code.includes(place), `${place} in ${name}`);
    }
  });
});

/** All files of a zip archive, by path. */
async function readZip(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const archive = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(path, { autoClose: false });
  const open = promisify<yauzl.Entry, NodeJS.ReadableStream>(archive.openReadStream.bind(archive));
  const entries = await new Promise<yauzl.Entry[]>((resolve, reject) => {
    const found: yauzl.Entry[] = [];
    archive.on('entry', (entry: yauzl.Entry) => found.push(entry));
    archive.once('end', () => resolve(found));
    archive.once('error', reject);
  });
  const files = new Map<string, Buffer>();
  for (const entry of entries) {
    // One stream after the other: all read from the same file.
    files.set(entry.fileName, await buffer(await open(entry)));
  }
  archive.close();
  return files;
}
