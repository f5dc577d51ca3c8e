import type { Below } from '../../node/fs/realPaths';

/** All names of a file, including the targets of links. */
export type RealPathLookup = (path: string) => readonly string[];

/** The names of everything below a folder; empty for no folder; undefined when there are too many. */
export type NamesBelow = (path: string, what: Below) => readonly string[] | undefined;

/** Whether a file exists and is not empty. */
export type ContentLookup = (path: string) => boolean;

/** Access to the disk. */
export interface Disk {
  readonly namesOf: RealPathLookup;
  readonly below: NamesBelow;
}
