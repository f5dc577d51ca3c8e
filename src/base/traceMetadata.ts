import type { JsonObject } from './json';
import { asString } from './json';

/** Maximum UTF-16 units of each value (W3C Baggage). */
const MAX_LENGTH = 8_192;

/**
 * The part of MCP's `_meta` that a tool receives: W3C Trace Context and Baggage. The user sees none of it, so that nothing may pass that
 * changes what the tool does.
 */
export function traceMetadata(meta: JsonObject): JsonObject {
  const trace = ['traceparent', 'tracestate', 'baggage'].map((name) => [name, asString(meta[name])] as const);
  return Object.fromEntries(trace.filter(([, value]) => value !== undefined && value.length <= MAX_LENGTH));
}
