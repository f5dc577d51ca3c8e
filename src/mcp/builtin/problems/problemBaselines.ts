import type { Problem } from './workspaceDiagnostics';

/** What is compared with what. */
export interface ProblemChange {
  /** Problems that were not there. */
  readonly added: readonly Problem[];
  /** Problems that are gone. */
  readonly fixed: readonly Problem[];
  /** Problems that are still there. */
  readonly remaining: number;
}

/** A problem without its place in the file: an edit above it moves it, and it is still the same. */
function identity({ path, severity, message, source, code }: Problem): string {
  return JSON.stringify([path, severity, message, source, code]);
}

/** What came and went between two lists. Equal problems are counted: two in place of one is one more. */
export function diffProblems(before: readonly Problem[], after: readonly Problem[]): ProblemChange {
  const open = new Map<string, Problem[]>();
  for (const problem of before) open.set(identity(problem), [...(open.get(identity(problem)) ?? []), problem]);
  const added = after.filter((problem) => open.get(identity(problem))?.shift() === undefined);
  const fixed = [...open.values()].flat();
  return { added, fixed, remaining: after.length - added.length };
}

/** Baselines kept for each session. */
const MAX_BASELINES = 20;

/** The problems there were when a session began, when its turn began, and whenever a tool told them. */
export class ProblemBaselines {
  readonly #sessions = new Map<string, Map<string, readonly Problem[]>>();
  #lastId = 0;

  /** Keeps what there is when a session is first seen, and at each of its turns. */
  turnStarted(sessionId: string, problems: readonly Problem[]): void {
    const kept = this.#of(sessionId);
    if (!kept.has('session')) kept.set('session', problems);
    kept.set('turn', problems);
  }

  /** Keeps a list under a name of its own, for a later comparison. */
  keep(sessionId: string, problems: readonly Problem[]): string {
    this.#lastId += 1;
    const id = `b${this.#lastId}`;
    const kept = this.#of(sessionId);
    kept.set(id, problems);
    const ids = [...kept.keys()].filter((key) => key !== 'session' && key !== 'turn');
    if (ids.length > MAX_BASELINES) kept.delete(ids[0] ?? id);
    return id;
  }

  get(sessionId: string, id: string): readonly Problem[] | undefined {
    return this.#sessions.get(sessionId)?.get(id);
  }

  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  #of(sessionId: string): Map<string, readonly Problem[]> {
    const kept = this.#sessions.get(sessionId) ?? new Map<string, readonly Problem[]>();
    this.#sessions.set(sessionId, kept);
    return kept;
  }
}
