import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { agentsFolder } from './places';
import type { WireEntry } from './rawClient';

export interface Places {
  /** The folder that contains home and workspace. */
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
}

const MAX_BYTES = 60 * 1024;
/** qwen sends the complete text of its skills (560 kB) with its commands. */
const MAX_TEXT = 1000;
const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;

/** Makes a recording independent of machine and run: replaces folders, times, and generated ids (`ses_…` becomes `ses_1`, consistently). */
export function normalise(wire: readonly WireEntry[], places: Places): readonly WireEntry[] {
  const ids = new Ids();
  return wire.map((entry) => {
    const line = withoutPlaces(JSON.stringify(entry.msg), places)
      .replace(/\b(ses|msg|prt|per)_[0-9A-Za-z]{16,}/g, (id, prefix: string) => `${prefix}_${ids.number(prefix, id)}`)
      .replace(UUID, (id) => `00000000-0000-4000-8000-${String(ids.number('uuid', id)).padStart(12, '0')}`)
      .replace(/\b\d{13}_\w+_cli\b/g, (id) => `${ids.number('cline', id)}_cli`)
      // gemini: tool name, time and a counter.
      .replace(/\b([a-z_]+[-_])1[0-9]{12}([-_]\d+)\b/g, '$11767225600000$2')
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '2026-01-01T00:00:00.000Z')
      .replace(/:1[789]\d{11}\b/g, ':1767225600000')
      .replace(/Today's date is [^(]*/g, "Today's date is Thursday, January 1, 2026 ")
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
    return { ...entry, msg: JSON.parse(line, cutText) as WireEntry['msg'] };
  });
}

/**
 * Writes `<name>.jsonl`.
 * @throws When the recording is too long for a fixture or contains a path of this machine.
 */
export async function saveRecording(folder: string, name: string, wire: readonly WireEntry[]): Promise<string> {
  const lines = `${wire.map((entry) => JSON.stringify(entry)).join('\n')}\n`;
  if (lines.length > MAX_BYTES)
    throw new Error(`The recording ${name} has ${lines.length} bytes, more than ${MAX_BYTES}.`);
  const place = /.{0,60}parley-probe-.{0,60}/.exec(lines);
  if (place !== null) throw new Error(`The recording ${name} names a folder of this machine: ${place[0]}`);
  const path = join(folder, `${name}.jsonl`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, lines);
  return path;
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
}

function withoutPlaces(line: string, { root, workspace, home }: Places): string {
  return (
    line
      .replaceAll(workspace, '/workspace')
      // Outside a git repository opencode's titles are paths from the file system root, without the leading slash.
      .replaceAll(workspace.slice(1), 'workspace')
      .replaceAll(home, '/home/user')
      .replaceAll(root, '')
      .replaceAll(basename(root), 'root')
      .replaceAll(agentsFolder(), '/agents')
      // cline truncates titles, also within a path.
      .replace(/(\/[^\s"\\]+)\.\.\./g, (all, path: string) => (workspace.startsWith(path) ? '/workspace...' : all))
  );
}

/** Numbers the ids of each kind in order of appearance. */
class Ids {
  private readonly numbers = new Map<string, Map<string, number>>();

  number(sort: string, id: string): number {
    const known = this.numbers.get(sort) ?? new Map<string, number>();
    this.numbers.set(sort, known);
    const number = known.get(id) ?? known.size + 1;
    known.set(id, number);
    return number;
  }
}
