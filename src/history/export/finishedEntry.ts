import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import { entriesFrom } from '../../shared/state/entryPages';
import { reduceImport } from '../../shared/state/importedSession';
import { emptySession } from '../../shared/state/sessionState';
import type { Entry, SessionState } from '../../shared/state/sessionState';
import type { Terminal } from '../../shared/state/terminalState';

/**
 * Ends what ran or waited at the time of the export, so that no button suggests otherwise. Pure; returns the same entry if nothing changes.
 */
export function asFinished(entry: Entry): Entry {
  switch (entry.kind) {
    case 'agent':
    case 'thought':
      return entry.endedAt === undefined ? { ...entry, endedAt: entry.at } : entry;
    case 'tool': {
      const isOpen = entry.status === 'pending' || entry.status === 'running';
      return isOpen || entry.waiting > 0 ? { ...entry, status: isOpen ? 'canceled' : entry.status, waiting: 0 } : entry;
    }
    case 'permission':
    case 'elicitation':
      return entry.outcome
        ? entry
        : { ...entry, outcome: { type: 'canceled', reason: t('not answered before the export') } };
    case 'error':
      return entry.remedies.length > 0 ? { ...entry, remedies: [] } : entry;
    case 'subagent':
      return { ...entry, canStop: false, child: asFinishedChild(entry.child) };
    case 'notice': {
      // The link leads to a session of this machine only.
      const { session: _session, ...notice } = entry;
      return entry.session === undefined ? entry : notice;
    }
    case 'user':
    case 'raw':
    case 'compaction':
    case 'relay':
      return entry;
    default:
      return assertNever(entry);
  }
}

export function asFinishedTerminal(terminal: Terminal): Terminal {
  return terminal.exit ? terminal : { ...terminal, exit: { at: terminal.startedAt } };
}

function asFinishedChild(child: SessionState): SessionState {
  const { id, title, plan, plans } = child;
  const terminals = Object.fromEntries(
    Object.entries(child.terminals).map(([terminalId, terminal]) => [terminalId, asFinishedTerminal(terminal)]),
  );
  const blank = { ...emptySession(id), plan, plans, terminals, ...(title !== undefined && { title }) };
  const entries = Array.from(entriesFrom(child.entries), ([, entry]) => asFinished(entry));
  return reduceImport(blank, { type: 'entriesImported', entries });
}
