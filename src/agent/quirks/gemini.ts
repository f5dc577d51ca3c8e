import { asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentQuirk } from './agentQuirk';

/** A change of mode, reported as text of the answer. */
const MODE_UPDATE = /^\[MODE_UPDATE\] (\S+)$/;
/** Gemini's own prompts to its model, replayed as user messages when a session is loaded. */
const OWN_TEXT = /^(<session_context>[^]*<\/session_context>|\[Function Response: [^\]\n]*\])\s*$/;

/** Gemini CLI (seen in 0.61.0). */
export const geminiQuirk: AgentQuirk = {
  agent: 'gemini-cli',

  // Gemini reads the path before it writes a new file, and cannot read errors: it does not recognize "[object Object]"
  // as ENOENT.
  missingFileIsEmpty: true,

  update(update: JsonObject): JsonObject | undefined {
    const text = asString(asObject(update['content'])?.['text']) ?? '';
    if (update['sessionUpdate'] === 'user_message_chunk') return OWN_TEXT.test(text) ? undefined : update;
    const mode = update['sessionUpdate'] === 'agent_message_chunk' ? MODE_UPDATE.exec(text)?.[1] : undefined;
    return mode === undefined ? update : { sessionUpdate: 'current_mode_update', currentModeId: mode };
  },
};
