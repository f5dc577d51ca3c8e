import { Lazy } from '../../base/lazy';
import { withErrorMessage } from '../reportErrors';
import { sessionIdOf } from '../sessions/sessionTarget';
import type { Window } from '../window';
import type { AgentInstaller, InstallAgent } from './installAgent';
import type { Presets } from './presets';
import { useAgent } from './useAgent';

export interface AgentsFeature {
  readonly selectAgent: () => Promise<void>;
  /** @param target a session id or tree node; without one it applies to the session used last */
  readonly continueWith: (target?: unknown) => Promise<void>;
  /** Shows the sign-in of the viewed chat's agent. */
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
  readonly installAgent: AgentInstaller;
  readonly presets: Lazy<Presets>;
  /** @param name of the preset; without one the user selects it */
  readonly newChatWithPreset: (name?: unknown) => Promise<void>;
  readonly saveAsPreset: () => Promise<void>;
}

/** The code of the commands is loaded on first use. */
export function registerAgents(window: Window): AgentsFeature {
  const { sessions, settings, agents, permissions, branches, chat, notices } = window;
  const inChat = (name: string): Promise<void> => useAgent(sessions.active, name, (agent) => sessions.newChat(agent));
  const installAgent = installerOf(window, inChat);
  const loadPicker = async () => {
    const { AgentPicker } = await import('./selectAgent');
    return new AgentPicker(settings, agents.installs, permissions.editApprovals);
  };
  const presets = new Lazy(async () => {
    const { Presets } = await import('./presets');
    return new Presets(settings, sessions, chat, notices);
  });
  return {
    presets,
    newChatWithPreset: (name) =>
      withErrorMessage(async () => (await presets.load()).choose(typeof name === 'string' ? name : undefined)),
    saveAsPreset: () => withErrorMessage(async () => (await presets.load()).save()),
    selectAgent: async () => {
      chat.hideTools();
      const [{ selectAgent }, picker, own] = await Promise.all([import('./selectAgent'), loadPicker(), presets.load()]);
      await withErrorMessage(() => selectAgent(sessions, picker, installAgent, own, chat));
    },
    continueWith: (target) =>
      withErrorMessage(async () => {
        const [{ ContinueWith }, picker] = await Promise.all([import('./continueWith'), loadPicker()]);
        const action = new ContinueWith(sessions, settings, branches, chat);
        await action.run(sessionIdOf(target), picker, (use) => installerOf(window, use));
      }),
    signIn: async () => (await import('./signInCommands')).signIn(sessions.active, notices.show),
    signOut: async () => (await import('./signInCommands')).signOut(sessions.active, notices.show),
    installAgent,
  };
}

/** @param use uses an agent that the user selected */
function installerOf({ agents, log }: Window, use: (name: string) => Promise<void>): AgentInstaller {
  const load = async (): Promise<InstallAgent> => {
    const { InstallAgent } = await import('./installAgent');
    return new InstallAgent(agents, log, use);
  };
  return { show: async () => (await load()).show(), add: async (id) => (await load()).add(id) };
}
