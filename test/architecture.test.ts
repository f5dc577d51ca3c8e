import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import { plainSettings, readPlainSettings } from '../src/base/settings';
import type { SettingProblem } from '../src/base/settings';
import type { CommandTargets } from '../src/commands';
import { commandTable } from '../src/commands';
import { scopedSettings } from '../src/session/settings/scopedSettings';
import { standIn } from './kit/stubOf';

/** Checks the architecture: allowed imports, file sizes, and that package.json matches the code. */

/** npm runs the tests in the repository root. */
const root = process.cwd();

/** What may look into the raw input of a tool call: the reader for decisions, the readers' file, and what only displays it. */
const READS_RAW_INPUT = [
  'permissions/subject/',
  'shared/text/toolInput.ts',
  'webview/',
  'ui/pendingRequests.ts',
  'demoAgent/',
  // The todos of a plan.
  'session/translate/translateUpdate.ts',
];

/** What reads files of the system, of Parley or of VS Code, and the readers for files of a workspace themselves. */
const READS_OTHER_FILES = [
  'node/process/writtenBytes.ts',
  'node/process/processActivity.ts',
  'node/process/processTree.ts',
  'node/process/processScope.ts',
  'node/process/processStart.ts',
  'node/fs/storedFile.ts',
  'node/fs/readIfThere.ts',
  'workbench/workspaceFiles.ts',
  'ui/chat/chatDocument.ts',
  'ui/chat/syntaxTheme.ts',
  'ui/editorActions/whatsNew.ts',
  'history/sessionStore.ts',
  'agent/registry/agentRegistry.ts',
  'agent/registry/archive/unpack.ts',
  'review/storage/blobStore.ts',
  'worktrees/worktreeContent.ts',
  'session/sessionTakeover.ts',
  // What it has just written.
  'client/fs/diskFiles.ts',
  // Processes of their own.
  'demoAgent/scenes/editScene.ts',
  'replayAgent/main.ts',
];

/** Rooms that each room may import besides itself. Files directly in src are rooms as well. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  shared: ['base'],
  node: ['base'],
  workbench: ['base', 'node'],
  worktrees: ['base', 'node'],
  agent: ['base', 'node', 'shared'],
  permissions: ['base', 'node', 'shared'],
  history: ['base', 'node', 'shared'],
  session: ['base', 'node', 'shared', 'agent', 'permissions', 'history'],
  client: ['base', 'node', 'shared', 'workbench', 'agent', 'permissions', 'history', 'session'],
  review: ['base', 'node', 'shared', 'workbench', 'agent', 'permissions', 'history', 'session'],
  mcp: ['base', 'node', 'shared', 'workbench', 'agent', 'permissions', 'history', 'session'],
  a2a: ['base', 'node', 'shared', 'workbench', 'agent', 'permissions', 'history', 'session', 'loadTranslations'],
  ui: ['base', 'node', 'shared', 'workbench', 'worktrees', 'agent', 'permissions', 'history', 'session'],
  webview: ['base', 'shared'],
  demoAgent: ['base'],
  replayAgent: ['base', 'shared'],
  outputLog: ['base'],
  configuration: ['base', 'node', 'shared', 'workbench', 'agent', 'permissions', 'history', 'session'],
  commands: ['base', 'shared'],
  loadTranslations: ['base'],
  services: [
    'base',
    'node',
    'workbench',
    'worktrees',
    'agent',
    'permissions',
    'history',
    'client',
    'ui',
    'outputLog',
    'configuration',
  ],
  agentRuntime: ['services', 'base', 'workbench', 'agent', 'session', 'client', 'review', 'mcp', 'a2a', 'ui'],
  app: [
    'entryPoints',
    'services',
    'agentRuntime',
    'base',
    'node',
    'shared',
    'workbench',
    'worktrees',
    'agent',
    'permissions',
    'history',
    'session',
    'client',
    'review',
    'mcp',
    'a2a',
    'ui',
    'outputLog',
    'configuration',
    'commands',
  ],
  entryPoints: ['base', 'shared', 'workbench', 'review', 'mcp', 'ui', 'outputLog', 'commands'],
  extension: ['entryPoints', 'app', 'loadTranslations'],
};

const WITH_VSCODE = new Set([
  'client',
  'workbench',
  'review',
  'mcp',
  'a2a',
  'ui',
  'app',
  'agentRuntime',
  'services',
  'commands',
  'configuration',
  'outputLog',
  'entryPoints',
  'extension',
  'loadTranslations',
]);

/** SDK types are confined to these files; `agent/clientFeature.ts` and similar files belong to `agent`. */
const WITH_SDK = new Set(['agent', 'client', 'mcp', 'demoAgent', 'session/translate/translateUpdate.ts']);

