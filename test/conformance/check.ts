import type { Evidence } from './wire';

/** `MUST` and `SHOULD` are the specification's words; `Parley` is a rule of our own on top of it. */
export type Level = 'MUST' | 'SHOULD' | 'Parley';

/** What a check found: how often there was something to judge, and what was wrong. */
export interface Finding {
  readonly judged: number;
  readonly wrong: readonly string[];
}

/** One rule of the specification for clients. */
export interface Check {
  readonly id: string;
  /** Page of the specification. */
  readonly page: string;
  readonly level: Level;
  readonly sentence: string;
  /** Where it can be judged: in plain Node, or only in VS Code's extension host. */
  readonly where: 'node' | 'host';
  /** Names of the scenarios; all when absent. */
  readonly scenarios?: readonly string[];
  judge(evidence: Evidence): Finding;
}

/** Collects what a check finds. */
export class Findings implements Finding {
  judged = 0;
  readonly wrong: string[] = [];

  /** One thing that was judged; `complaint` when it is not as it should be. */
  expect(good: boolean, complaint: string): void {
    this.judged++;
    if (!good) this.wrong.push(complaint);
  }
}

type Body = (found: Findings, evidence: Evidence) => void;

/** A check of the whole evidence of a scenario. */
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

/** A check of each process of the agent by itself. */
export function eachLife(rule: Omit<Check, 'judge' | 'where'> & { where?: Check['where'] }, body: Body): Check {
  return whole(rule, (found, evidence) => {
    for (const life of evidence.lives()) body(found, life);
  });
}
