import type { Below } from '../../node/fs/realPaths';

/** All names of a file, including the targets of links. */
export type RealPathLookup = (path: string) => readonly string[];

/** The names of everything below a folder; empty for no folder; undefined when there are too many. */
type NamesBelow = (path: string, what: Below) => readonly string[] | undefined;

/** Access to the disk. */
export interface Disk {
  readonly namesOf: RealPathLookup;
  readonly below: NamesBelow;
  /** Whether a file exists and is not empty. */
  readonly hasContent: (path: string) => boolean;
  /** Whether a file, a folder or a link exists. */
  readonly exists: (path: string) => boolean;
}
