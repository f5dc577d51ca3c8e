import { randomBytes } from 'node:crypto';

/**
 * A new W3C trace, as `session/prompt` carries it in `_meta.traceparent` (ACP extensibility): version 00, ids that are not all zero,
 * sampled. The agent and what it calls may go on with it.
 */
export function createTraceparent(): string {
  return `00-${hexId(16)}-${hexId(8)}-01`;
}

export function traceIdOf(traceparent: string): string {
  return traceparent.split('-')[1] ?? '';
}

function hexId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  return /^0+$/.test(id) ? hexId(bytes) : id;
}
