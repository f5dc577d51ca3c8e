import type { Quirk } from './agentQuirk';
import { claudeQuirk, codexQuirk } from './claudeCodex';
import { copilotQuirk } from './copilot';
import { geminiQuirk } from './gemini';

const quirks: readonly Quirk[] = [claudeQuirk, codexQuirk, copilotQuirk, geminiQuirk];

/** The quirk of an agent by the name it gives itself, or undefined: most have none. */
export function quirkOf(agentName: string | undefined): Quirk | undefined {
  return quirks.find((quirk) => quirk.agent === agentName);
}
