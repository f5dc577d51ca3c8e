import { t } from '../../base/l10n';
/** Messages between the extension host and the audit log page. */

/** A logged decision about an agent's request, without secrets. Records may have more fields; all are shown. */
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
  /** The source of the decision: `person`, `rule`, `protection`, `session`, `agent`, `builtIn`. */
  readonly by: string;
  readonly reason?: string;
  readonly ms: number;
  /** Milliseconds that an MCP tool ran, including the transfer of its call and result. */
  readonly toolMs?: number;
  readonly transportMs?: number;
}

export type AuditHostMessage =
  /** `fresh` replaces all records; otherwise the records are appended. */
  { readonly type: 'records'; readonly fresh: boolean; readonly records: readonly AuditRow[] };

export type AuditPageMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'export' }
  | { readonly type: 'manageRules' }
  | { readonly type: 'pageError'; readonly message: string };

/** Filter of the audit log page. */
export interface AuditFilter {
  /** Searched in all fields, case-insensitive. */
  readonly text: string;
  readonly decision?: AuditRow['decision'];
  readonly by?: string;
}

/** @param textOf the whole record in lower case */
export function matchesAuditFilter(row: AuditRow, filter: AuditFilter, textOf: (row: AuditRow) => string): boolean {
  if (filter.decision !== undefined && row.decision !== filter.decision) return false;
  if (filter.by !== undefined && row.by !== filter.by) return false;
  const text = filter.text.trim().toLowerCase();
  return text === '' || textOf(row).includes(text);
}

/** A display name of who decided. */
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
