import { asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentQuirk } from './agentQuirk';

/** One line that the program itself says. The model's words come in smaller pieces. */
const OWN_LINE = /^Info: ([^\n]+)$/;

/** Copilot CLI (seen in 1.0.102). */
export const copilotQuirk: AgentQuirk = {
  agent: 'Copilot',

  /** It tells what it did, and that it tries again, as text of the answer, without a break before or after it. */
  update(update: JsonObject): JsonObject | undefined {
    if (update['sessionUpdate'] !== 'agent_message_chunk') return update;
    const said = OWN_LINE.exec(asString(asObject(update['content'])?.['text']) ?? '')?.[1];
    return said === undefined ? update : { sessionUpdate: 'notice', severity: 'info', title: said };
  },
};
