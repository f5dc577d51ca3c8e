import { t } from '../base/l10n';
import type { CatalogItem, SessionStatus } from '../session/catalogItems';

/** How sessions read in lists. Pure. */

export interface SessionGroup {
  readonly id: string;
  readonly label: string;
  readonly items: readonly CatalogItem[];
}

const DAY = 24 * 60 * 60_000;

/** By day, as histories are read; put aside ones last. Groups without a session are left out. */
export function groupSessions(items: readonly CatalogItem[], now: number): SessionGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups = [
    { id: 'today', label: t('Today'), from: midnight },
    { id: 'yesterday', label: t('Yesterday'), from: midnight - DAY },
    { id: 'week', label: t('Last 7 days'), from: midnight - 7 * DAY },
    { id: 'older', label: t('Older'), from: -Infinity },
  ];
  const shown = items.filter(({ archived }) => !archived);
  const archived = items.filter((item) => item.archived);
  const groupOf = (item: CatalogItem): string | undefined =>
    // What is open and not written yet has no time: it is of now.
    groups.find(({ from }) => (item.updatedAt === 0 && item.isOurs ? now : item.updatedAt) >= from)?.id;
  return [
    ...groups.map(({ id, label }) => ({ id, label, items: shown.filter((item) => groupOf(item) === id) })),
    { id: 'archived', label: t('Archived'), items: archived },
  ].filter((group) => group.items.length > 0);
}

const icons: Readonly<Record<SessionStatus, string>> = {
  waiting: 'bell-dot',
  running: 'loading~spin',
  unread: 'circle-filled',
  idle: 'comment-discussion',
};

export function sessionIcon(item: CatalogItem): string {
  return item.status === 'idle' && item.archived ? 'archive' : icons[item.status];
}

const statusWords: Readonly<Record<SessionStatus, string>> = {
  waiting: t('waiting for you'),
  running: 'running',
  unread: 'unread',
  idle: '',
};

/** "Claude · 5 min", "Claude · running". */
export function sessionDescription(item: CatalogItem, now: number): string {
  const when = statusWords[item.status] || (item.updatedAt > 0 ? age(now - item.updatedAt) : '');
  return [item.agent?.title, when].filter(Boolean).join(' · ');
}

/** Its name for screen readers. */
export function sessionLabel(item: CatalogItem, now: number): string {
  return [item.title, ...sessionDescription(item, now).split(' · '), item.isActive ? 'shown in the chat' : '']
    .filter(Boolean)
    .join(', ');
}

/** What menus look at: `session` and a word for each thing that can be done. */
export function sessionContext({ can, archived }: CatalogItem): string {
  return [
    'session',
    can.rename && 'rename',
    can.archive && (archived ? 'unarchive' : 'archive'),
    can.fork && 'fork',
    can.delete && 'delete',
  ]
    .filter(Boolean)
    .join(' ');
}

function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return t('{0} min', minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t('{0} h', hours);
  return t('{0} d', Math.floor(hours / 24));
}
