// Builds everything there is to build: the extension, the page, the demo agent, and (with --tests) the tests.
// node esbuild.mjs [--production | --package] [--tests] [--watch]
// Without an option: a development build in dist/. `--production` puts a minified one there; `--package` puts the minified one that the
// VSIX holds into out/package/dist/, so that tests that use dist/ can run meanwhile. `--tests` builds all but `--production`.
import { build, context, transform } from 'esbuild';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const tests = process.argv.includes('--tests');
const production = process.argv.includes('--production');
const packaged = process.argv.includes('--package');
const watch = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: false,
  sourcemap: 'linked',
  metafile: true,
  logLevel: 'warning',
  target: 'es2022',
};

/** Libraries that the host imports dynamically, or requires within a function: each is a file of its own, read when it is first needed and not at activation. */
const lazy = {
  '@agentclientprotocol/sdk/unstable': 'acp',
  '@agentclientprotocol/sdk/experimental/http-client': 'acp-http',
  '@agentclientprotocol/sdk/experimental/ws-client': 'acp-ws',
  ws: 'ws',
  unbash: 'unbash',
  './mcpServerSdk': 'mcp',
  './mcpClientSdk': 'mcp-client',
  './mcpClientSdk2026': 'mcp-client-2026',
  './a2aChunk': 'a2a',
  yauzl: 'yauzl',
  'modern-tar': 'modern-tar',
  'unbzip2-stream': 'unbzip2-stream',
};

/** Those that are modules of our own: with nothing but libraries in them, or a room that has no state in common with the rest. @type {Record<string, string>} */
const modules = {
  './mcpServerSdk': 'src/mcp/host/mcpServerSdk.ts',
  './mcpClientSdk': 'src/mcp/userServers/connection/mcpClientSdk.ts',
  './mcpClientSdk2026': 'src/mcp/userServers/connection/mcpClientSdk2026.ts',
  './a2aChunk': 'src/a2a/a2aChunk.ts',
};

/** Points the imports and requires of `lazy` at their files beside extension.js. @type {import('esbuild').Plugin} */
const lazyLibraries = {
  name: 'lazy-libraries',
  setup(builder) {
    builder.onResolve(
      {
        filter:
          /^(?:@agentclientprotocol\/sdk|ws|unbash|\.{1,2}\/(?:[\w/.]+\/)?(?:mcpServerSdk|mcpClientSdk|mcpClientSdk2026|a2aChunk)$|yauzl|modern-tar|unbzip2-stream)/,
      },
      ({ path, kind }) => {
        // A module of our own is named by its file, from whatever folder it is imported.
        const name = path.startsWith('.') ? `./${basename(path)}` : path;
        return (kind === 'dynamic-import' || kind === 'require-call') && name in lazy
          ? { path: `./lib/${lazy[name]}.js`, external: true }
          : undefined;
      },
    );
  },
};

/** Where `--package` puts its `dist`. */
const packageFolder = 'out/package';

/** Host code runs in the extension host's Node. */
const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
  mainFields: ['module', 'main'],
};

/**
 * Writes what was bundled as ES modules, in parts that share what they have in common, as CommonJS: esbuild splits only the former, and
 * every VS Code loads the latter. What the extension imports dynamically is a file beside it, read when it is first needed.
 * @type {import('esbuild').Plugin}
 */
const inParts = {
  name: 'in-parts',
  setup(builder) {
    builder.onEnd(async ({ outputFiles = [] }) => {
      const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'));
      const { outdir = 'dist', minify = false } = builder.initialOptions;
      if (!watch) await removeParts(outdir, scripts);
      await Promise.all(scripts.map((script) => writeAsCommonJs(script, minify)));
    });
  },
};

/** Scopes of languages that only other languages embed here, in texts that nobody writes: 800 KB of grammars. */
const unused = { cpp: 'source.cpp', jsx: 'source.js.jsx' };

/** In place of their grammars stand languages without patterns: Shiki must know the names. @type {import('esbuild').Plugin} */
const withoutUnused = {
  name: 'without-unused',
  setup(builder) {
    builder.onResolve({ filter: /^\.\/(?:cpp|jsx)\.mjs$/ }, ({ path, importer }) =>
      importer.includes('@shikijs') ? { path: basename(path, '.mjs'), namespace: 'unused' } : undefined,
    );
    builder.onLoad({ filter: /^/, namespace: 'unused' }, ({ path: name }) => {
      const contents = JSON.stringify([{ name, scopeName: unused[name], patterns: [], repository: {} }]);
      return { contents, loader: 'json' };
    });
  },
};

