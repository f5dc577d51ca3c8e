import type { JsonObject } from '../../src/base/json';

/** The connection between client and agent, as a mutation uses it. */
export interface Pipe {
  /** State of a mutation between messages. */
  readonly memory: Map<string, unknown>;
  /** Sends a message as the client. */
  toAgent(message: JsonObject | string): void;
  /** Sends a message as the agent. */
  toClient(message: JsonObject | string): void;
}

/** A deliberately broken client: it violates the rule of one check. Omitted functions leave messages unchanged. */
export interface Mutation {
  /** The check that must detect it. */
  readonly check: string;
  /** What the broken client does. */
  readonly does: string;
  /** The scenario in which it does so. */
  readonly scenario: string;
  /** Replaces this message of the client; a string is sent unchanged. */
  sends?(msg: JsonObject, pipe: Pipe): readonly (JsonObject | string)[];
  /** Replaces this message of the agent before the client receives it. */
  hears?(msg: JsonObject, pipe: Pipe): readonly JsonObject[];
  /** Replaces this fact that the client shows. */
  shows?(name: string, value: unknown): unknown;
}
