import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../base/json';
import { traceMetadata } from '../../base/traceMetadata';

/** Requests that carry a trace: those that open a session, change its options, or send a message. */
export const TRACED_METHOD = /^_?session\/(?:new|load|resume|fork|prompt|steering|set_\w+)$/;

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * The trace of one request, for its `_meta` (https://agentclientprotocol.com/protocol/extensibility). It is part of the trace that the
 * environment names, with its `tracestate` and `baggage`
 * (https://opentelemetry.io/docs/specs/otel/context/env-carriers/), or else a new, sampled one.
 */
export function createTrace(env: Readonly<Record<string, string | undefined>>): JsonObject {
  const [, traceId = hexId(16), flags = '01'] = TRACEPARENT.exec(env['TRACEPARENT'] ?? '') ?? [];
  const given = { tracestate: env['TRACESTATE'] || undefined, baggage: env['BAGGAGE'] || undefined };
  return { traceparent: `00-${traceId}-${hexId(8)}-${flags}`, ...traceMetadata(given) };
}

/** Nonzero. */
function hexId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  return /^0+$/.test(id) ? hexId(bytes) : id;
}
