import type { ClientCapabilities } from '@agentclientprotocol/sdk/unstable';
import type { JsonObject } from '../base/json';

export interface RequestContext {
  /** Aborts when the agent cancels the request (`$/cancel_request`) or the connection closes. */
  readonly signal: AbortSignal;
}

/**
 * Answers one method that the agent calls. `parse` is lenient: it keeps unknown enum values, drops invalid optional
 * fields, and throws `invalidParams` only when a required field is missing. The SDK's strict parser is not used.
 */
export interface RequestHandler<Params = unknown> {
  readonly method: string;
  parse(params: unknown): Params;
  /** Called in wire order (I3): code before the first `await` runs before any later message is processed. */
  handle(params: Params, context: RequestContext): Promise<unknown>;
}

/** One client feature. The handler declares its own capability, so that only implemented features are advertised. */
export interface ClientFeature {
  readonly capabilities: ClientCapabilities;
  readonly handlers: readonly RequestHandler[];
  /** Handled notifications of the agent, beside `session/update`. */
  readonly notifications?: readonly NotificationHandler[];
  /** The process of a local agent runs: loads what is needed once the agent answers. Never throws. */
  onDidLaunch?(): void;
  /** Fields of `_meta` for a message to the agent's session of that id. Never throws. */
  promptMeta?(sessionId: string): JsonObject;
}

/** Handles one kind of notification, in wire order. The params are never logged: they may name accounts. */
export interface NotificationHandler {
  readonly method: string;
  handle(params: unknown): void;
}
