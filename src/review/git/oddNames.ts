import { lstat } from 'node:fs/promises';

/** Files whose names are not UTF-8, which neither VS Code nor the review can address. Their names have one character for each byte. */

/** More are not compared. */
const MAX_FILES = 500;

/**
 * What shows that a file was changed, by name; without missing files.
 * @param top absolute; the names are relative to it
 */
export async function oddStates(top: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (const name of [...new Set(names)].slice(0, MAX_FILES)) {
    const path = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')]);
    const info = await lstat(path, { bigint: true }).catch(() => undefined);
    if (info) states.set(name, [info.ino, info.size, info.mode, info.mtimeNs, info.ctimeNs].join(' '));
  }
  return states;
}

/** Names of created, changed and deleted files. */
export function changedOdd(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** A name for display, with codes for the bytes that are no text. */
export function oddLabel(name: string): string {
  return name.replaceAll(
    /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g,
    (bytes) => {
      const text = Buffer.from(bytes, 'latin1').toString();
      return text.includes('\ufffd') ? bytes.replaceAll(/./g, escaped) : text;
    },
  );
}

function escaped(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16)}`;
}
