import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireEntry } from './rawClient';

export interface Places {
  readonly workspace: string;
  readonly home: string;
}

const MAX_BYTES = 60 * 1024;

/**
 * Makes a recording the same on every machine and in every run, as far as the meaning allows: folders, and the ids that
 * opencode makes up (sessions, messages, parts: `ses_…` becomes `ses_1`, the same id always the same number).
 */
export function normalise(wire: readonly WireEntry[], places: Places): readonly WireEntry[] {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const shortId = (id: string, prefix: string): string => {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    ids.set(id, `${prefix}_${count}`);
    return `${prefix}_${count}`;
  };
  return wire.map((entry) => {
    const line = JSON.stringify(entry.msg)
      .replaceAll(places.workspace, '/workspace')
      // Outside a git repository opencode's titles are paths from the root of the file system, without the slash.
      .replaceAll(places.workspace.slice(1), 'workspace')
      .replaceAll(places.home, '/home/user')
      .replace(/\b(ses|msg|prt|per)_[0-9A-Za-z]{16,}/g, shortId)
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
    return { ...entry, msg: JSON.parse(line) as WireEntry['msg'] };
  });
}

/** Writes `opencode-<name>.jsonl`. Throws when it has become too long for a fixture. */
export async function saveRecording(folder: string, name: string, wire: readonly WireEntry[]): Promise<string> {
  const lines = `${wire.map((entry) => JSON.stringify(entry)).join('\n')}\n`;
  if (lines.length > MAX_BYTES)
    throw new Error(`The recording ${name} has ${lines.length} bytes, more than ${MAX_BYTES}.`);
  const path = join(folder, `opencode-${name}.jsonl`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, lines);
  return path;
}
