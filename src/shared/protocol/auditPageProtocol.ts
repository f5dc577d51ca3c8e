import { t } from '../../base/l10n';
/** What the extension host and the page of the audit log tell each other. */

/** A decision about what an agent may do, as the log keeps it: without secrets. More fields may be there; all are shown. */
export interface AuditRow {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly agent: string;
  readonly kind: string;
  readonly title: string;
  readonly tool?: string;
  readonly command?: string;
  readonly paths?: readonly string[];
  readonly decision: 'allowed' | 'denied' | 'canceled';
  /** Who or what decided: `person`, `rule`, `protection`, `session`, `agent`, `builtIn`. */
  readonly by: string;
  readonly reason?: string;
  readonly ms: number;
  /** Milliseconds that an MCP tool ran, and that its call and answer took on their way. */
  readonly toolMs?: number;
  readonly transportMs?: number;
}

export type AuditHostMessage =
  /** `fresh` begins anew; otherwise they follow those that were sent before. */
  { readonly type: 'records'; readonly fresh: boolean; readonly records: readonly AuditRow[] };

export type AuditPageMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'export' }
  | { readonly type: 'manageRules' }
  | { readonly type: 'pageError'; readonly message: string };

/** Which records are shown. */
export interface AuditFilter {
  /** In any field, upper and lower case alike. */
  readonly text: string;
  readonly decision?: AuditRow['decision'];
  readonly by?: string;
}

/** @param textOf all of a record in lower case */
export function matchesAuditFilter(row: AuditRow, filter: AuditFilter, textOf: (row: AuditRow) => string): boolean {
  if (filter.decision !== undefined && row.decision !== filter.decision) return false;
  if (filter.by !== undefined && row.by !== filter.by) return false;
  const text = filter.text.trim().toLowerCase();
  return text === '' || textOf(row).includes(text);
}

/** Who decided, in words. */
export function deciderName(by: string): string {
  const names: Readonly<Record<string, string>> = {
    person: t('You'),
    rule: t('Rule'),
    protection: t('Protection'),
    session: t('Earlier answer'),
    agent: t('Agent'),
    builtIn: t('Built in'),
  };
  return names[by] ?? by;
}
