import { ParleyError } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { TerminationDeadlines } from '../../node/process/endProcess';
import { END_DEADLINES } from '../../node/process/endProcess';
import type { ClientFeature, RequestHandler } from '../clientFeature';
import type { AgentDefinition } from '../config/agentDefinition';

/** The one version of ACP that Parley speaks. */
const PROTOCOL_VERSION = 1;

/** In milliseconds. */
export interface LaunchDeadlines extends TerminationDeadlines {
  /** The user is notified when `initialize` has no answer after this time. */
  readonly slow: number;
  /** The start fails when `initialize` has no answer after this time. */
  readonly initialize: number;
  /** An agent that has closed its stdout but still runs is ended after this time. */
  readonly silentExit: number;
}

export const LAUNCH_DEADLINES: LaunchDeadlines = {
  ...END_DEADLINES,
  slow: 30_000,
  initialize: 120_000,
  silentExit: 2_000,
};

/** Identifies Parley in `initialize`. */
export interface ClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** The agent's answer to `initialize`, complete: an omitted capability is unsupported (ACP: initialization). */
export interface AgentInfo {
  readonly protocolVersion: number;
  readonly agentInfo?: { readonly name: string; readonly title?: string; readonly version?: string };
  readonly capabilities: JsonObject;
  readonly authMethods: readonly JsonObject[];
  readonly meta?: JsonObject;
}

/** The params of `initialize`; only capabilities with a handler are advertised. */
export function initializeParams(clientInfo: ClientInfo, features: readonly ClientFeature[]): JsonObject {
  const capabilities = features.map((feature): unknown => feature.capabilities);
  const clientCapabilities = capabilities.reduce<JsonObject>((all, one) => mergeObjects(all, asObject(one) ?? {}), {});
  return { protocolVersion: PROTOCOL_VERSION, clientInfo, clientCapabilities };
}

/**
 * Reads the answer to `initialize`.
 * @throws ParleyError (`agentProtocol`) that names both versions when they differ.
 */
export function readInitializeResult(definition: AgentDefinition, result: unknown): AgentInfo {
  const fields = asObject(result) ?? {};
  const version = fields['protocolVersion'];
  if (version !== PROTOCOL_VERSION) throw wrongVersion(definition, version);
  return {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: asObject(fields['agentCapabilities']) ?? {},
    authMethods: asArray(fields['authMethods']).filter(isObject),
    ...omitUndefined({ agentInfo: readAgentInfo(fields['agentInfo']), meta: asObject(fields['_meta']) }),
  };
}

/** The handlers of all features, by method; the first handler of a method wins. */
export function requestHandlers(features: readonly ClientFeature[], log: Logger): ReadonlyMap<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>();
  for (const handler of features.flatMap((feature) => feature.handlers)) {
    if (handlers.has(handler.method)) log.warn('agent', `Ignored the second handler of "${handler.method}"`);
    else handlers.set(handler.method, handler);
  }
  return handlers;
}

function readAgentInfo(value: unknown): AgentInfo['agentInfo'] {
  const name = asString(asObject(value)?.['name']);
  if (name === undefined || !isObject(value)) return undefined;
  return { name, ...omitUndefined({ title: asString(value['title']), version: asString(value['version']) }) };
}

function mergeObjects(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const old = merged[name];
    merged[name] = isObject(old) && isObject(value) ? mergeObjects(old, value) : value;
  }
  return merged;
}

function wrongVersion({ title }: AgentDefinition, version: unknown): ParleyError {
  const theirs = version === undefined ? t('reported no version') : t('supports version {0}', JSON.stringify(version));
  const sentence = t(
    '{0} {1} of the Agent Client Protocol; Parley supports version {2}',
    title,
    theirs,
    PROTOCOL_VERSION,
  );
  const nextStep = t('Install an agent version that supports the same protocol version, or update Parley.');
  return new ParleyError('agentProtocol', sentence, { nextStep });
}
