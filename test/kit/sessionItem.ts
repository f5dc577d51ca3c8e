import type { SessionListItem } from '../../src/history/sessionSummary';

/** A session of the list that is not open and has no actions. */
export function sessionItem(id: string, more: Partial<SessionListItem> = {}): SessionListItem {
  const can = { rename: false, archive: false, delete: false, fork: false };
  const status = { status: 'idle', isActive: false, isOurs: true, can } as const;
  return { id, title: id, renamed: false, updatedAt: 1, archived: false, ...status, ...more };
}
