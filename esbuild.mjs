import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
// Builds the extension, the pages, the demo agent, and (with --tests) the tests.
// node esbuild.mjs [--production | --package] [--tests] [--watch] [test files and folders]
// Without an option: a development build in dist/. `--production` writes a minified build to dist/; `--package` writes the minified
// build of the VSIX to out/package/dist/, so that tests can use dist/ meanwhile. `--tests` builds all targets except those of `--production`.
// With names of test files or folders: only these tests, in a second or two instead of half a minute.
import { build, context, transform } from 'esbuild';
import subsetFont from 'subset-font';

const tests = process.argv.includes('--tests');
const production = process.argv.includes('--production');
const packaged = process.argv.includes('--package');
const watch = process.argv.includes('--watch');
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: false,
  sourcemap: 'linked',
  metafile: true,
  logLevel: 'warning',
  target: 'es2022',
};

/**
 * Libraries that the host imports dynamically or requires inside a function. Each becomes a separate file that is read at first
 * use, not at activation.
 */
const lazy = {
  './acpClientSdk': 'acp',
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

/**
 * Own modules that become separate files: they contain only libraries, or share no state with the rest of the extension.
 * @type {Record<string, string>}
 */
const modules = {
  './acpClientSdk': 'src/agent/connection/acpClientSdk.ts',
  './mcpServerSdk': 'src/mcp/contract/mcpServerSdk.ts',
  './mcpClientSdk': 'src/mcp/userServers/mcpClientSdk.ts',
  './mcpClientSdk2026': 'src/mcp/userServers/mcpClientSdk2026.ts',
  './a2aChunk': 'src/a2a/a2aChunk.ts',
};

/** Resolves imports and requires of `lazy` to the separate files beside extension.js. @type {import('esbuild').Plugin} */
const lazyLibraries = {
  name: 'lazy-libraries',
  setup(builder) {
    builder.onResolve(
      {
        filter:
          /^(?:@agentclientprotocol\/sdk|ws|unbash|\.{1,2}\/(?:[\w/.]+\/)?(?:acpClientSdk|mcpServerSdk|mcpClientSdk|mcpClientSdk2026|a2aChunk)$|yauzl|modern-tar|unbzip2-stream)/,
      },
      ({ path, kind }) => {
        // An own module is identified by its file, regardless of the importing folder.
        const name = path.startsWith('.') ? `./${basename(path)}` : path;
        return (kind === 'dynamic-import' || kind === 'require-call') && name in lazy
          ? { path: `./lib/${lazy[name]}.js`, external: true }
          : undefined;
      },
    );
  },
};

/** Validators of the messages of ACP in the SDK. */
const validators = 'node_modules/@agentclientprotocol/sdk/dist/v1/unstable/schema/zod.gen.js';

/**
 * The SDK of ACP creates the validators of all messages while it loads, which takes ten times as long as the rest of it. The extension
 * uses none of them, and the demo agent a few: this plugin moves them to a file of their own, and creates each at its first use. @type {import('esbuild').Plugin}
 */
const lazyValidators = {
  name: 'lazy-validators',
  setup(builder) {
    // Type guards with validators of their own, which nothing here uses.
    builder.onResolve({ filter: /[\\/]guards\.gen\.js$/ }, ({ path, resolveDir }) => {
      return { path: join(resolveDir, path), sideEffects: false };
    });
    builder.onResolve({ filter: /[\\/]zod\.gen\.js$/ }, ({ kind }) =>
      kind === 'require-call' ? { path: './validators.js', external: true } : undefined,
    );
    builder.onLoad({ filter: /[\\/]sdk[\\/]dist[\\/]v1[\\/]acp\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replace(/^import \* as validate from (".*");$/m, 'const validate = () => require($1);')
        .replaceAll(/(?<=Spec\([\w.]+, )validate\.(\w+)/g, '(value) => validate().$1().parse(value)')
        .replaceAll(/\bvalidate\.(\w+)/g, 'validate().$1()');
      return { contents };
    });
    builder.onLoad({ filter: /[\\/]zod\.gen\.js$/ }, async ({ path }) => {
      const once = 'const once = (create) => { let made; return () => (made ??= create()); };';
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(/^export const (z\w+) = ([^]*?);\n(?=\/|export)/gm, (_, name, value) => {
        return `export const ${name} = once(() => ${value.replaceAll(/\bz[A-Z]\w+/g, '$&()')});\n`;
      });
      return { contents: `${once}${contents}` };
    });
  },
};

/** The part of the MCP SDKs that validates JSON Schema: ajv, bundled into client and server. */
const ajvProvider = /[\\/]ajvProvider-\w+\.mjs$/;

/**
 * One copy of ajv instead of three: the server's. The client has the same file, and the older SDK imports the packages. What signs tokens
 * by `jose` is not used. @type {import('esbuild').Plugin}
 */
const oneAjv = {
  name: 'one-ajv',
  setup(builder) {
    const server = 'node_modules/@modelcontextprotocol/server/dist';
    const code = async (file) => (await readFile(file, 'utf8')).replaceAll(/^import .*$|^\/\/# .*$/gm, '');
    builder.onResolve({ filter: ajvProvider }, async ({ path, resolveDir }) => {
      const own = join(resolveDir, path);
      const name = (await readdir(server)).find((file) => ajvProvider.test(`/${file}`));
      const shared = join(process.cwd(), server, name ?? '');
      return name !== undefined && (await code(shared)) === (await code(own)) ? { path: shared } : undefined;
    });
    builder.onResolve({ filter: /^ajv(?:-formats)?$/ }, ({ path, importer }) =>
      importer.includes('@modelcontextprotocol') ? { path, namespace: 'one-ajv' } : undefined,
    );
    builder.onLoad({ filter: /^/, namespace: 'one-ajv' }, ({ path }) => {
      const name = path === 'ajv' ? 'Ajv' : 'addFormats';
      const contents = `export { ${name} as default } from '@modelcontextprotocol/server/validators/ajv';`;
      return { contents, resolveDir: process.cwd() };
    });
    builder.onResolve({ filter: /^jose$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Output folder of `--package`; contains its `dist`. */
const packageFolder = 'out/package';

/** Host code runs in Node, in the extension host. */
const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
  mainFields: ['module', 'main'],
};

/**
 * Bundles as ES modules with shared chunks and converts the result to CommonJS: esbuild splits only ES modules, and every
 * supported VS Code loads CommonJS. Each dynamic import of the extension becomes a separate file, read at first use.
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

/** Scopes of languages that are only embedded in other languages and that agents do not write: 800 KB of grammars. */
const unused = { cpp: 'source.cpp', jsx: 'source.js.jsx' };

/** Replaces their grammars by languages without patterns: Shiki must know the names. @type {import('esbuild').Plugin} */
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

/** Keeps only the rules and glyphs of icons that the source names (of 650). @type {import('esbuild').Plugin} */
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

/** Code points of the font for formulas, without letters and symbols for which TeX has no commands. */
const formulaCharacters = [
  [0x20, 0x5ff],
  [0x1d00, 0x2aff],
  // Variants of glyphs, such as script letters.
  [0xfe00, 0xfe0f],
  [0x1d400, 0x1d7ff],
];

/**
 * Saves 102 KB of the package, two thirds of it by leaving out hints, which only Windows uses, and only for small text.
 * @type {import('esbuild').Plugin}
 */
const formulaFont = {
  name: 'formula-font',
  setup(builder) {
    if (!builder.initialOptions.minify) return;
    const codes = formulaCharacters.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    builder.onLoad({ filter: /noto-sans-math[\\/].*\.woff2$/ }, async ({ path }) => {
      const contents = await subsetFont(await readFile(path), String.fromCodePoint(...codes), {
        targetFormat: 'woff2',
        noHinting: true,
      });
      return { contents, loader: 'file' };
    });
  },
};

/**
 * Returns the style sheet of all icons without the rules of icons that the source does not name.
 * @param {string} path
 */
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
  const options = { platform: 'node', target: common.target, format: 'cjs' };
  const { code, map } = await (minify
    ? minifyCommonJs(path, text, options)
    : transform(text, { ...options, sourcemap: 'external' }));
  await mkdir(dirname(path), { recursive: true });
  const name = basename(path);
  if (map) await writeFile(`${path}.map`, map);
  await writeFile(path, map ? `${code}//# sourceMappingURL=${name}.map\n` : code);
}

/**
 * With getters instead of the functions that copy the exports of an ES module, which over 200 files would repeat: 35 KB of the package.
 * Node finds the names that a dynamic import gives in a last line that never runs; shared chunks are only required.
 */
async function minifyCommonJs(path, text, options) {
  const { code } = await transform(text, options);
  const isShared = basename(path).startsWith('chunk-');
  const [body = '', names = ''] = code.split('// Annotate the CommonJS export names for ESM import in node:\n');
  const getters = (all) => all.replaceAll(/^ {2}(.+?): \(\) => (.+?),?$/gm, 'get $1() { return $2; },');
  const short = body
    .replace('var stdin_exports = {};\n', '')
    .replace(/__export\(stdin_exports, \{\n([^]*?)\}\);\n/, (_, all) =>
      isShared
        ? `module.exports = { __esModule: true, ${getters(all)} };\n`
        : `Object.defineProperty(module.exports = { ${getters(all)} }, '__esModule', { value: true });\n`,
    )
    .replace('module.exports = __toCommonJS(stdin_exports);\n', '');
  const minified = await transform(short, { ...options, minify: true, treeShaking: true });
  return { code: isShared ? minified.code : minified.code.trimEnd() + names.replaceAll(/\s/g, '') + '\n' };
}

/** Chunks of an earlier build: chunk names change with their content. */
async function removeParts(folder, made) {
  const names = new Set(made.map(({ path }) => basename(path)));
  await mkdir(folder, { recursive: true });
  const old = (await readdir(folder)).filter((name) => /-[A-Z0-9]{8}\.js(?:\.map)?$/.test(name));
  for (const name of old) if (!names.has(name.replace(/\.map$/, ''))) await rm(join(folder, name));
}

/** Targets that validate input with zod. They and the demo agent share one copy of zod. */
const withZod = new Set(['acp', 'mcp', 'mcp-client', 'mcp-client-2026']);
const libraries = Object.entries(lazy).map(([library, name]) => [name, modules[library] ?? library]);

/** The pages of the webviews. @type {import('esbuild').BuildOptions} */
const webview = {
  ...common,
  platform: 'browser',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [withoutUnused, usedIcons, formulaFont],
};
const pages = {
  page: 'src/webview/chat/page.ts',
  traffic: 'src/webview/traffic/page.ts',
  audit: 'src/webview/audit/page.ts',
  races: 'src/webview/races/page.ts',
};

/**
 * Puts what is needed at a start into few files. esbuild makes a file for each set of parts that share modules: fifty for the start of the
 * chat, which a webview requests from VS Code, and a hundred for that of the application. Here, each part that is only loaded later imports
 * all of the start, which is loaded then: the set is the same for all modules of the start.
 * @param {string[]} starts modules that are loaded one after the other, each with its static imports
 * @param {string[]} others modules whose parts are also loaded without the last of the starts
 * @returns {import('esbuild').Plugin}
 */
const fewFiles = (starts, others) => ({
  name: 'few-files',
  setup(builder) {
    const { plugins = [], ...options } = builder.initialOptions;
    /** The module that each part imports in addition. */
    let added = new Map();
    builder.onStart(async () => {
      const measured = plugins.filter(({ name }) => !['few-files', 'page-parts', 'in-parts'].includes(name));
      const { metafile } = await build({ ...options, plugins: measured, write: false, metafile: true });
      added = new Map(lateParts(metafile.inputs, starts, others).map((part) => [part, starts.at(-1)]));
      for (const [at, start] of starts.slice(1).entries()) added.set(start, starts[at]);
    });
    builder.onLoad({ filter: /\.(?:[jt]sx?|mjs)$/ }, async ({ path }) => {
      const start = added.get(relative(process.cwd(), path).replaceAll('\\', '/'));
      if (start === undefined) return undefined;
      const contents = `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(join(process.cwd(), start))};\n`;
      return { contents, loader: /\.tsx?$/.exec(path)?.[0].slice(1) ?? 'js' };
    });
  },
});

/** Modules that are loaded later than the starts, and share modules with them. */
function lateParts(inputs, starts, others) {
  const reach = (from, isFollowed = () => true) => {
    const found = new Set(from);
    for (const name of found)
      for (const { path, kind } of inputs[name]?.imports ?? []) if (isFollowed(kind) && inputs[path]) found.add(path);
    return found;
  };
  const atOnce = (names) => reach(names, (kind) => kind !== 'dynamic-import');
  const [start, other] = [atOnce(starts), reach(others)];
  const imports = [...reach(starts)].flatMap((name) => inputs[name].imports);
  const later = new Set(imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' && inputs[path] ? path : [])));
  const isLate = (name) => !start.has(name) && !other.has(name);
  return [...later].filter((name) => isLate(name) && [...atOnce([name])].some((part) => start.has(part)));
}

/** Writes the names of the files that the chat's page imports at its start, for the host. @type {import('esbuild').Plugin} */
const pageParts = {
  name: 'page-parts',
  setup(builder) {
    builder.onEnd(async ({ metafile: { outputs } = { outputs: {} } }) => {
      const { outdir } = builder.initialOptions;
      const entry = Object.keys(outputs).find((name) => name.endsWith('/page.js'));
      const found = new Set(entry === undefined ? [] : [entry]);
      for (const name of found) {
        const needed = outputs[name].imports.filter(({ kind }) => kind === 'import-statement' || name === entry);
        for (const { path } of needed) if (outputs[path]) found.add(path);
      }
      const names = [...found].filter((name) => name !== entry).map((name) => relative(outdir, name));
      await writeFile(join(outdir, 'page.json'), JSON.stringify(names.map((name) => name.replaceAll('\\', '/'))));
    });
  },
};

const targets = [
  {
    ...host,
    format: 'esm',
    splitting: true,
    sourcemap: 'inline',
    write: false,
    plugins: [lazyLibraries, fewFiles(['src/entryPoints.ts', 'src/app.ts'], ['src/entryPoints.ts']), inParts],
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
    plugins: [lazyValidators, oneAjv, inParts],
    entryPoints: {
      ...Object.fromEntries(libraries.filter(([name]) => withZod.has(name))),
      validators,
      demo: 'src/demoAgent/main.ts',
    },
    chunkNames: 'shared-[hash]',
    outdir: 'dist/lib',
  },
  { ...host, entryPoints: { replay: 'src/replayAgent/main.ts' }, outdir: 'dist' },
  { ...host, entryPoints: { relay: 'src/mcp/transport/stdioRelay.ts' }, outdir: 'dist' },
  {
    ...webview,
    plugins: [
      ...webview.plugins,
      fewFiles(
        ['src/webview/chat/main.tsx'],
        Object.values(pages).filter((page) => page !== pages.page),
      ),
      pageParts,
    ],
    splitting: true,
    entryPoints: { ...pages, chat: 'media/chat.css', tables: 'media/tables.css' },
    loader: { '.ttf': 'file', '.woff2': 'file' },
    assetNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    outdir: 'dist/webview',
  },
];

/** Files of test/ that run as separate programs: bundled without splitting, because they start often. */
const testPrograms =
  /^(?:integration\/index|fakeAgent\/main|agents\/probe|bench\/floodAgent|conformance\/(?:relay|document)|(?:fuzz|a2a|faults)\/main)\.ts$/;

const testFile = /\.(?:test|bench)\.tsx?$/;

/** Bundles files of test/; each gets its own copy of src, so that tests share no module state. */
const testTarget = (files) => ({
  ...host,
  minify: false,
  metafile: false,
  // Sources are on disk; including them triples the output.
  sourcesContent: false,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryPoints: files,
  outbase: 'test',
  outdir: 'out/test',
});

async function testFiles(pattern) {
  const files = (await readdir('test', { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  return files
    .filter((file) => pattern.test(file) && !file.includes('node_modules/'))
    .map((file) => join('test', file));
}

/** @param {readonly string[]} names Files or folders. */
async function namedTests(names) {
  const wanted = names.map((name) => join(name));
  const files = await testFiles(testFile);
  const found = files.filter((file) => wanted.some((name) => file === name || file.startsWith(join(name, '/'))));
  if (found.length === 0) throw new Error(`there is no test in ${names.join(', ')}`);
  return [{ ...testTarget(found), packages: 'external' }];
}

async function testTargets() {
  return [
    // Each page in one file, for the tests of scenes: they open hundreds of pages, and a page has seventy parts to load.
    { ...webview, sourcemap: false, entryPoints: pages, outdir: 'out/test/webview' },
    { ...testTarget(await testFiles(testFile)), packages: 'external' },
    {
      ...testTarget(await testFiles(testPrograms)),
      external: ['vscode', 'mocha', 'playwright-core', 'esbuild', 'axe-core', 'fast-check'],
    },
  ];
}

/** The same targets as shipped: minified, without source maps, with `dist` inside a folder. */
function productionTargets(folder) {
  return targets.map(({ outdir, ...options }) => ({
    ...options,
    minify: true,
    sourcemap: false,
    outdir: join(folder, outdir),
  }));
}

/** Writes imports and sizes of the bundles for test/architecture.test.ts. */
async function writeMetafile(file, results) {
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
  await writeFile(join('out', file), JSON.stringify({ inputs: {}, outputs }));
}

/** What `src/webview/chat/knownAgentIcon.tsx` was drawn from; under the same license as Parley. */
const AGENT_ICONS = 'Agent icons, from https://github.com/agentclientprotocol/registry (Apache-2.0)';

/** Writes the licenses of all bundled packages, fonts and icons to `<folder>/dist/ThirdPartyNotices.txt`, each text once. */
async function writeNotices(folder, results) {
  const outputs = results.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const bundled = outputs.flatMap(({ inputs }) => Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0));
  const packages = new Set(bundled.flatMap((name) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(name) ?? []));
  const packagesOf = new Map();
  for (const name of [...packages].toSorted((a, b) => (a < b ? -1 : 1))) {
    const { heading, text } = await noticeOf(name);
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), heading]);
  }
  const apache = (await readFile('LICENSE', 'utf8')).trim();
  packagesOf.set(apache, [...(packagesOf.get(apache) ?? []), AGENT_ICONS]);
  const notices = Array.from(packagesOf, ([text, headings]) => `${headings.join('\n')}\n\n${text}\n`);
  await writeFile(join(folder, 'dist/ThirdPartyNotices.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
}

/** @param {string} folder Folder of a package. */
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
  // The package must not contain files of an earlier build; tests use `dist` meanwhile.
  await rm(join(folder, folder === packageFolder ? 'dist' : 'dist/webview'), { recursive: true, force: true });
  const results = await buildAll(options);
  await writeMetafile(metafile, results);
  await writeNotices(folder, results);
}

async function buildOnce() {
  await mkdir('out', { recursive: true });
  if (named.length > 0) return buildAll(await namedTests(named));
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
