import type { ClientCapabilities } from '@agentclientprotocol/sdk/unstable';

/** What a handler knows about the request it answers. */
export interface RequestContext {
  /** Aborts when the agent cancels the request (`$/cancel_request`) or the connection closes. */
  readonly signal: AbortSignal;
}

/**
 * Answers one method that the agent calls. `parse` is lenient (unknown enum values are kept, bad optional fields dropped) and throws
 * `invalidParams` only when a required field is missing; the SDK's own strict parser is not used.
 */
export interface RequestHandler<Params = unknown> {
  readonly method: string;
  parse(params: unknown): Params;
  /** Entered in wire order (I3): what it does before its first `await` happens before any later message is looked at. */
  handle(params: Params, context: RequestContext): Promise<unknown>;
}

/**
 * One thing the client offers the agent. The handler brings its own capability along, so what is not
 * implemented is never advertised.
 */
export interface ClientFeature {
  readonly capabilities: ClientCapabilities;
  readonly handlers: readonly RequestHandler[];
  /** Notifications of the agent that somebody listens to, beside `session/update`. */
  readonly notifications?: readonly NotificationHandler[];
}

/** Takes one kind of notification, in wire order. Its params are never logged: they may name accounts. */
export interface NotificationHandler {
  readonly method: string;
  handle(params: unknown): void;
}

/** Erases the parameter type, so that handlers of different methods fit in one list. */
export function requestHandler<Params>(definition: RequestHandler<Params>): RequestHandler {
  return {
    method: definition.method,
    parse: (params) => definition.parse(params),
    handle: (params, context) => definition.handle(params as Params, context),
  };
}
