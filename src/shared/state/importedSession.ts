import { appendEntry } from './entryPages';
import type { NamedPlan, PlanItem } from './planState';
import type { AgentRef, Entry, ImportInfo, SessionState } from './sessionState';
import type { Terminal } from './terminalState';
import type { Usage, TokenUsage } from './usageState';

/** The content of an exported session besides its entries. */
export interface ImportedSession {
  readonly mark: ImportInfo;
  readonly title: string;
  readonly agent?: AgentRef;
  readonly terminals: Readonly<Record<string, Terminal>>;
  readonly plan: readonly PlanItem[];
  readonly plans: readonly NamedPlan[];
  readonly usage?: Usage;
  readonly tokens?: TokenUsage;
}

/** Imports actions of another machine unchanged, in batches, so that no transcript line becomes huge. */
export type ImportAction =
  | { readonly type: 'sessionImported'; readonly session: ImportedSession }
  | { readonly type: 'entriesImported'; readonly entries: readonly Entry[] };

/** The state after an import. Pure. */
export function reduceImport(state: SessionState, action: ImportAction): SessionState {
  if (action.type === 'entriesImported') {
    return { ...state, entries: action.entries.reduce((entries, entry) => appendEntry(entries, entry), state.entries) };
  }
  const { mark, ...rest } = action.session;
  return { ...state, ...rest, imported: mark };
}
