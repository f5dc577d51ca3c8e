import childProcess from 'node:child_process';
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import promises from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Kills this process at a chosen operation on files or a chosen start of a program. A write is two points: before it, and after its first
 * half. Each point has a kind: the operation and the sort of file.
 */

type Call = (...args: unknown[]) => unknown;

const CHANGING = [
  'rename',
  'rm',
  'rmdir',
  'unlink',
  'mkdir',
  'symlink',
  'link',
  'copyFile',
  'chmod',
  'truncate',
  'mkdtemp',
];

const GIT_THAT_WRITES = /^(?:add|commit-tree|init|reset|update-index|update-ref|worktree|write-tree)$/;

/** Of the operations so far. */
const kinds: string[] = [];
let deadly = Infinity;

function isDue(kind: string): boolean {
  return kinds.push(kind) > deadly;
}

/** The name of a file, with # for what differs from run to run. */
function sort(path: unknown): string {
  return basename(String(path)).replaceAll(/rules-\w+|[\w-]*\d[\w-]*/g, '#');
}

function fileKind(name: string, paths: readonly unknown[]): string {
  const two = name === 'rename' || name === 'link' || name === 'copyFile';
  return `${name} ${sort(paths[two ? 1 : 0])}`;
}

function programKind(args: readonly string[]): string {
  const command = args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? '';
  return `start ${GIT_THAT_WRITES.test(command) ? command : 'of git that reads'}`;
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal ends the process before anything else runs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function wrap(target: object, name: string, before: (args: unknown[], self: unknown) => void): void {
  const original = Reflect.get(target, name) as Call | undefined;
  if (!original) throw new Error(`${name} does not exist`);
  const wrapped = function (this: unknown, ...args: unknown[]): unknown {
    before(args, this);
    return original.apply(this, args);
  };
  Reflect.set(target, name, wrapped);
}

function half(data: unknown): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data as Uint8Array);
  return bytes.subarray(0, bytes.length >> 1);
}

function isCreating(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0;
  return typeof flags === 'string' && /[wa]/.test(flags);
}

const { writeFileSync, writeSync } = fs;

function wrapFunctions(target: object, suffix: '' | 'Sync'): void {
  for (const name of CHANGING) wrap(target, name + suffix, (args) => isDue(fileKind(name, args)) && die());
  wrap(target, `open${suffix}`, (args) => isCreating(args[1]) && isDue(fileKind('open', args)) && die());
  for (const name of ['writeFile', 'appendFile'])
    wrap(target, name + suffix, ([path, data, options]) => {
      if (isDue(fileKind(name, [path]))) die();
      if (!isDue(fileKind(`half of ${name}`, [path]))) return;
      const how = typeof options === 'object' && options !== null ? options : {};
      const part = typeof data === 'string' || data instanceof Uint8Array ? half(data) : '';
      writeFileSync(path as string, part, { ...how, ...(name === 'appendFile' && { flag: 'a' }) });
      die();
    });
}

async function wrapHandles(): Promise<void> {
  const handle = await promises.open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as object;
  await handle.close();
  for (const name of ['truncate', 'chmod', 'chown']) wrap(prototype, name, () => isDue(`${name} by handle`) && die());
  for (const name of ['write', 'writeFile', 'appendFile'])
    wrap(prototype, name, ([data, offset, length, position], self) => {
      if (isDue(`${name} by handle`)) die();
      if (!isDue(`half of ${name} by handle`)) return;
      const isPart = name === 'write' && typeof offset === 'number' && typeof length === 'number';
      const bytes = isPart ? (data as Uint8Array).subarray(offset, offset + length) : data;
      writeSync((self as FileHandle).fd, half(bytes), 0, undefined, typeof position === 'number' ? position : null);
      die();
    });
}

/** Counts from now on. @param number of the operation at which the process ends, from 0 */
export async function killAt(number: number): Promise<void> {
  await wrapHandles();
  wrapFunctions(promises, '');
  wrapFunctions(fs, 'Sync');
  wrap(fs, 'write', () => isDue('write by stream') && die());
  for (const name of ['spawn', 'execFile'])
    wrap(childProcess, name, ([, args]) => isDue(programKind(args as string[])) && die());
  kinds.length = 0;
  deadly = number;
}

/** The kinds of the operations so far, in their order. */
export function operationKinds(): readonly string[] {
  return kinds;
}
