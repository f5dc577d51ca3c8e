import { asArray, asObject, asString, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentQuirk, QuirkNotification } from './agentQuirk';

/**
 * ACP's own `session/fork` copies the whole session. Both adapters read the last message to copy from `_meta` (their
 * docs: AIR extensions).
 */
function forkPoint(messageId: string): JsonObject {
  return { jetbrains: { air: { fork: { version: 1, messageId } } } };
}

const TASK_KINDS: Readonly<Record<string, string>> = { local_bash: 'command', local_agent: 'subagent' };

/** As the adapter publishes it to one client only. */
function suggestReply(text: unknown): JsonObject {
  return { sessionUpdate: 'session_info_update', _meta: { promptSuggestions: { suggestions: [{ text }] } } };
}

/**
 * Messages of the Claude Agent SDK that the adapter passes on where `sessionMeta` asks for them. `background_tasks_changed` has the whole
 * list of tasks; those marked `ambient` only watch something.
 */
const sdkMessage: QuirkNotification = {
  method: '_claude/sdkMessage',
  toUpdate(params) {
    const sessionId = asString(asObject(params)?.['sessionId']);
    const message = asObject(asObject(params)?.['message']);
    if (sessionId === undefined) return undefined;
    if (message?.['type'] === 'prompt_suggestion') return { sessionId, update: suggestReply(message['suggestion']) };
    if (message?.['subtype'] !== 'background_tasks_changed') return undefined;
    const tasks = asArray(message['tasks'])
      .filter(isObject)
      .filter((task) => task['ambient'] !== true)
      .map((task) => ({
        taskId: task['task_id'],
        kind: TASK_KINDS[asString(task['task_type']) ?? ''] ?? 'task',
        title: task['description'],
      }));
    return { sessionId, update: { sessionUpdate: 'background_tasks_update', tasks } };
  },
};

/** The adapter for Claude (seen in 0.100.0). */
export const claudeQuirk: AgentQuirk = {
  agent: '@agentclientprotocol/claude-agent-acp',
  forkPoint,
  sessionMeta: {
    claudeCode: {
      emitRawSDKMessages: [{ type: 'system', subtype: 'background_tasks_changed' }, { type: 'prompt_suggestion' }],
    },
  },
  notification: sdkMessage,
};

/** The adapter for Codex (seen in 2.6.0): copies the whole turn of the message. */
export const codexQuirk: AgentQuirk = { agent: '@agentclientprotocol/codex-acp', forkPoint };