/** Of the 650 icons, keeps the rules and the glyphs of those that the source names. @type {import('esbuild').Plugin} */
const usedIcons = {
  name: 'used-icons',
  setup(builder) {
    const styles = join('node_modules', '@vscode', 'codicons', 'dist', 'codicon.css');
    builder.onLoad({ filter: /codicons[\\/]dist[\\/]codicon\.css$/ }, async ({ path }) => {
      return { contents: await usedIconRules(path), loader: 'css', resolveDir: dirname(path) };
    });
    builder.onLoad({ filter: /codicons[\\/]dist[\\/]codicon\.ttf$/ }, async ({ path }) => {
      const codes = (await usedIconRules(styles)).matchAll(/content: "\\([\da-f]+)"/g);
      const text = Array.from(codes, ([, code]) => String.fromCodePoint(parseInt(code, 16))).join('');
      return { contents: await subsetFont(await readFile(path), text, { targetFormat: 'truetype' }), loader: 'file' };
    });
  },
};

/** The style sheet of all icons without the rules of those that the source does not name. @param {string} path */
async function usedIconRules(path) {
  const folders = await Promise.all(
    ['src/webview', 'src/shared'].map(async (folder) => {
      const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
      return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    }),
  );
  const texts = folders.flat();
  const named = new Set(texts.flatMap((text) => text.match(/(?<=['"`-])[a-z][a-z-]+(?=['"`])/g) ?? []));
  for (const text of texts) for (const [, name] of text.matchAll(/codicon-([a-z-]+)/g)) named.add(name);
  const css = await readFile(path, 'utf8');
  return css.replaceAll(/^\.codicon-([\w-]+):before \{.*\}\n/gm, (rule, name) => (named.has(name) ? rule : ''));
}

async function writeAsCommonJs({ path, text }, minify) {
  const { target } = common;
  const sourcemap = minify ? false : 'external';
  const { code, map } = await transform(text, { format: 'cjs', platform: 'node', minify, target, sourcemap });
  await mkdir(dirname(path), { recursive: true });
  const name = basename(path);
  if (map) await writeFile(`${path}.map`, map);
  await writeFile(path, map ? `${code}//# sourceMappingURL=${name}.map\n` : code);
}

/** Of an earlier build: their names change with what is in them. */
async function removeParts(folder, made) {
  const names = new Set(made.map(({ path }) => basename(path)));
  await mkdir(folder, { recursive: true });
  const old = (await readdir(folder)).filter((name) => /-[A-Z0-9]{8}\.js(?:\.map)?$/.test(name));
  for (const name of old) if (!names.has(name.replace(/\.map$/, ''))) await rm(join(folder, name));
}

/** Those that check what they read with zod: they share one copy of it, also with the demo agent. */
const withZod = new Set(['acp', 'mcp', 'mcp-client', 'mcp-client-2026']);
const libraries = Object.entries(lazy).map(([library, name]) => [name, modules[library] ?? library]);

const targets = [
  {
    ...host,
    format: 'esm',
    splitting: true,
    sourcemap: 'inline',
    write: false,
    plugins: [lazyLibraries, inParts],
    entryPoints: { extension: 'src/extension.ts' },
    chunkNames: '[name]-[hash]',
    outdir: 'dist',
  },
  { ...host, entryPoints: Object.fromEntries(libraries.filter(([name]) => !withZod.has(name))), outdir: 'dist/lib' },
  {
    ...host,
    format: 'esm',
    splitting: true,
    sourcemap: 'inline',
    write: false,
    plugins: [inParts],
    entryPoints: {
      ...Object.fromEntries(libraries.filter(([name]) => withZod.has(name))),
      demo: 'src/demoAgent/main.ts',
    },
    chunkNames: 'shared-[hash]',
    outdir: 'dist/lib',
  },
  { ...host, entryPoints: { replay: 'src/replayAgent/main.ts' }, outdir: 'dist' },
  { ...host, entryPoints: { relay: 'src/mcp/transport/stdioRelay.ts' }, outdir: 'dist' },
  {
    ...common,
    platform: 'browser',
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [withoutUnused, usedIcons],
    entryPoints: {
      page: 'src/webview/chat/page.ts',
      traffic: 'src/webview/traffic/page.ts',
      audit: 'src/webview/audit/page.ts',
      races: 'src/webview/races/page.ts',
      chat: 'media/chat.css',
      tables: 'media/tables.css',
    },
    loader: { '.ttf': 'file', '.woff2': 'file' },
    assetNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    outdir: 'dist/webview',
  },
];

/** Files of test/ that are run as programs of their own: bundled whole, because they are started often. */
const testPrograms =
  /^(?:integration\/index|fakeAgent\/main|agents\/probe|bench\/floodAgent|conformance\/(?:relay|document)|(?:fuzz|a2a|faults)\/main)\.ts$/;

async function testTargets() {
  const files = (await readdir('test', { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('node_modules/'));
  const testTarget = (pattern) => ({
    ...host,
    minify: false,
    sourcemap: 'inline',
    // The sources are there; with them the output is three times as large.
    sourcesContent: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryPoints: files.filter((file) => pattern.test(file)).map((file) => join('test', file)),
    outbase: 'test',
    outdir: 'out/test',
  });
  return [
    // Each test file has a copy of src of its own, so that no test sees the module state of another; libraries are shared.
    { ...testTarget(/\.(?:test|bench)\.tsx?$/), packages: 'external' },
    {
      ...testTarget(testPrograms),
      external: ['vscode', 'mocha', 'playwright-core', 'esbuild', 'axe-core', 'fast-check'],
    },
  ];
}

/** The same targets as they are shipped: minified, without source maps, with `dist` below a folder. */
function productionTargets(folder) {
  return targets.map(({ outdir, ...options }) => ({
    ...options,
    minify: true,
    sourcemap: false,
    outdir: join(folder, outdir),
  }));
}

/** Writes imports and sizes of what was built, for the tests that watch over rooms and budgets. */
async function writeMetafile(file, results) {
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
  await writeFile(join('out', file), JSON.stringify({ inputs: {}, outputs }));
}

/** Writes the licenses of the packages whose code or fonts were bundled into `<folder>/dist/ThirdPartyNotices.txt`, each text once. */
async function writeNotices(folder, results) {
  const outputs = results.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const bundled = outputs.flatMap(({ inputs }) => Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0));
  const packages = new Set(bundled.flatMap((name) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(name) ?? []));
  const packagesOf = new Map();
  for (const name of [...packages].toSorted((a, b) => (a < b ? -1 : 1))) {
    const { heading, text } = await noticeOf(name);
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), heading]);
  }
  const notices = Array.from(packagesOf, ([text, headings]) => `${headings.join('\n')}\n\n${text}\n`);
  await writeFile(join(folder, 'dist/ThirdPartyNotices.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
}

/** @param {string} folder of a package */
async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(?:[.-]|$)/i.test(entry));
  return {
    heading: `${name} ${version} (${license})`,
    text: file ? (await readFile(join(folder, file), 'utf8')).trim() : '',
  };
}

async function buildAll(options) {
  return Promise.all(options.map((target) => build(target)));
}

/** Builds into `<folder>/dist` and writes the metafile. */
async function buildInto(folder, options, metafile) {
  // The package must hold nothing of an earlier build; tests use `dist` meanwhile.
  await rm(join(folder, folder === packageFolder ? 'dist' : 'dist/webview'), { recursive: true, force: true });
  const results = await buildAll(options);
  await writeMetafile(metafile, results);
  await writeNotices(folder, results);
}

async function buildOnce() {
  await mkdir('out', { recursive: true });
  if (production) return buildInto('.', productionTargets('.'), 'meta.json');
  return Promise.all([
    (tests || !packaged) && buildInto('.', targets, 'meta.json'),
    (tests || packaged) && buildInto(packageFolder, productionTargets(packageFolder), 'packageMeta.json'),
    tests && testTargets().then(buildAll),
  ]);
}

async function watchAll() {
  const all = tests ? [...targets, ...(await testTargets())] : targets;
  for (const options of all) await (await context(options)).watch();
}

await (watch ? watchAll() : buildOnce());
