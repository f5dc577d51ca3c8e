/** The command lines that continue a session in a terminal, without the session's id, by `agentInfo.name`. */
const COMMANDS = new Map([
  ['@agentclientprotocol/claude-agent-acp', 'claude --resume'],
  ['@agentclientprotocol/codex-acp', 'codex resume'],
  ['codex-acp', 'codex resume'],
  ['Copilot', 'copilot --resume'],
  ['gemini-cli', 'gemini --resume'],
  ['OpenCode', 'opencode --session'],
  ['qwen-code', 'qwen --resume'],
]);

/** An id that needs no quotes in any shell, and cannot be read as an option. */
const PLAIN_ID = /^\w[\w-]{0,199}$/;

/**
 * The command line that continues a session in a terminal; run it in the folder of the session.
 * @param program `agentInfo.name` of the agent
 * @returns undefined if the agent is not known to have one, or the id has unusual characters
 */
export function resumeCommand(program: string | undefined, sessionId: string): string | undefined {
  const command = program === undefined ? undefined : COMMANDS.get(program);
  return command !== undefined && PLAIN_ID.test(sessionId) ? `${command} ${sessionId}` : undefined;
}
