import type { ChatPages } from '../chat/chatPages';
import { withErrorMessage } from '../reportErrors';
import { sessionIdOf } from '../sessions/sessionTarget';
import type { UiDeps } from '../uiDeps';
import type { InstallAgent } from './installAgent';
import { useAgent } from './useAgent';

export interface AgentCommands {
  readonly selectAgent: () => Promise<void>;
  /** @param target a session id or tree node; without one it applies to the session used last */
  readonly continueWith: (target?: unknown) => Promise<void>;
  /** Shows the sign-in of the viewed chat's agent. */
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

export function createAgentCommands(
  options: UiDeps,
  chat: ChatPages,
  installAgent: Pick<InstallAgent, 'show' | 'add'>,
): AgentCommands {
  const { sessions } = options;
  return {
    selectAgent: selectAgentOf(options, chat, installAgent),
    continueWith: continueWithOf(options, chat),
    signIn: async () => (await import('./signInCommands')).signIn(sessions.active, chat.notices.show),
    signOut: async () => (await import('./signInCommands')).signOut(sessions.active, chat.notices.show),
  };
}

function selectAgentOf(
  options: UiDeps,
  chat: Pick<ChatPages, 'hideTools'>,
  installAgent: Pick<InstallAgent, 'show' | 'add'>,
): () => Promise<void> {
  return async () => {
    chat.hideTools();
    const { selectAgent } = await import('./selectAgent');
    const { sessions, settings, installs, policy } = options;
    await selectAgent(sessions, settings.agents(), installs.found(), installAgent, policy.editApprovals);
  };
}

function continueWithOf(options: UiDeps, pages: ChatPages): AgentCommands['continueWith'] {
  return (target) =>
    withErrorMessage(async () => {
      const { continueWith } = await import('./continueWith');
      await continueWith(
        { ...options, pages, createInstallAgent: (use) => createInstallAgent(options, use) },
        sessionIdOf(target),
      );
    });
}

/**
 * Loads the code of "Install Agent…" on first use.
 * @param use uses an agent that the user selected; by default in the shown chat or a new one
 */
export function createInstallAgent(
  options: UiDeps,
  use?: (name: string) => Promise<void>,
): Pick<InstallAgent, 'show' | 'add'> {
  const { sessions } = options;
  const load = async (): Promise<InstallAgent> => {
    const { InstallAgent } = await import('./installAgent');
    const inChat = (name: string): Promise<void> => useAgent(sessions.active, name, (agent) => sessions.newChat(agent));
    return new InstallAgent(options, use ?? inChat);
  };
  return { show: async () => (await load()).show(), add: async (id) => (await load()).add(id) };
}
