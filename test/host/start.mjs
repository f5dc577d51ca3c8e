// npm start [-- --port N]: installs what is missing, builds, opens VS Code with Parley on a copy of the sample project.
import { cp, readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { leaveSignalsToMe } from './cleanup.mjs';
import { findDesktop, hasDisplay } from './desktop.mjs';
import { prepare } from './prepare.mjs';
import { reason, root, run, withResolvers } from './run.mjs';
import { serverNode, startServer } from './server.mjs';
import { desktopEnvironment, quietSettings, writeSettings } from './settings.mjs';
import { makeTemporaryFolder, makeWorkspace, removeFolder } from './workspace.mjs';

const settings = { 'parley.defaultAgent': 'Demo agent' };

/** Ctrl+C, kill, or the terminal was closed. Registered first, so that no process or folder is left. */
const stopAsked = withResolvers();
leaveSignalsToMe();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopAsked.resolve());

async function start() {
  const port = readPort();
  await requireFree(port);
  // With a display a desktop VS Code may be found, and the server is not needed: known only after the first step.
  const desktopPossible = hasDisplay() || process.env.VSCODE_TEST_HOST === 'desktop';
  let missing = await (desktopPossible ? prepare('root') : prepare('root', 'host'));
  const desktop = desktopPossible ? await findDesktop() : { reason: 'this machine has no display' };
  if (desktopPossible && !desktop.executable) missing = await prepare('host');
  if (missing.host) throw new Error(missing.host);
  const { build } = await import('./build.mjs');
  await build();
  const workspace = await makeWorkspace();
  try {
    if (desktop.executable) await openDesktop(desktop, workspace);
    else await openServer(desktop.reason, workspace, port);
  } finally {
    await workspace.dispose();
  }
}

/** `--port N`, else PORT, else any free port. */
function readPort() {
  const at = process.argv.indexOf('--port');
  const given = at > 0 ? process.argv[at + 1] : process.env.PORT;
  if (given === undefined || given === '') return 0;
  const port = Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`"${given}" is no port: 0 to 65535.`);
  return port;
}

/** VS Code's server would only fail to start, after a minute. */
async function requireFree(port) {
  const { promise, resolve, reject } = withResolvers();
  const probe = createServer().once('error', reject).listen(port, '127.0.0.1', resolve);
  await promise.catch(({ code }) => {
    throw new Error(`Port ${port} can't be used (${code}): name another one, or none for any free port.`);
  });
  probe.close();
}

async function openServer(why, workspace, port) {
  console.log(`VS Code server (no desktop VS Code: ${why}).`);
  const extensions = await makeTemporaryFolder('extensions');
  try {
    await installBuild(extensions);
    // The sample runs TypeScript directly, which needs the server's Node.
    const env = { PATH: [dirname(serverNode()), process.env.PATH].join(delimiter) };
    const server = await startServer({ extensions, settings, port, env });
    const address = server.open(workspace.folder);
    console.log(`\nOpen ${address}\n\nCtrl+C ends it.`);
    if (hasDisplay()) await showInBrowser(address);
    await stopAsked.promise;
    await server.stop();
  } finally {
    await removeFolder(extensions);
  }
}

/** Uses the build as an installed extension: the files of the VSIX, without packing them. */
async function installBuild(extensions) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const folder = join(extensions, `parley.parley-${version}`);
  const sentences = (await readdir(root)).filter((name) => /^package\.nls(?:\..+)?\.json$/.test(name));
  for (const name of ['package.json', ...sentences, 'l10n', 'README.md', 'LICENSE', 'media', 'dist']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
}

async function openDesktop({ executable }, workspace) {
  console.log(`${executable}\nCtrl+C, or closing its window, ends it.`);
  const profile = await makeTemporaryFolder('profile');
  try {
    await writeSettings(join(profile, 'User'), { ...quietSettings, ...settings });
    const args = [workspace.folder, `--extensionDevelopmentPath=${root}`, `--user-data-dir=${profile}`];
    args.push(
      `--extensions-dir=${join(profile, 'extensions')}`,
      '--disable-workspace-trust',
      '--skip-welcome',
      '--wait',
      '--new-window',
    );
    if (process.getuid?.() === 0) args.push('--no-sandbox');
    await Promise.race([run(executable, args, { env: desktopEnvironment() }), stopAsked.promise]);
  } finally {
    await removeFolder(profile);
  }
}

async function showInBrowser(address) {
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? ['xdg-open'];
  const { code } = await run(command, [...args, address]);
  if (code !== 0) console.log('(No browser could be opened from here.)');
}

try {
  await start();
} catch (error) {
  console.error(reason(error));
  process.exitCode = 1;
}
process.exit();
