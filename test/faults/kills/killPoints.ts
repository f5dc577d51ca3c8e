import childProcess from 'node:child_process';
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import promises from 'node:fs/promises';

/**
 * Kills this process at a chosen operation on files or a chosen start of a program. A write is two points: before it, and after its first
 * half.
 */

type Call = (...args: unknown[]) => unknown;
type Target = Record<string, Call>;

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

let count = 0;
let deadly = Infinity;

function isDue(): boolean {
  return count++ === deadly;
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal ends the process before anything else runs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function wrap(target: Target, name: string, before: (args: unknown[], self: unknown) => void): void {
  const original = target[name];
  if (!original) throw new Error(`${name} does not exist`);
  target[name] = function (this: unknown, ...args: unknown[]): unknown {
    before(args, this);
    return original.apply(this, args);
  };
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

function wrapFunctions(target: Target, suffix: '' | 'Sync'): void {
  for (const name of CHANGING) wrap(target, name + suffix, () => isDue() && die());
  wrap(target, `open${suffix}`, ([, flags]) => isCreating(flags) && isDue() && die());
  for (const name of ['writeFile', 'appendFile'])
    wrap(target, name + suffix, ([path, data, options]) => {
      if (isDue()) die();
      if (!isDue()) return;
      const how = typeof options === 'object' && options !== null ? options : {};
      const part = typeof data === 'string' || data instanceof Uint8Array ? half(data) : '';
      writeFileSync(path as string, part, { ...how, ...(name === 'appendFile' && { flag: 'a' }) });
      die();
    });
}

async function wrapHandles(): Promise<void> {
  const handle = await promises.open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as Target;
  await handle.close();
  for (const name of ['truncate', 'chmod', 'chown']) wrap(prototype, name, () => isDue() && die());
  for (const name of ['write', 'writeFile', 'appendFile'])
    wrap(prototype, name, ([data, offset, length, position], self) => {
      if (isDue()) die();
      if (!isDue()) return;
      const isPart = name === 'write' && typeof offset === 'number' && typeof length === 'number';
      const bytes = isPart ? (data as Uint8Array).subarray(offset, offset + length) : data;
      writeSync((self as FileHandle).fd, half(bytes), 0, undefined, typeof position === 'number' ? position : null);
      die();
    });
}

/** Counts from now on. @param number of the operation at which the process ends, from 0 */
export async function killAt(number: number): Promise<void> {
  await wrapHandles();
  wrapFunctions(promises as unknown as Target, '');
  wrapFunctions(fs as unknown as Target, 'Sync');
  wrap(fs as unknown as Target, 'write', () => isDue() && die());
  for (const name of ['spawn', 'execFile']) wrap(childProcess as unknown as Target, name, () => isDue() && die());
  count = 0;
  deadly = number;
}

/** Operations so far. */
export function operationCount(): number {
  return count;
}
