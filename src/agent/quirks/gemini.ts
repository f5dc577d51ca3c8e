import { asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentQuirk } from './agentQuirk';

/** A change of mode, told as text of the answer. */
const MODE_UPDATE = /^\[MODE_UPDATE\] (\S+)$/;
/** What Gemini tells its model, shown as if the user had said it when a session is loaded. */
const OWN_TEXT = /^(<session_context>[^]*<\/session_context>|\[Function Response: [^\]\n]*\])\s*$/;

/** Gemini CLI (seen in 0.61.0). */
export const geminiQuirk: AgentQuirk = {
  agent: 'gemini-cli',

  // Before it writes a new file it reads the path, and understands no error at all: "[object Object]" is no ENOENT to it.
  missingFileIsEmpty: true,

  update(update: JsonObject): JsonObject | undefined {
    const text = asString(asObject(update['content'])?.['text']) ?? '';
    if (update['sessionUpdate'] === 'user_message_chunk') return OWN_TEXT.test(text) ? undefined : update;
    const mode = update['sessionUpdate'] === 'agent_message_chunk' ? MODE_UPDATE.exec(text)?.[1] : undefined;
    return mode === undefined ? update : { sessionUpdate: 'current_mode_update', currentModeId: mode };
  },
};
