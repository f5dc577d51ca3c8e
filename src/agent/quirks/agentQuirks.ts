import type { JsonObject } from '../../base/json';
import type { ClientFeature } from '../clientFeature';
import type { AgentQuirk } from './agentQuirk';
import { claudeQuirk, codexQuirk } from './claudeCodex';
import { copilotQuirk } from './copilot';
import { geminiQuirk } from './gemini';

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
