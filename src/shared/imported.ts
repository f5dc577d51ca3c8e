import type { EntryPages, Entry, PlanItem, SessionState, Terminal, Usage, AgentRef } from './state';
import { ENTRIES_PER_PAGE } from './state';
import type { NamedPlan, Tokens } from './updates';

/** Where a session that came from a file has it from: such a session is only for reading (docs/sessions.md). */
export interface ImportedMark {
  /** When it was exported, where the file says so; milliseconds since 1970. */
  readonly exportedAt?: number;
  /** Name of the file. */
  readonly file: string;
}

/** What a session that was exported holds, ready to be shown. */
export interface ImportedSession {
  readonly mark: ImportedMark;
  readonly title: string;
  readonly agent?: AgentRef;
  readonly entries: readonly Entry[];
  readonly terminals: Readonly<Record<string, Terminal>>;
  readonly plan: readonly PlanItem[];
  readonly plans: readonly NamedPlan[];
  readonly usage?: Usage;
  readonly tokens?: Tokens;
}

/** The whole session at once: what happened in it happened elsewhere. */
export interface ImportAction {
  readonly type: 'sessionImported';
  readonly session: ImportedSession;
}

/** The state after an import. Pure. */
export function reduceImport(state: SessionState, { session }: ImportAction): SessionState {
  const { mark, entries, ...rest } = session;
  return { ...state, ...rest, entries: paged(entries), imported: mark };
}

function paged(entries: readonly Entry[]): EntryPages {
  const pages: Entry[][] = [];
  for (let from = 0; from < entries.length; from += ENTRIES_PER_PAGE)
    pages.push(entries.slice(from, from + ENTRIES_PER_PAGE));
  return { count: entries.length, pages };
}