const WITHOUT_NODE = new Set(['base', 'shared', 'webview']);

/** A file is as long as one idea; one that is longer than this stands in `LONG_FILES`. */
const MAX_LINES = 400;

/** Files of src that are longer, each with the reason. */
const LONG_FILES: ReadonlyMap<string, string> = new Map([]);

/** How often code may still do what is only being reduced: bags of options, views of classes, casts of stubs. Never raised. */
const AT_MOST = { bags: 37, fields: 213, picks: 55, casts: 1 };

/** Entry file names of esbuild: each folder may have its own. */
const ENTRY_NAMES = new Set(['main', 'page', 'app']);

/** Built from parts, or this file would match itself. */
const FORBIDDEN: readonly RegExp[] = [
  new RegExp(['\\.\\.', 'shared'].join('/') + '(?=[/\'"` ]*(reference|experience|architecture|design|tool-servers))'),
  new RegExp(['', 'work', ''].join('/') + '(main|shared|\\.)'),
  new RegExp(['registry', 'npmjs', 'org'].join('\\.')),
  // Documents outside the repository; a file of that name without a section number is allowed.
  new RegExp(['\\b(?:experience|tool-servers|libraries|acp)', 'md\\b'].join('\\.')),
  new RegExp(['\\b(?:agents|mcp|architecture)', 'md,? (?:section )?\\d'].join('\\.')),
  new RegExp(['\\.', 'library'].join('') + '/'),
];

interface SourceFile {
  /** Path below src with forward slashes. */
  readonly path: string;
  readonly room: string;
  readonly text: string;
}

const sources: readonly SourceFile[] = filesBelow(join(root, 'src'), ['.ts', '.tsx']).map((file) => {
  const path = relative(join(root, 'src'), file).split(sep).join('/');
  return { path, room: roomOf(path), text: readFileSync(file, 'utf8') };
});

/** The English text that VS Code shows: `%key%` refers to package.nls.json. */
const sentences = JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')) as Record<string, string>;
const manifestText = readFileSync(join(root, 'package.json'), 'utf8').replaceAll(
  /"%([\w.-]+)%"/g,
  (whole, key: string) => JSON.stringify(sentences[key] ?? whole),
);
const manifest = JSON.parse(manifestText) as {
  icon?: string;
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  contributes: {
    viewsContainers: Record<string, { id: string; icon: string }[]>;
    commands: { command: string; title: string; category: string }[];
    submenus: { id: string }[];
    menus: Record<string, { command?: string; submenu?: string }[]>;
    keybindings: readonly { command: string; key: string; args?: { commands?: readonly string[] } }[];
    configuration: { properties: Record<string, Setting> }[];
  };
};

