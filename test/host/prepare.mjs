// Installs missing tools and packages. Uses only Node's built-in modules: it runs on a fresh clone.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installAgent } from '../agents/install.mjs';
import { findChromium } from './chromium.mjs';
import { checkPlace, must, npm, onPath, reason, root, run, seconds } from './run.mjs';

/** Increase when the installation procedure of the host changes, so that existing installations are replaced. */
const hostRecipe = 1;

const hostFolder = join(root, 'test', 'host');
const serverFolder = join(hostFolder, 'node_modules', 'code-server', 'lib', 'vscode');

/** The steps that a script can request, by name. */
const steps = {
  root: prepareRoot,
  host: prepareHost,
  agents: prepareAgents,
  moreAgents: prepareMoreAgents,
  servers: prepareServers,
  chromium: prepareChromium,
  fonts: prepareFonts,
};

/**
 * Makes sure that everything named is installed. Independent steps run at the same time.
 * @param {...('root' | 'host' | 'agents' | 'moreAgents' | 'servers' | 'chromium' | 'fonts')} names
 * @returns {Promise<Record<string, string>>} per step that could not be done on this machine: why
 */
export async function prepare(...names) {
  checkPlace();
  const missing = {};
  await Promise.all(
    names.map(async (name) => {
      const start = performance.now();
      try {
        const did = await steps[name]();
        if (did) console.log(`prepare: ${did} (${seconds(start)} s)`);
      } catch (error) {
        if (name === 'root') throw error;
        missing[name] = reason(error);
      }
    }),
  );
  return missing;
}

async function prepareRoot() {
  if (isInstalled(root)) return undefined;
  await npm(['ci', '--loglevel=error']);
  return 'installed the packages of the project';
}

async function prepareAgents() {
  const folder = join(root, 'test', 'agents');
  if (!existsSync(join(folder, 'package-lock.json')) || isInstalled(folder)) return undefined;
  await npm(['ci', '--prefix', folder, '--loglevel=error'], { cwd: folder });
  return 'installed the agents that Parley is tested with';
}

/** Agents besides opencode that the full test run needs. */
async function prepareMoreAgents() {
  const names = ['claude', 'codex', 'gemini'];
  const installed = await Promise.all(names.map(installAgent));
  const did = names.filter((_, index) => installed[index]);
  return did.length > 0 ? `installed ${did.join(', ')}` : undefined;
}

/** MCP servers of others. */
async function prepareServers() {
  const folder = join(root, 'test', 'publicServers');
  if (isInstalled(folder)) return undefined;
  await npm(['ci', '--prefix', folder, '--ignore-scripts', '--loglevel=error'], { cwd: folder });
  return 'installed the MCP servers that Parley is tested with';
}

/**
 * code-server is installed without its scripts: they reject every Node but 24 and would compile; everything needed is prebuilt.
 * Its VS Code has its own package lists. `npm ci` rejects them (an entry is missing), `npm install` does not.
 */
async function prepareHost() {
  const stamp = join(hostFolder, 'node_modules', '.parley');
  const lock = readFileSync(join(hostFolder, 'package-lock.json'));
  const wanted = `${hostRecipe} ${process.platform} ${createHash('sha256').update(lock).digest('hex')}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  if (process.platform === 'win32')
    throw new Error('The VS Code server of npm does not run on Windows; use a desktop VS Code.');
  await npm(['ci', '--prefix', hostFolder, '--ignore-scripts', '--loglevel=error'], { cwd: hostFolder });
  const inside = ['install', '--omit=dev', '--ignore-scripts', '--loglevel=error'];
  for (const folder of [serverFolder, join(serverFolder, 'extensions')]) await npm(inside, { cwd: folder });
  writeFileSync(stamp, wanted);
  return 'installed the VS Code server';
}

/** Whether `folder/node_modules` contains exactly the versions of `folder/package-lock.json`. Optional packages may be missing. */
function isInstalled(folder) {
  const hidden = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = readPackages(hidden);
  return Object.entries(readPackages(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true;
    const found = installed[path];
    return found ? found.version === wanted.version : Boolean(wanted.optional || wanted.peer);
  });
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

async function prepareChromium() {
  if (findChromium()) return undefined;
  const how = {
    linux: 'install the package "chromium" (or Google Chrome)',
    darwin: 'brew install --cask chromium',
    win32: 'winget install Google.Chrome',
  }[process.platform];
  const advice = `No Chromium found: ${how ?? 'install Chromium'}, or name one in CHROMIUM_PATH.`;
  await aptInstall(advice, async (install) => {
    // Only Debian packages the headless Chromium.
    await install('chromium-headless-shell').catch(() => install('chromium'));
  });
  if (!findChromium()) throw new Error(advice);
  return 'installed Chromium';
}

/** For screenshots: without a font for them, Chinese, Japanese and Korean characters are boxes. macOS and Windows include one. */
async function prepareFonts() {
  if (process.platform !== 'linux' || (await hasSigns())) return undefined;
  await aptInstall('Install a font with Chinese, Japanese and Korean signs.', (install) =>
    install('fonts-wqy-microhei'),
  );
  return 'installed a font with Chinese, Japanese and Korean signs';
}

/** Whether a font has a character of each script: あ, 中 and 한. */
async function hasSigns() {
  const { code, output } = await run('fc-list', [':charset=3042 4e2d d55c']);
  return code === 0 && output.trim() !== '';
}

/** The installation by apt-get that was started last. */
let lastInstallation = Promise.resolve();

/**
 * Runs after earlier installations: only one apt-get can have its lock.
 * @param {string} advice what the user can do where it fails
 * @param {(install: (...packages: string[]) => Promise<unknown>) => Promise<unknown>} work
 */
function aptInstall(advice, work) {
  const installation = lastInstallation.then(() => aptInstallNow(advice, work));
  lastInstallation = installation.catch(() => undefined);
  return installation;
}

async function aptInstallNow(advice, work) {
  const aptGet = await aptGetCommand();
  if (!aptGet) throw new Error(advice);
  const [command, ...before] = aptGet;
  const apt = (...args) => must(command, [...before, ...args]);
  try {
    await apt('update', '-qq');
    await work((...packages) => apt('install', '-y', '-qq', '--no-install-recommends', ...packages));
  } catch (error) {
    throw new Error(`${advice}\nInstalling it by apt-get failed: ${reason(error)}`, { cause: error });
  }
}

/** Runs apt-get as root without a password prompt; undefined if that is impossible. */
async function aptGetCommand() {
  if (process.platform !== 'linux' || !onPath('apt-get')) return undefined;
  const aptGet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  if (process.getuid?.() === 0) return aptGet;
  const mayBeRoot = onPath('sudo') && (await run('sudo', ['-n', 'true'])).code === 0;
  return mayBeRoot ? ['sudo', '-n', ...aptGet] : undefined;
}
