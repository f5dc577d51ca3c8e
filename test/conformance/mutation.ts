import type { JsonObject } from '../../src/base/json';

/** The pipe between the two, as a mutation uses it. */
export interface Pipe {
  /** For what a mutation wants to remember from one message to the next. */
  readonly memory: Map<string, unknown>;
  /** Says something in the client's name. */
  toAgent(message: JsonObject | string): void;
  /** Says something in the agent's name. */
  toClient(message: JsonObject | string): void;
}

/** A client that is broken on purpose: it breaks the rule of one check. What is absent stays as it is. */
export interface Mutation {
  /** The check that has to notice it. */
  readonly check: string;
  /** What the broken client does. */
  readonly does: string;
  /** The scenario in which it does so. */
  readonly scenario: string;
  /** What goes out in place of this message of the client; a text goes out as it is. */
  sends?(msg: JsonObject, pipe: Pipe): readonly (JsonObject | string)[];
  /** What the client takes in in place of this message of the agent. */
  hears?(msg: JsonObject, pipe: Pipe): readonly JsonObject[];
  /** What the client shows in place of this fact. */
  shows?(name: string, value: unknown): unknown;
}
