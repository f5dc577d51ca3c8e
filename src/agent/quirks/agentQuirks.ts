import type { JsonObject } from '../../base/json';
import { asObject, asString, asArray, isObject } from '../../base/json';
import type { ClientFeature } from '../clientFeature';
import type { AgentQuirk, QuirkNotification } from './agentQuirk';

/** A line printed by the program. The model's text comes in smaller chunks. */
const OWN_LINE = /^Info: ([^\n]+)$/;

/** Copilot CLI (seen in 1.0.102). */
const copilotQuirk: AgentQuirk = {
  agent: 'Copilot',
  ownMcpFiles: ['mcp-config.json'],

  /** Copilot reports its actions and retries as text of the answer, without a line break before or after. */
  update(update: JsonObject): JsonObject | undefined {
    if (update['sessionUpdate'] !== 'agent_message_chunk') return update;
    const text = OWN_LINE.exec(asString(asObject(update['content'])?.['text']) ?? '')?.[1];
    return text === undefined ? update : { sessionUpdate: 'notice', severity: 'info', title: text };
  },
};

/** A change of mode, reported as text of the answer. */
const MODE_UPDATE = /^\[MODE_UPDATE\] (\S+)$/;
/** Gemini's own prompts to its model, replayed as user messages when a session is loaded. */
const OWN_TEXT = /^(<session_context>[^]*<\/session_context>|\[Function Response: [^\]\n]*\])\s*$/;

/** Gemini CLI (seen in 0.61.0). */
const geminiQuirk: AgentQuirk = {
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

/** The adapter for Claude (seen in 0.101.0). */
export const claudeQuirk: AgentQuirk = {
  agent: '@agentclientprotocol/claude-agent-acp',
  ownMcpFiles: ['.mcp.json'],
  forkPoint,
  sessionMeta: {
    claudeCode: {
      emitRawSDKMessages: [{ type: 'system', subtype: 'background_tasks_changed' }, { type: 'prompt_suggestion' }],
    },
  },
  notification: sdkMessage,
};

/** The adapter for Codex (seen in 2.6.0): copies the whole turn of the message. */
const codexQuirk: AgentQuirk = { agent: '@agentclientprotocol/codex-acp', forkPoint };

const quirks: readonly AgentQuirk[] = [claudeQuirk, codexQuirk, copilotQuirk, geminiQuirk];

/** The quirk of an agent by its `agentInfo.name`; undefined for most agents. */
export function quirkOf(agentName: string | undefined): AgentQuirk | undefined {
  return quirks.find((quirk) => quirk.agent === agentName);
}

/**
 * Passes on updates that agents send by notifications of their own.
 * @param quirk that of the connected agent
 */
export function quirkNotifications(
  quirk: () => AgentQuirk | undefined,
  onUpdate: (sessionId: string, update: JsonObject) => void,
): ClientFeature {
  const methods = new Set(quirks.flatMap(({ notification }) => notification?.method ?? []));
  const notifications = Array.from(methods, (method) => ({
    method,
    handle: (params: unknown) => {
      const notification = quirk()?.notification;
      const read = notification?.method === method ? notification.toUpdate(params) : undefined;
      if (read) onUpdate(read.sessionId, read.update);
    },
  }));
  return { capabilities: {}, handlers: [], notifications };
}
