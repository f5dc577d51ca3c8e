// npm run docs:architecture: generates the diagram of rooms and checks the paths in docs/architecture.md, from the imports of src.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PAGE = 'docs/architecture.md';
const BEGIN = '<!-- begin: npm run docs:architecture -->';
const END = '<!-- end -->';

/**
 * The files of each path through the code, in order, maintained by hand. `~`: reached by an event, a callback or a message, not by an
 * import.
 */
const WAYS = {
  'An update, from the agent’s output to the page': [
    'agentProcess localAgent ndjson ~orderedDispatcher toleratedForms ~sharedAgent repeatedUpdates sessionModel translateUpdate',
    'translateContent ~sessionReducer messageReducer ~stateSync mergeActions ~pageHost chatStore ~transcript messages markdownText',
    'growingText ~markdownStream markdownDocument blockSequence flowBlock renderFragment',
  ],
  'A permission, from the agent to its button and back': [
    'agentProcess localAgent ndjson ~orderedDispatcher toleratedForms ~rpcConnection ~permissionFeature ~sharedAgent ~userRequests',
    'sessionModel translateToolCall translateContent ~sessionReducer toolCallReducer ~toolCallRequest permissionPolicy ~decide',
    '~pendingPermissions ~stateSync mergeActions ~pageHost chatStore ~transcript permissionEntry ~chatPage parsePageMessage intentRouter',
  ],
  'A tool call over MCP, from the agent to the editor and back': [
    'agentProcess localAgent ndjson ~orderedDispatcher ~rpcConnection ~mcpOverAcp hostedServers hostedServer',
    'inMemoryTransport ~registerTools ~toolCallGate gatedCalls pendingCalls ~toolCallRun ~editorTools ~longResults',
  ],
  'An edit, from the agent to its mark and Keep': [
    'agentProcess localAgent ndjson ~orderedDispatcher ~rpcConnection ~fileSystemFeature ~sharedAgent ~writeTextFile authorizePath',
    'resolvePath ~userRequests clientAuthorization permissionPolicy ~decide ~windowReview reviewScope ~changeTracker workingFiles',
    'fileContent ~diskFiles ~textDocuments ~fileAttribution modifiedFiles trackedReview ~reviewDecorations hunks ~baselineFiles',
    'reviewCodeLenses ~entryPoints ~reviewCommands',
  ],
};

/** Path below src → paths below src that it imports, types too. @param {string} root */
function importsOf(root) {
  const src = join(root, 'src');
  const files = readdirSync(src, { recursive: true }).filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
  const known = new Set(files.map((file) => file.split(sep).join('/')));
  const found = new Map();
  for (const file of known) {
    const text = readFileSync(join(src, file), 'utf8');
    const targets = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) =>
      relative(src, resolve(src, dirname(file), path))
        .split(sep)
        .join('/'),
    );
    const paths = targets.map((path) => [path, `${path}.ts`, `${path}.tsx`].find((one) => known.has(one)));
    found.set(file, new Set(paths.filter(Boolean)));
  }
  return found;
}

const roomOf = (path) => path.split('/')[0].replace(/\.tsx?$/, '');

/** Mermaid diagram: an arrow per import between rooms, without transitive ones. */
function drawRooms(imports) {
  const rooms = new Map();
  for (const [file, targets] of imports) {
    const to = rooms.get(roomOf(file)) ?? new Set();
    for (const target of targets) if (roomOf(target) !== roomOf(file)) to.add(roomOf(target));
    rooms.set(roomOf(file), to);
  }
  const reaches = (from, goal, seen = new Set()) =>
    [...(rooms.get(from) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  const arrows = [...rooms].flatMap(([room, targets]) =>
    [...targets]
      .filter((target) => ![...targets].some((other) => other !== target && reaches(other, target)))
      .map((target) => `  ${room} --> ${target}`),
  );
  return ['```mermaid', 'graph TD', ...arrows.sort(), '```'].join('\n');
}

/**
 * Numbered list of a path.
 * @throws When a file is missing, or two neighbors without `~` do not import each other.
 */
function drawWay(imports, names) {
  const paths = [...imports.keys()];
  const stops = names.map((name) => {
    const wanted = name.replace('~', '');
    const [path, second] = paths.filter((one) => basename(one).replace(/\.tsx?$/, '') === wanted);
    if (!path || second)
      throw new Error(`test/host/architecture.mjs: src has ${second ? 'two files' : 'no file'} "${wanted}".`);
    return { path, isLinked: !name.startsWith('~') };
  });
  for (const [index, { path, isLinked }] of stops.entries()) {
    const before = stops[index - 1]?.path;
    const linked = before === undefined || imports.get(before).has(path) || imports.get(path).has(before);
    if (isLinked && !linked)
      throw new Error(`test/host/architecture.mjs: ${before} and ${path} do not import each other.`);
  }
  return stops.map(({ path }, index) => `${index + 1}. [${path}](../src/${path})`).join('\n');
}

/**
 * The document with the current rooms and paths.
 * @param {string} root
 */
export function architectureDocument(root = home) {
  const imports = importsOf(root);
  const ways = Object.entries(WAYS).map(
    ([title, lines]) => `### ${title}\n\n${drawWay(imports, lines.join(' ').split(' '))}`,
  );
  const text = readFileSync(join(root, PAGE), 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has lost the marks "${BEGIN}" and "${END}".`);
  const drawn = [`### The rooms`, drawRooms(imports), ...ways].join('\n\n');
  return `${text.slice(0, begin + BEGIN.length)}\n\n${drawn}\n\n${text.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(home, PAGE), architectureDocument());
