import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setImmediate as nextTask } from 'node:timers/promises';
import { asNumber, asObject } from '../../base/json';
import { ALL_PERMISSIONS, hasModes } from '../../node/fs/permissions';

/** Permission bits of the files of a folder at one time. Of these, a git tree has only whether the owner may execute a file. */
export interface FileModes {
  /** What most files have that are not executable, and that are; 0 without such a file. */
  readonly plain: number;
  readonly executable: number;
  /** Files with other bits: relative to the folder, with forward slashes. */
  readonly others: ReadonlyMap<string, number>;
}

/** In larger folders, only what git knows of modes is known. */
const MAX_FILES = 20_000;
/** Files read at a time, for the window waits meanwhile. */
const PART = 200;
/** A checkpoint does not store more. */
const MAX_STORED = 1_000;
/** Milliseconds; git compares times in seconds. */
const YOUNG_MS = 2_000;

/** Of the files of a folder at a recording. */
export interface RecordedModes extends FileModes {
  /** The latest change of a file, in milliseconds by the clock of the file system. */
  readonly newest: number;
  /** Files that changed at about that time: if their permissions change in the same second, git does not find them. */
  readonly young: readonly string[];
}

/**
 * @param names of files, relative to `folder`; missing files, links and special files are left out
 * @param earlier to compare with: has the same usual bits as the result
 * @returns undefined where modes are not known
 */
export async function readModes(
  folder: string,
  names: readonly string[],
  earlier?: FileModes & { readonly newest?: number },
): Promise<RecordedModes | undefined> {
  if (names.length > MAX_FILES) return undefined;
  const bits = new Map<string, number>();
  const changes = new Map<string, number>();
  for (let at = 0; at < names.length; at += PART) {
    // The fastest way, of files that git has just looked at.
    for (const name of names.slice(at, at + PART)) {
      const own = statOf(join(folder, name));
      if (!own) continue;
      bits.set(name, own.mode & ALL_PERMISSIONS);
      changes.set(name, own.ctimeMs);
    }
    await nextTask();
  }
  const { plain, executable } = earlier ?? usualOf([...bits.values()], hasModes(folder));
  const usual = { plain, executable };
  const others = new Map([...bits].filter(([, own]) => own !== usualBits(usual, isExecutable(own))));
  const newest = [...changes.values()].reduce((latest, at) => Math.max(latest, at), earlier?.newest ?? 0);
  const young = [...changes].flatMap(([name, at]) => (at > newest - YOUNG_MS ? [name] : []));
  return { ...usual, others, newest, young };
}

/**
 * Reads only what may differ from the earlier recording: reading all takes as long as git itself.
 * @param changed files that git has found to differ, which it does by their times when permissions change
 * @param all names relative to `folder`
 */
export async function recordModes(
  folder: string,
  earlier: RecordedModes | undefined,
  changed: readonly string[],
  all: readonly string[],
): Promise<RecordedModes | undefined> {
  const again = new Set([...changed, ...(earlier?.young ?? [])]);
  const now = earlier && (await readModes(folder, [...again], earlier));
  if (!now) return readModes(folder, all);
  const others = [...earlier.others].filter(([name]) => !again.has(name));
  const modes = { ...now, others: new Map([...others, ...now.others]) };
  // Of very many, other bits may be the usual ones now.
  return modes.others.size > MAX_STORED ? readModes(folder, all) : modes;
}

/** Undefined also where a file has taken the place of a folder of the path. */
function statOf(path: string): Stats | undefined {
  try {
    const info = lstatSync(path);
    return info.isFile() && process.platform !== 'win32' ? info : undefined;
  } catch {
    return undefined;
  }
}

/** @param isInGit git knows which files are executable: with `core.fileMode` false it does not */
function usualOf(bits: readonly number[], isInGit: boolean): Omit<FileModes, 'others'> {
  if (!isInGit) return { plain: mostCommon(bits), executable: mostCommon(bits) };
  return {
    plain: mostCommon(bits.filter((own) => !isExecutable(own))),
    executable: mostCommon(bits.filter(isExecutable)),
  };
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0] as const)[0];
}

function isExecutable(bits: number): boolean {
  return (bits & 0o100) !== 0;
}

function usualBits({ plain, executable }: Omit<FileModes, 'others'>, isForExecutable: boolean): number {
  return isForExecutable ? executable : plain;
}

/**
 * @param path absolute, of a file in `folder`
 * @param mode as git writes it
 */
export function bitsIn(modes: FileModes | undefined, folder: string, path: string, mode: string): number | undefined {
  const name = relative(folder, path).replaceAll(sep, '/');
  const bits = modes && (modes.others.get(name) ?? usualBits(modes, mode === '100755'));
  // 0: the file was not there.
  return mode.startsWith('100') ? bits || undefined : undefined;
}

/** Names of the files whose bits differ from the earlier ones; those with usual bits git finds itself. */
export function differingModes(earlier: FileModes, now: FileModes | undefined): string[] {
  if (!now) return [];
  const names = new Set([...earlier.others.keys(), ...now.others.keys()]);
  return [...names].filter((name) => earlier.others.get(name) !== now.others.get(name));
}

/** Undefined for too many files. */
export function writeModes({ plain, executable, others }: FileModes): object | undefined {
  return others.size > MAX_STORED ? undefined : { plain, executable, others: Object.fromEntries(others) };
}

export function readStoredModes(value: unknown): FileModes | undefined {
  const json = asObject(value);
  const [plain, executable] = ['plain', 'executable'].map((key) => asNumber(json?.[key]));
  if (plain === undefined || executable === undefined) return undefined;
  const others = Object.entries(asObject(json?.['others']) ?? {}).flatMap(([name, bits]) => {
    const own = asNumber(bits);
    return own === undefined ? [] : [[name, own] as const];
  });
  return { plain, executable, others: new Map(others) };
}
