import type { TrafficEntry } from '../../src/shared/traffic/trafficEntries';

const AT = Date.UTC(2026, 0, 1, 12, 30, 5, 7);

/** Messages with every kind of row. */
export const conversation: readonly TrafficEntry[] = [
  message(0, 'out', 0, { id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
  { seq: 1, at: AT + 40, bytes: 12, dir: 'in', stderr: 'starting up' },
  message(2, 'in', 1_500, { id: 0, result: { protocolVersion: 1 } }),
  { seq: 3, at: AT + 1_600, bytes: 9, dir: 'in', noise: 'not json!' },
  message(4, 'out', 1_700, { id: 1, method: 'session/new', params: { cwd: '/workspace' } }),
  message(5, 'in', 1_712, { id: 1, error: { code: -32000, message: 'Authentication required' } }),
  message(6, 'in', 1_800, { method: 'session/update', params: { update: { sessionUpdate: 'plan' } } }),
  { seq: 7, at: AT + 2_000, bytes: 900_000, dir: 'out', beginning: '{"jsonrpc":"2.0","method":"big' },
];

export function message(seq: number, dir: 'in' | 'out', after: number, content: object): TrafficEntry {
  return { seq, dir, at: AT + after, bytes: 100 + seq, message: { jsonrpc: '2.0', ...content } };
}
