import type { Evidence } from './wire';

/** `MUST` and `SHOULD` are the specification's words; `Parley` marks an additional rule of this project. */
export type Level = 'MUST' | 'SHOULD' | 'Parley';

/** Result of a check: how many cases it judged, and the complaints. */
export interface Finding {
  readonly judged: number;
  readonly wrong: readonly string[];
}

/** One rule of the specification for clients. */
export interface Check {
  readonly id: string;
  /** Specification page. */
  readonly page: string;
  readonly level: Level;
  readonly sentence: string;
  /** Where it can be checked: in plain Node, or only in VS Code's extension host. */
  readonly where: 'node' | 'host';
  /** Scenario names. Default: all. */
  readonly scenarios?: readonly string[];
  judge(evidence: Evidence): Finding;
}

/** Collects the findings of a check. */
export class Findings implements Finding {
  judged = 0;
  readonly wrong: string[] = [];

  /** Records one judged case; with a `complaint` if it failed. */
  expect(good: boolean, complaint: string): void {
    this.judged++;
    if (!good) this.wrong.push(complaint);
  }
}

type Body = (found: Findings, evidence: Evidence) => void;

/** A check of all evidence of a scenario. */
export function whole(rule: Omit<Check, 'judge' | 'where'> & { where?: Check['where'] }, body: Body): Check {
  return {
    where: 'node',
    ...rule,
    judge: (evidence) => {
      const found = new Findings();
      body(found, evidence);
      return found;
    },
  };
}

/** A check of each agent process separately. */
export function eachLife(rule: Omit<Check, 'judge' | 'where'> & { where?: Check['where'] }, body: Body): Check {
  return whole(rule, (found, evidence) => {
    for (const life of evidence.lives()) body(found, life);
  });
}
