// Installs the real agents used by the tests, each in its own folder: node test/agents/install.mjs [name …]
// Uses only Node's built-in modules. Without names it installs all of them. They are large (see README.md): only the agents needed by the
// full test run are installed automatically (test/host/prepare.mjs). Package scripts do not run.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Increase when the installation procedure changes, so that existing installations are replaced. */
const recipe = 1;

const folder = dirname(fileURLToPath(import.meta.url));

/** Optional packages are either platform programs (claude, codex, copilot, cline) or extras; extras are skipped. */
const options = {
  opencode: [],
  claude: [],
  codex: [],
  codexzed: [],
  gemini: ['--omit=optional'],
  qwen: ['--omit=optional'],
  copilot: [],
  cline: [],
  cursor: [],
  sdkexample: [],
};

/** Names of all agents that this script can install. */
export const agentNames = Object.keys(options);

/**
 * Installs one agent unless its installation matches its lock file.
 * @param {string} name
 * @returns {Promise<boolean>} Whether anything was installed.
 */
export async function installAgent(name) {
  const extra = options[name];
  if (!extra) throw new Error(`There is no agent "${name}" to install; there are ${agentNames.join(', ')}.`);
  // opencode is installed beside this script; test/host/prepare.mjs maintains it.
  const place = name === 'opencode' ? folder : join(folder, name);
  if (place === folder && existsSync(join(folder, 'node_modules', '.package-lock.json'))) return false;
  const stamp = join(place, 'node_modules', '.parley');
  const lock = readFileSync(join(place, 'package-lock.json'));
  const wanted = `${recipe} ${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false;
  await npmCi(place, extra);
  writeFileSync(stamp, wanted);
  return true;
}

async function npmCi(place, extra) {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...extra];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(npm, args, {
    cwd: place,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`npm ci in ${place} ended with ${code}:\n${said.trim()}`);
}

async function main() {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : agentNames) {
    const start = performance.now();
    const did = await installAgent(name);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(did ? `installed ${name} (${seconds} s)` : `${name} is installed`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
