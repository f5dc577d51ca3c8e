import { asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentQuirk } from './agentQuirk';

/** A line printed by the program. The model's text comes in smaller chunks. */
const OWN_LINE = /^Info: ([^\n]+)$/;

/** Copilot CLI (seen in 1.0.102). */
export const copilotQuirk: AgentQuirk = {
  agent: 'Copilot',

  /** Copilot reports its actions and retries as text of the answer, without a line break before or after. */
  update(update: JsonObject): JsonObject | undefined {
    if (update['sessionUpdate'] !== 'agent_message_chunk') return update;
    const text = OWN_LINE.exec(asString(asObject(update['content'])?.['text']) ?? '')?.[1];
    return text === undefined ? update : { sessionUpdate: 'notice', severity: 'info', title: text };
  },
};
