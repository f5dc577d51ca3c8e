import type { AgentQuirk } from './agentQuirk';
import { claudeQuirk, codexQuirk } from './claudeCodex';
import { copilotQuirk } from './copilot';
import { geminiQuirk } from './gemini';

const quirks: readonly AgentQuirk[] = [claudeQuirk, codexQuirk, copilotQuirk, geminiQuirk];

/** The quirk of an agent by its `agentInfo.name`; undefined for most agents. */
export function quirkOf(agentName: string | undefined): AgentQuirk | undefined {
  return quirks.find((quirk) => quirk.agent === agentName);
}
