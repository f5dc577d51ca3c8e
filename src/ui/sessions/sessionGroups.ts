import { resumeCommand } from '../../agent/quirks/resumeCommand';
import { locale, t } from '../../base/l10n';
import type { SessionListItem, SessionStatus } from '../../history/sessionSummary';
import { sessionFolder } from '../../history/sessionSummary';
import type { WorkspaceRoot } from '../../shared/text/folderLabel';
import { folderLabel } from '../../shared/text/folderLabel';

/** Groups and labels of sessions in lists. Pure. */

export interface SessionGroup {
  readonly id: string;
  readonly label: string;
  readonly items: readonly SessionListItem[];
}

/** By day, then by month; archived ones last. Empty groups are omitted. */
export function groupSessions(items: readonly SessionListItem[], now: number): SessionGroup[] {
  const days = [
    { id: 'today', label: t('Today'), from: midnight(now, 0) },
    { id: 'yesterday', label: t('Yesterday'), from: midnight(now, 1) },
    { id: 'week', label: t('Last 7 days'), from: midnight(now, 7) },
    { id: 'month', label: t('Last 30 days'), from: midnight(now, 30) },
  ];
  const groups = new Map<string, { id: string; label: string; items: SessionListItem[] }>();
  for (const item of items.toSorted((a, b) => timeOf(b, now) - timeOf(a, now))) {
    const at = timeOf(item, now);
    const id = item.archived ? 'archived' : (days.find(({ from }) => at >= from)?.id ?? monthOf(at));
    const group = groups.get(id) ?? {
      id,
      label: days.find((day) => day.id === id)?.label ?? labelOf(id, at),
      items: [],
    };
    group.items.push(item);
    groups.set(id, group);
  }
  const archived = groups.get('archived');
  groups.delete('archived');
  return [...groups.values(), ...(archived ? [archived] : [])];
}

/** The start of the day `daysAgo` days ago; some days have 23 or 25 hours. */
function midnight(now: number, daysAgo: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime();
}

/** An open session that is not stored yet counts as current. */
function timeOf({ updatedAt, isOurs }: SessionListItem, now: number): number {
  return updatedAt === 0 && isOurs ? now : updatedAt;
}

function monthOf(at: number): string {
  const date = new Date(at);
  return at === 0 ? 'older' : `${date.getFullYear()}-${date.getMonth()}`;
}

function labelOf(id: string, at: number): string {
  if (id === 'archived') return t('Archived');
  if (id === 'older') return t('Older');
  return new Intl.DateTimeFormat(locale(), { month: 'long', year: 'numeric' }).format(at);
}

/** Groups that are collapsed initially: they may be many and long. */
export function isFolded({ id }: Pick<SessionGroup, 'id'>): boolean {
  return !['today', 'yesterday', 'week', 'month'].includes(id);
}

const icons: Readonly<Record<SessionStatus, string>> = {
  waiting: 'bell-dot',
  running: 'loading~spin',
  unread: 'circle-filled',
  idle: 'comment-discussion',
};

export function sessionIcon(item: SessionListItem): string {
  if (item.status !== 'idle') return icons[item.status];
  if (item.archived) return 'archive';
  return item.imported ? 'lock' : icons.idle;
}

const statusWords: Readonly<Record<SessionStatus, string>> = {
  waiting: t('waiting for you'),
  running: t('running'),
  unread: t('unread'),
  idle: '',
};

/** The folder of a session, for display; empty where all sessions have the same. */
export type FolderText = (item: SessionListItem) => string;

/** The folders of these sessions for display, where there is more than one. */
export function folderTexts(items: readonly SessionListItem[], roots: readonly WorkspaceRoot[]): FolderText {
  const folders = new Set(items.flatMap((item) => sessionFolder(item) ?? []));
  return (item) => {
    const folder = sessionFolder(item);
    if (item.branch !== undefined) return item.branch;
    return folder === undefined || folders.size < 2 ? '' : folderLabel(folder, roots);
  };
}

/** "Claude · app · 5 min · +12 −3 · Fix the test", "Claude · running · Fix the test". */
export function sessionDescription(item: SessionListItem, now: number, folderText: FolderText = () => ''): string {
  const when = statusWords[item.status] || (item.updatedAt > 0 ? age(now - item.updatedAt) : '');
  const prompt = item.lastPrompt === item.title ? '' : item.lastPrompt;
  const parts = [
    item.agent?.title,
    folderText(item),
    item.imported ? t('imported') : '',
    when,
    formatChangedLines(item),
    prompt,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** "+12 −3"; empty without changes. */
export function formatChangedLines({ added = 0, removed = 0 }: SessionListItem): string {
  return added + removed === 0 ? '' : `+${added.toLocaleString(locale())} −${removed.toLocaleString(locale())}`;
}

/** For screen readers. */
export function sessionLabel(item: SessionListItem, now: number, folderText?: FolderText): string {
  return [
    item.title,
    ...sessionDescription(item, now, folderText).split(' · '),
    item.isActive ? t('shown in the chat') : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** The context value for menus: `session` and a word for each possible action. */
export function sessionContext({ can, archived, isOurs, status, agentSession, branch }: SessionListItem): string {
  return [
    'session',
    can.rename && 'rename',
    can.archive && (archived ? 'unarchive' : 'archive'),
    can.fork && 'fork',
    can.delete && 'delete',
    agentSession && resumeCommand(agentSession.program, agentSession.id) !== undefined && 'resume',
    isOurs && 'export',
    branch !== undefined && 'worktree',
    status === 'waiting' && 'waiting',
    status === 'running' && 'running',
  ]
    .filter(Boolean)
    .join(' ');
}

function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return t('now');
  if (minutes < 60) return t('{0} min', minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t('{0} h', hours);
  return t('{0} d', Math.floor(hours / 24));
}
