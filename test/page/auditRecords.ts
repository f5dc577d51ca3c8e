import type { AuditRow } from '../../src/shared/protocol/auditPageProtocol';

/** A decision as the log stores it. */
export const auditRecord = (more: Partial<AuditRow> & { readonly arguments?: unknown }): AuditRow => ({
  time: '2026-11-21T14:03:07.120Z',
  agent: 'Claude',
  kind: 'execute',
  title: 'Run tests',
  decision: 'allowed',
  by: 'person',
  ms: 1_200,
  ...more,
});

/** One of each kind. */
export const auditRecords: readonly AuditRow[] = [
  auditRecord({ command: 'npm test', arguments: { command: 'npm test', token: '[redacted]' } }),
  auditRecord({ by: 'rule', command: 'git status', reason: 'allowed by your rule “command git status”', ms: 0 }),
  auditRecord({
    kind: 'read',
    title: 'Read .env',
    decision: 'denied',
    by: 'protection',
    reason: 'a file with secrets',
  }),
  auditRecord({
    agent: 'Gemini \u202e',
    title: 'Fetch',
    kind: 'fetch',
    decision: 'canceled',
    reason: 'canceled at 14:03',
  }),
];