interface Setting {
  readonly type: string;
  readonly scope: string;
  readonly default: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

function filesBelow(folder: string, endings: readonly string[]): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && endings.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`));
}

function roomOf(path: string): string {
  return path.split('/')[0]?.replace(/\.tsx?$/, '') ?? '';
}

/** Modules that a file imports, types included: imports, re-exports and dynamic imports. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]/gm,
  );
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)|\brequire\(\s*['"]([^'"]+)['"]\s*\)/g);
  return [...statements, ...dynamic].map((match) => match[1] ?? match[2] ?? '');
}

/** Names of the exported declarations; overloads and merged declarations several times. */
function exportsOf(text: string): string[] {
  const exported = /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
  return Array.from(text.matchAll(exported), ([, name = '']) => name);
}

/** Resolves a relative import to a path below src; undefined outside src. */
function targetOf(source: SourceFile, specifier: string): string | undefined {
  const target = relative(join(root, 'src'), resolve(root, 'src', dirname(source.path), specifier));
  return target.startsWith('..') ? undefined : target.split(sep).join('/');
}

const paths = new Set(sources.map(({ path }) => path));

/** Files below src that a file imports. */
function targetsOf(source: SourceFile): string[] {
  return importsOf(source.text).flatMap((specifier) => {
    const target = specifier.startsWith('.') ? targetOf(source, specifier) : undefined;
    return [`${target}.ts`, `${target}.tsx`].filter((path) => paths.has(path));
  });
}

/** Folders of a folder below src, lowest first, as CONTRIBUTING.md lists them. */
function documentedOrders(): (readonly [string, readonly string[]])[] {
  const rows = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(
    /^\| `src\/([\w/]+)` \| ((?:`\w+`(?:, )?)+) \|$/gm,
  );
  return Array.from(rows, ([, folder = '', list = '']) => [
    folder,
    Array.from(list.matchAll(/\w+/g), ([name]) => name),
  ]);
}

/** The folder directly in `folder` that contains the path. */
function folderIn(folder: string, path: string): string | undefined {
  const below = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/') : [];
  return below.length > 1 ? `${folder}/${below[0]}` : undefined;
}

/** Files of one import cycle, with the first repeated at the end; empty without a cycle. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle.length > 0) return cycle;
    }
    path.pop();
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

function offenders(check: (source: SourceFile, specifier: string) => string | undefined): string[] {
  return sources.flatMap((source) =>
    importsOf(source.text).flatMap((specifier) => {
      const complaint = check(source, specifier);
      return complaint === undefined ? [] : [`src/${source.path} imports ${specifier}: ${complaint}`];
    }),
  );
}

/** Exports below src, as `path: name`, that no importing file names. Paths are relative to the root. */
function unimported(files: ReadonlyMap<string, string>): string[] {
  const importers = new Map<string, ReadonlySet<string>[]>();
  for (const [path, text] of files) {
    // Test pages import from the root, in code strings that are bundled there.
    const targets = importsOf(text).flatMap((specifier) => [join(dirname(path), specifier), join(specifier)]);
    const words = new Set(text.match(/\w+/g));
    for (const target of new Set(targets)) importers.set(target, [...(importers.get(target) ?? []), words]);
  }
  return [...files].flatMap(([path, text]) => {
    if (!path.startsWith(`src${sep}`) || path === join('src', 'extension.ts')) return [];
    const words = importers.get(path.replace(/\.tsx?$/, '')) ?? [];
    return exportsOf(text)
      .filter((name) => !words.some((of) => of.has(name)))
      .map((name) => `${path.split(sep).join('/')}: ${name}`);
  });
}

describe('architecture', () => {
  it('finds all rooms and their imports', () => {
    assert.ok(sources.length > 40, `only ${sources.length} files`);
    const unknown = sources.filter(({ room }) => !(room in ROOMS)).map(({ path }) => path);
    assert.deepEqual(unknown, []);
    const view = sources.find(({ path }) => path === 'ui/registerUi.ts');
    assert.ok(importsOf(view?.text ?? '').includes('vscode'));
    assert.deepEqual(
      importsOf("import {\n a,\n} from './b';\nexport type { c } from './d';\nawait import('e');\nimport 'f';"),
      ['./b', './d', 'f', 'e'],
    );
  });

  it('imports downwards only', () => {
    const wrong = offenders((source, specifier) => {
      if (!specifier.startsWith('.')) return undefined;
      const target = targetOf(source, specifier);
      if (target === undefined) return 'outside src';
      const room = roomOf(target);
      return room === source.room || ROOMS[source.room]?.includes(room)
        ? undefined
        : `${source.room} may not use ${room}`;
    });
    assert.deepEqual(wrong, []);
  });

  it('keeps vscode, Node and the SDK in their rooms', () => {
    const wrong = offenders((source, specifier) => {
      if (specifier === 'vscode') return WITH_VSCODE.has(source.room) ? undefined : 'no vscode here';
      if (specifier.startsWith('node:')) return WITHOUT_NODE.has(source.room) ? 'no Node here' : undefined;
      if (!specifier.startsWith('@agentclientprotocol/')) return undefined;
      return WITH_SDK.has(source.room) || WITH_SDK.has(source.path) ? undefined : 'no SDK here';
    });
    assert.deepEqual(wrong, []);
  });

  it('cuts repeated characters off the end of a text in linear time', () => {
    // Without a start or a look-behind, `/\s+$/` tries each blank of a run that does not end the text.
    const replaced = /\.replace(?:All)?\(\s*\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\/[\n])+)\/[a-z]*,/g;
    const slow = sources.flatMap(({ path, text }) =>
      Array.from(text.matchAll(replaced), ([, pattern = '']) => pattern)
        .filter((pattern) => /[+*]\$$/.test(pattern) && !/^\^|\(\?<[!=]|\[\^\]\*\$$/.test(pattern))
        .map((pattern) => `${path}: ${pattern}`),
    );
    assert.deepEqual(slow, []);
  });

  it('normalizes text in linear time', () => {
    const raw = sources.filter(({ path, text }) => path !== 'base/text.ts' && /\.normalize\(\s*(?:'NF|\))/.test(text));
    assert.deepEqual(
      raw.map(({ path }) => path),
      [],
    );
  });

  it('uses acquireVsCodeApi only in the host file of the page', () => {
    const knowing = sources.filter(({ text }) => text.includes('acquireVsCodeApi')).map(({ path }) => path);
    assert.deepEqual(knowing, ['webview/page/pageHost.ts']);
  });

  it('shows messages, progress and input boxes only through workbench/windowMessages.ts, which escapes links', () => {
    const raw =
      /\bwindow\s*(?:\.|\[\W*)(?:show(?:Information|Warning|Error)Message|withProgress|\w*InputBox)\b|\bshow\w*Message\b[^;=]*= vscode\.window/;
    const wrong = sources.filter(({ path, text }) => path !== 'workbench/windowMessages.ts' && raw.test(text));
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  it('runs no command of VS Code that changes or closes whatever editor is active by then', () => {
    const acting =
      /executeCommand\(\s*['"`](?:undo|redo|editor\.action\.|workbench\.files\.action\.|workbench\.action\.(?:files\.|closeActive|(?!focus)\w*Editor))/;
    assert.deepEqual(
      sources.filter(({ text }) => acting.test(text)).map(({ path }) => path),
      [],
    );
  });

  it('makes VS Code change and save files only through workbench/editorWrites.ts, which follows no link that replaced one', () => {
    const raw =
      /\bworkspace\s*(?:\.|\[\W*)(?:applyEdit|save|saveAs|saveAll)\b|\b\w*(?:[dD]ocument|[nN]otebook|editor)\w*\??\.save\(|\.createFile\(|\bapplyEdit\b[^;=]*= vscode\.workspace\b/;
    assert.deepEqual(
      sources.flatMap(({ path, text }) => (raw.test(text) ? [path] : [])).toSorted(),
      // The edit that `plannedEdit` builds is applied by `applyInPlace`.
      ['mcp/builtin/common/plannedEdit.ts', 'workbench/editorWrites.ts'],
    );
  });

  it('reads files that may be of a workspace only through node/fs/regularFile.ts, which stops at a limit and at pipes', () => {
    const raw = /\bimport\b[^;]*\b(?:readFile|readFileSync|createReadStream)\b[^;]*'node:fs|\bfs\.readFile\(/;
    const wrong = sources.filter(
      ({ path, text }) => raw.test(text) && !READS_OTHER_FILES.some((each) => path.startsWith(each)),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
    const stale = READS_OTHER_FILES.filter(
      (each) => !sources.some(({ path, text }) => path === each && raw.test(text)),
    );
    assert.deepEqual(stale, []);
  });

  it('reads the raw input of a tool call for a decision only in permissions/subject', () => {
    const reads =
      /\brawInput\s*(?:\?\.|\.(?!\.)|\[)|\b(?:as\w+|isObject)\([^()]*\brawInput\)(?:\?\.|\.|\[)|\}\s*=\s*[\w.]*rawInput\b/;
    const readers = /\btool(?:Command|Paths|Cwd|Env)\b/;
    const wrong = sources.filter(
      ({ path, text }) =>
        !READS_RAW_INPUT.some((each) => path.startsWith(each)) &&
        (reads.test(text) || (text.includes('text/toolInput') && readers.test(text))),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
    for (const invented of [
      'x.rawInput.command',
      "asObject(rawInput)?.['a']",
      'const { cmd } = call.rawInput;',
      "rawInput['a']",
    ])
      assert.match(invented, reads);
  });

  it('has no file over 400 lines without a reason', () => {
    const long = sources
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ path, lines }) => lines > (path === 'extension.ts' ? 40 : MAX_LINES));
    assert.deepEqual(
      long.map(({ path }) => path),
      [...LONG_FILES.keys()],
    );
  });

  it('uses a file name once, so that Quick Open finds the file', () => {
    const names = new Map<string, string[]>();
    for (const { path } of sources) {
      const name = basename(path).replace(/\.tsx?$/, '');
      names.set(name, [...(names.get(name) ?? []), path]);
    }
    const twice = [...names].filter(([name, paths]) => paths.length > 1 && !ENTRY_NAMES.has(name));
    assert.deepEqual(
      twice.map(([, paths]) => paths),
      [],
    );
  });

  it('exports a name once, so that a search for it finds one definition', () => {
    const twice = (files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] => {
      const definitions = new Map<string, string[]>();
      for (const { path, text } of files)
        for (const name of new Set(exportsOf(text))) definitions.set(name, [...(definitions.get(name) ?? []), path]);
      return [...definitions].flatMap(([name, paths]) => (paths.length > 1 ? `${name}: ${paths.join(', ')}` : []));
    };
    const invented = ['export type A = 1;', 'export function A() {}\nexport const B = 1;', 'const B = 1;'];
    assert.deepEqual(twice(invented.map((text, index) => ({ path: `${index}.ts`, text }))), ['A: 0.ts, 1.ts']);
    assert.deepEqual(twice(sources), []);
  });

  it('gives the record of all services to functions that register something, never to a class', () => {
    const inClass = (text: string): boolean =>
      Array.from(text.matchAll(/\bconstructor\(([^)]*)\)/g), ([, parameters = '']) => parameters).some((parameters) =>
        /\bWindow\b/.test(parameters),
      ) || /^ {2}(?:private |readonly |static |#)[^(\n]*: Window\b/m.test(text);
    assert.ok(inClass('class A {\n  constructor(\n    private readonly window: Window,\n  ) {}\n}'));
    assert.ok(inClass('class A {\n  readonly #window: Window;\n}'));
    assert.ok(!inClass('export function registerA({ log }: Window): void {}'));
    assert.deepEqual(
      sources.filter(({ text }) => inClass(text)).map(({ path }) => path),
      [],
    );
  });

  it('hands over objects: no more bags of options, views and casts of stubs than it had', () => {
    const bags = /interface (\w*(?:Options|Deps|Parts|Context|Host))\b[^{]*\{([\s\S]*?)\n\}/g;
    const count = (texts: readonly string[], pattern: RegExp): number =>
      texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
    const texts = sources.map(({ text }) => text);
    const bodies = texts.flatMap((text) => Array.from(text.matchAll(bags), ([, , body = '']) => body));
    const tests = filesBelow(join(root, 'test'), ['.ts', '.tsx']).map((file) => readFileSync(file, 'utf8'));
    const found = {
      bags: bodies.length,
      fields: count(bodies, /^ {2}(?:readonly )?\w+[?(:]/gm),
      picks: count(texts, /\bPick</g),
      casts: count(tests, /\bas (?:never|unknown as)\b/g),
    };
    const invented = 'export interface AOptions {\n  readonly a: 1;\n  readonly b?: Pick<C, "d">;\n}\n';
    assert.equal(Array.from(invented.matchAll(bags)).length, 1);
    for (const [name, most] of Object.entries(AT_MOST))
      assert.ok(found[name as keyof typeof found] <= most, `${name}: ${JSON.stringify(found)}`);
  });

  it('has no function named mount', () => {
    const names = /\b(?:function|const|let|class|interface|type)\s+(?:mount|Mount)\w*|\bmount\w*\s*[(:]/g;
    const wrong = sources.flatMap(({ path, text }) => [
      ...(/mount/i.test(path) ? [path] : []),
      ...Array.from(text.matchAll(names), ([found]) => `${path}: ${found}`),
    ]);
    assert.deepEqual(wrong, []);
  });

  it('has no import cycle, types included', () => {
    const graph = new Map(sources.map((source) => [source.path, targetsOf(source)]));
    assert.ok(graph.get('extension.ts')?.includes('app.ts'));
    assert.deepEqual(
      cycleIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
      ['b', 'c', 'b'],
    );
    assert.deepEqual(cycleIn(graph), []);
  });

  it('has an order of folders and files in every folder: imports between them form no cycle', () => {
    const graphs = new Map<string, Map<string, string[]>>();
    const addImport = (from: string, to: string): void => {
      const [parts, others] = [from.split('/'), to.split('/')];
      const depth = parts.findIndex((part, index) => part !== others[index]);
      if (depth < 0) return;
      const folder = parts.slice(0, depth).join('/');
      const graph = graphs.get(folder) ?? new Map<string, string[]>();
      graphs.set(folder, graph);
      const name = parts.slice(0, depth + 1).join('/');
      graph.set(name, [...(graph.get(name) ?? []), others.slice(0, depth + 1).join('/')]);
    };
    for (const source of sources) for (const target of targetsOf(source)) addImport(source.path, target);
    assert.ok(graphs.get('session')?.get('session/liveSession.ts')?.includes('session/turn'));
    assert.ok(documentedOrders().length > 10);
    addImport('invented/upper/a.ts', 'invented/lower/b.ts');
    addImport('invented/lower/c.ts', 'invented/upper/d.ts');
    const cycles = [...graphs.values()].map(cycleIn).filter((cycle) => cycle.length > 0);
    assert.deepEqual(cycles, [['invented/upper', 'invented/lower', 'invented/upper']]);
    for (const [folder, order] of documentedOrders()) {
      const listed = order.map((name) => `${folder}/${name}`);
      const folders = new Set(sources.flatMap(({ path }) => folderIn(folder, path) ?? []));
      assert.deepEqual(listed.toSorted(), [...folders].toSorted(), `folders of ${folder} in CONTRIBUTING.md`);
      for (const [from, targets] of graphs.get(folder) ?? [])
        for (const to of targets)
          if (listed.includes(from) && listed.includes(to))
            assert.ok(listed.indexOf(to) <= listed.indexOf(from), `${from} imports ${to}`);
    }
  });

  it('exports nothing that no other file imports', () => {
    const [a, b] = ['a.ts', 'b.ts'].map((name) => join('src', name)) as [string, string];
    const invented = [
      [a, 'export const used = 1;\nexport function unused() {}'],
      [b, "import { used } from './a';"],
    ] as const;
    assert.deepEqual(unimported(new Map(invented)), ['src/a.ts: unused']);
    const files = ['src', 'test'].flatMap((folder) => filesBelow(join(root, folder), ['.ts', '.tsx']));
    const texts = files.map((file) => [relative(root, file), readFileSync(file, 'utf8')] as const);
    // Types for other extensions.
    const api = 'src/mcp/extensionApi/parleyApi.ts: ';
    assert.deepEqual(
      unimported(new Map(texts)).filter((each) => !each.startsWith(api)),
      [],
    );
  });

  it('has no default exports', () => {
    const wrong = sources.filter(({ text }) => /^export default\b/m.test(text)).map(({ path }) => path);
    assert.deepEqual(wrong, []);
  });

  it('mentions no paths or documents of the workplace', () => {
    const places = ['src', 'test', 'docs', '.ci', 'media'].flatMap((folder) =>
      filesBelow(join(root, folder), [
        '',
        '.ts',
        '.tsx',
        '.mjs',
        '.cjs',
        '.js',
        '.json',
        '.md',
        '.css',
        '.svg',
        '.yml',
      ]),
    );
    const files = [
      ...places,
      ...['README.md', 'package.json', 'package-lock.json', 'esbuild.mjs'].map((name) => join(root, name)),
    ];
    const found = files.filter(existsSync).flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return FORBIDDEN.filter((word) => word.test(text)).map((word) => `${relative(root, file)}: ${String(word)}`);
    });
    assert.deepEqual(found, []);
  });
});

describe('package.json', () => {
  const { contributes } = manifest;
  const properties: Record<string, Setting> = Object.assign(
    {},
    ...contributes.configuration.map((one) => one.properties),
  );
  /** Has every command of every group. */
  const noTargets = standIn<CommandTargets>(new Proxy(() => undefined, { get: (): unknown => noTargets }));

  it('contributes exactly the registered commands', () => {
    const ids = contributes.commands.map(({ command }) => command);
    assert.deepEqual(ids.toSorted(), Object.keys(commandTable(noTargets)).toSorted());
    for (const { category } of contributes.commands) assert.equal(category, 'Parley');
  });

  it('uses only existing commands in menus and keys', () => {
    const known = new Set([
      ...contributes.commands.map(({ command }) => command),
      ...contributes.submenus.map(({ id }) => id),
    ]);
    const used = [
      ...Object.values(contributes.menus).flatMap((rows) => rows.map(({ command, submenu }) => command ?? submenu)),
      ...contributes.keybindings.map(({ command, args }) =>
        command === 'runCommands' ? args?.commands?.[1] : command,
      ),
      ...contributes.submenus.map(({ id }) => (id in contributes.menus ? id : `an empty ${id}`)),
    ];
    assert.deepEqual(
      used.filter((id) => id === undefined || !known.has(id)),
      [],
    );
  });

  it('takes the focus from a file at once where a key opens something to type in', () => {
    const { keybindings } = contributes;
    const blurring = keybindings.filter(({ command }) => command === 'runCommands');
    assert.ok(blurring.length > 0);
    for (const { key, args } of blurring) {
      const [first, then, ...more] = args?.commands ?? [];
      assert.deepEqual([first, more], ['workbench.action.blur', []]);
      // VS Code shows the key of a command in menus and lists only where the key itself names the command.
      assert.ok(
        keybindings.some((each) => each.command === then && each.key === key),
        then,
      );
    }
  });

  it('contributes exactly the settings that the code reads', () => {
    const read = [...Object.keys(scopedSettings), ...Object.keys(plainSettings)].map((key) => `parley.${key}`);
    assert.deepEqual(Object.keys(properties).toSorted(), read.toSorted());
  });

  it('declares the same defaults and limits as the code', () => {
    const defaults = readPlainSettings((_key, reader) => reader(undefined, () => undefined));
    for (const [key, value] of Object.entries(defaults)) {
      const setting = properties[`parley.${key}`];
      assert.ok(setting);
      assert.deepEqual(setting.default, value, key);
      const edges = [...(setting.enum ?? []), setting.minimum, setting.maximum].filter((edge) => edge !== undefined);
      for (const edge of edges) assert.deepEqual(problemsOf(key, edge), [], `${key}: ${edge}`);
      for (const over of [(setting.minimum ?? NaN) - 1, (setting.maximum ?? NaN) + 1]) {
        if (!Number.isNaN(over)) assert.equal(problemsOf(key, over).length, 1, `${key}: ${over}`);
      }
    }
    for (const [key, reader] of Object.entries(scopedSettings)) {
      const problems: unknown[] = [];
      const read = (value: unknown): unknown => reader(value, (...problem) => problems.push(problem));
      const declared = properties[`parley.${key}`]?.default;
      assert.notEqual(declared, undefined, key);
      assert.deepEqual([read(declared), problems], [read(undefined), []], key);
    }
  });

  it('describes every setting', () => {
    for (const [key, setting] of Object.entries(properties)) {
      assert.ok((setting.description ?? setting.markdownDescription ?? '').length > 20, key);
      assert.ok(setting.scope, key);
      if (setting.enum) assert.equal(setting.enumDescriptions?.length, setting.enum.length, key);
    }
  });

  it('has its view in the secondary side bar, with existing icons', () => {
    const [container] = contributes.viewsContainers['secondarySidebar'] ?? [];
    assert.equal(container?.id, 'parley');
    for (const icon of [container.icon, manifest.icon]) assert.ok(icon && existsSync(join(root, icon)), icon);
  });

  it('has the types of the oldest supported VS Code', () => {
    assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode']}`);
  });

  function problemsOf(key: string, value: unknown): SettingProblem[] {
    const problems: SettingProblem[] = [];
    plainSettings[key as keyof typeof plainSettings](value, (message) => problems.push({ path: key, message }));
    return problems;
  }
});

describe('size', () => {
  /** Bytes, minified; of the extension with the application, which its first use loads: `activation.test.ts` has the budget of an activation. */
  const budgets = { 'dist/extension.js': 660_000, 'dist/webview/page.js': 160_000 };
  /** Files of the same: a webview requests each from VS Code. */
  const fileBudgets: Readonly<Record<string, number>> = { 'dist/extension.js': 24, 'dist/webview/page.js': 12 };
  const built = JSON.parse(readFileSync(join(root, 'out/meta.json'), 'utf8')) as Pick<Metafile, 'outputs'>;
  /** Shipped size in bytes. */
  const packaged = 'out/package';
  const shipped = (JSON.parse(readFileSync(join(root, 'out/packageMeta.json'), 'utf8')) as Pick<Metafile, 'outputs'>)
    .outputs;

  for (const [file, budget] of Object.entries(budgets)) {
    it(`${file} with its static imports has at most ${budget / 1000} KB`, () => {
      const entry = `${packaged}/${file}`;
      const parts = loadedAtOnce(entry, shipped);
      for (const { path, kind } of shipped[entry]?.imports ?? []) {
        // An entry gets the translations, then the rest; the extension gets its application only with the first use.
        if (kind === 'dynamic-import') loadedAtOnce(path, shipped, parts);
      }
      const sizes = [...parts].map((part) => [part, statSync(join(root, part)).size] as const);
      const sum = sizes.reduce((total, [, size]) => total + size, 0);
      assert.ok(sum <= budget, `${sum} bytes: ${sizes.map((size) => size.join(' ')).join(', ')}`);
      assert.ok(parts.size <= (fileBudgets[file] ?? 0), `${parts.size} files: ${[...parts].join(', ')}`);
      assert.ok(
        sizes.every(([, size]) => size > 0),
        'a part was not measured',
      );
    });
  }

  for (const file of [
    'dist/extension.js',
    ...['page', 'traffic', 'audit', 'races'].map((name) => `dist/webview/${name}.js`),
  ]) {
    it(`${file} loads the translations before any module that uses them`, () => {
      const first = [...loadedAtOnce(file, built.outputs)].flatMap((part) =>
        Object.keys(built.outputs[part]?.inputs ?? {}),
      );
      const allowed =
        /^src\/(?:base\/\w+|extension|loadTranslations|webview\/page\/loadPageLanguage|webview\/(?:\w+\/)?page)\.ts$/;
      assert.deepEqual(
        first.filter((input) => !allowed.test(input)),
        [],
      );
    });
  }

  /** A script and its static imports, without dynamic imports. */
  function loadedAtOnce(
    file: string,
    outputs: Readonly<Record<string, Pick<Metafile['outputs'][string], 'imports'>>>,
    found = new Set<string>(),
  ): Set<string> {
    if (found.has(file)) return found;
    const output = outputs[file];
    assert.ok(output, `${file} is missing: run npm run build`);
    found.add(file);
    for (const { path, kind, external } of output.imports) {
      if (kind === 'import-statement' && external !== true) loadedAtOnce(path, outputs, found);
    }
    return found;
  }
});
