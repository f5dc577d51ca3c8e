/**
 * What the next start finds after a kill: the state before or after the operation, or a part of it, which it reports and can undo or
 * finish.
 */
export type KillOutcome = 'before' | 'after' | 'told';

/** An operation that is killed at each of its steps. Each method runs in another process than the others. */
export interface KillRow {
  /** Creates what the operation needs. */
  readonly prepare: (base: string) => Promise<void>;
  /** Runs the operation. @param start called before its first step */
  readonly run: (base: string, start: () => Promise<void>) => Promise<void>;
  /** The next start. Fails if something is lost. */
  readonly check: (base: string) => Promise<KillOutcome>;
  /** What the next start says about a part, or how a part shows; undefined if it never finds a part. */
  readonly told?: string;
}

/** The part of docs/faults.md about kills. */
export function killPage(rows: Readonly<Record<string, KillRow>>): string {
  return [
    '',
    '## When VS Code is killed',
    '',
    '`npm run faults -- kills` ends the process of the extension host (`kill -9`) before each operation on files, after the first half of each',
    'write, and before each start of Git, and opens the next window. `npm test faults` plays a part of the steps. Each file then has its old or its',
    'new content, and no temporary file is left. A file that cannot be replaced, because it has hard links, another owner, or a folder that you',
    'cannot write, is written in place; the next window restores its old content and says so. A file that you have changed since stays as it is,',
    'and the next window names it. If only a part of the files has changed, this is what you see:',
    '',
    '| operation | after a part of it |',
    '| --- | --- |',
    ...Object.entries(rows).map(
      ([name, { told = 'never happens: the next window finds all or nothing' }]) => `| ${name} | ${told} |`,
    ),
    '',
  ].join('\n');
}
