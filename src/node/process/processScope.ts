import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

let known: string | undefined;

/**
 * Where the ids of processes mean the same as here: this computer, and on Linux this container. A name of eight letters and digits; other
 * computers and containers that share the user's home have others.
 */
export function processScope(): string {
  return (known ??= createHash('sha256')
    .update(JSON.stringify([hostname(), ...[machineId, pidNamespace].map(orNothing)]))
    .digest('hex')
    .slice(0, 8));
}

/** Whether a process wrote this scope elsewhere. Older versions of Parley write none. */
export function isOtherScope(scope: string): boolean {
  return /^[0-9a-f]{8}$/.test(scope) && scope !== processScope();
}

/** Computers may have the same name. */
function machineId(): string {
  return readFileSync('/etc/machine-id', 'utf8');
}

/** Of a container; the same on each computer outside of containers. */
function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid');
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
