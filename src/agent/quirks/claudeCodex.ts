import type { JsonObject } from '../../base/json';
import type { AgentQuirk } from './agentQuirk';

/**
 * ACP's own `session/fork` copies the whole session. Both adapters read the last message to copy from `_meta` (their
 * docs: AIR extensions).
 */
function forkPoint(messageId: string): JsonObject {
  return { jetbrains: { air: { fork: { version: 1, messageId } } } };
}

/** The adapter for Claude (seen in 0.100.0). */
export const claudeQuirk: AgentQuirk = { agent: '@agentclientprotocol/claude-agent-acp', forkPoint };

/** The adapter for Codex (seen in 2.6.0): copies the whole turn of the message. */
export const codexQuirk: AgentQuirk = { agent: '@agentclientprotocol/codex-acp', forkPoint };
