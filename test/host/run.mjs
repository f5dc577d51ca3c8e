// Child processes for the scripts of this folder. Uses only Node's built-in modules: it also runs before `npm ci`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { atExit } from './cleanup.mjs';
import { endWhenSilent } from './silence.mjs';

/** The repository's root: npm runs scripts and tests there (`checkPlace`). */
export const root = process.cwd();

/** The oldest Node that all tools of the project run on. */
const oldestNode = [20, 19];

/** Exits with a message when the script is run from another folder or by a Node that is too old for the tools. */
export function checkPlace() {
  if (!existsSync(join(root, 'test', 'host', 'run.mjs'))) {
    console.error(`Run this in the folder of the project (there is no test/host in ${root}).`);
    process.exit(1);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  console.error(
    `Parley is built with Node ${oldestNode.join('.')} or newer; this is ${process.version}. Install a newer Node.`,
  );
  process.exit(1);
}

/** The absolute path of the first of `names` found on PATH. */
export function onPath(...names) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const found = endings.map((ending) => join(folder, name + ending)).find((file) => existsSync(file));
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * Runs a program to its end.
 * `show: true` passes its output to our terminal; otherwise the output is collected.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean, timeout?: number, silence?: { limit: number, sign: () => unknown } }} [options]
 *   timeout: milliseconds, then it is killed; silence: it is killed, with all processes that it started, when for `limit` milliseconds
 *   it has printed nothing (shown output does not count) and `sign` has not changed
 * @returns {Promise<{ code: number, output: string, wasSilent: boolean }>} code -1 when it could not be started
 */
export function run(command, args, options = {}) {
  const { promise, resolve } = withResolvers();
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: options.env ?? process.env,
    stdio: ['ignore', options.show ? 'inherit' : 'pipe', options.show ? 'inherit' : 'pipe'],
    timeout: options.timeout,
    killSignal: 'SIGKILL',
    shell: process.platform === 'win32' && command.endsWith('.cmd'),
  });
  const forget = atExit(() => child.kill('SIGTERM'));
  const chunks = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  child.stderr?.on('data', (chunk) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString('utf8');
  child.on('error', (error) => resolve({ code: -1, output: `${command}: ${error.message}`, wasSilent: false }));
  const stop = watch(child, chunks, options.silence);
  child.on('close', (code, signal) =>
    resolve({ code: code ?? 1, output: output() + (signal ? `\n(ended by ${signal})` : ''), wasSilent: stop() }),
  );
  return promise.finally(() => {
    stop();
    forget();
  });
}

function watch(child, chunks, silence) {
  if (!silence) return () => false;
  return endWhenSilent(child, { limit: silence.limit, sign: () => `${chunks.length} ${silence.sign()}` });
}

/** Like `run`, but throws an error with the output when the exit code is not 0. */
export async function must(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Error(`"${[command, ...args].join(' ')}" ended with code ${code}.\n${output.trimEnd()}`);
  return output;
}

/** Runs a script of this repository or a package's command (`bin`) with the current Node. */
export function node(args, options) {
  return run(process.execPath, args, options);
}

/** Runs npm with the current Node, if npm provides the path of its script. */
export function npm(args, options) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js') && existsSync(script)) return must(process.execPath, [script, ...args], options);
  return must(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export function withResolvers() {
  let resolve, reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Seconds since `start` (from `performance.now()`), with one digit. */
export function seconds(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}

/** The message of any thrown value. */
export function reason(error) {
  return error instanceof Error ? error.message : String(error);
}
