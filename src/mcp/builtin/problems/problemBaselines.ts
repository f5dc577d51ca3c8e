import type { Problem } from './workspaceDiagnostics';

interface ProblemChange {
  readonly added: readonly Problem[];
  readonly fixed: readonly Problem[];
  readonly remaining: number;
}

/** A problem without its position: an edit above moves the problem but does not change it. */
function identity({ path, severity, message, source, code }: Problem): string {
  return JSON.stringify([path, severity, message, source, code]);
}

/** The differences of two lists. Equal problems are counted: if a list has a problem twice that was there once, one is new. */
export function diffProblems(before: readonly Problem[], after: readonly Problem[]): ProblemChange {
  // With the number of each that is still there.
  const open = new Map<string, { readonly problems: Problem[]; left: number }>();
  for (const problem of before) {
    const key = identity(problem);
    const equal = open.get(key) ?? { problems: [], left: 0 };
    equal.problems.push(problem);
    open.set(key, equal);
  }
  const added = after.filter((problem) => {
    const equal = open.get(identity(problem));
    return !equal || ++equal.left > equal.problems.length;
  });
  const fixed = Array.from(open.values(), ({ problems, left }) => problems.slice(left)).flat();
  return { added, fixed, remaining: after.length - added.length };
}

/** Baselines kept per session. */
const MAX_BASELINES = 20;

/** Problem lists stored at the start of a session, at the start of its turn, and for every tool result. */
export class ProblemBaselines {
  readonly #sessions = new Map<string, Map<string, readonly Problem[]>>();
  #lastId = 0;

  recordTurnStart(sessionId: string, problems: readonly Problem[]): void {
    const lists = this.#baselinesOf(sessionId);
    if (!lists.has('session')) lists.set('session', problems);
    lists.set('turn', problems);
  }

  /** Stores a list under a new id for later comparison. */
  add(sessionId: string, problems: readonly Problem[]): string {
    this.#lastId += 1;
    const id = `b${this.#lastId}`;
    const lists = this.#baselinesOf(sessionId);
    lists.set(id, problems);
    const ids = [...lists.keys()].filter((key) => key !== 'session' && key !== 'turn');
    if (ids.length > MAX_BASELINES) lists.delete(ids[0] ?? id);
    return id;
  }

  get(sessionId: string, id: string): readonly Problem[] | undefined {
    return this.#sessions.get(sessionId)?.get(id);
  }

  closeSession(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  #baselinesOf(sessionId: string): Map<string, readonly Problem[]> {
    const lists = this.#sessions.get(sessionId) ?? new Map<string, readonly Problem[]>();
    this.#sessions.set(sessionId, lists);
    return lists;
  }
}
