import type { Session } from '../../session/session';

/** Sets a chat's agent; a chat with messages keeps its agent, so a new one is opened. */
export async function useAgent(session: Session, name: string, newChat: (name: string) => unknown): Promise<void> {
  const { agent, entries, connection, preset } = session.state;
  if (agent?.name === name && !preset && entries.count === 0 && connection.status === 'ready') return;
  if (entries.count === 0) await session.chooseAgent(name);
  else newChat(name);
}
