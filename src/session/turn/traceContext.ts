import { randomBytes } from 'node:crypto';

/**
 * A new W3C trace for `_meta.traceparent` of `session/prompt` (https://agentclientprotocol.com/protocol/extensibility): version 00, nonzero
 * ids, sampled.
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
