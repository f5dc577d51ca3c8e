import { appendFileSync } from 'node:fs';

/** A figure with the most that it may be. */
export interface Goal {
  readonly row: string;
  readonly what: string;
  readonly figure: number;
  readonly most: number;
  readonly unit: Unit;
  /** The same figure of the floor of this run. */
  readonly floor?: number;
  /** The largest costs. */
  readonly where?: string;
}

export type Unit = 'ms' | 'x' | 'MiB' | '%';

/** Records a goal for docs/bench.md: BENCH_TABLES names a file to which it is appended as a JSON line. */
export function recordGoal(goal: Goal): void {
  const { BENCH_TABLES: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ goal })}\n`);
}
