import { readdirSync, readFileSync } from 'node:fs';

/** Resource use of a process so far: CPU time in milliseconds, and current and peak memory in MiB. */
export interface ProcessUse {
  readonly cpu: number;
  readonly memory: number;
  readonly peak: number;
}

/** Finds the extension host that has this variable in its environment (Linux only). */
export function extensionHost(variable: string): string {
  const found = readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid) || !read(pid, 'cmdline').includes('--type=extensionHost')) return false;
    return read(pid, 'environ').split('\0').includes(variable);
  });
  if (found === undefined) throw new Error(`No extension host has ${variable}.`);
  return found;
}

export function processUse(pid: string): ProcessUse {
  // Fields after the name in parentheses; clock ticks of 10 ms.
  const fields = read(pid, 'stat')
    .slice(read(pid, 'stat').lastIndexOf(')') + 2)
    .split(' ');
  const status = read(pid, 'status');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) * 10,
    memory: kilobytes('VmRSS') / 1024,
    peak: kilobytes('VmHWM') / 1024,
  };
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
