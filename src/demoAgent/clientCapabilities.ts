import type { ClientCapabilities } from '@agentclientprotocol/sdk/unstable';

/** The client's capabilities from its `initialize`. An omitted capability is unsupported (ACP initialization). */
export interface SupportedCapabilities {
  readonly read: boolean;
  readonly write: boolean;
  readonly terminal: boolean;
  readonly form: boolean;
}

/** The protocol's names of the capabilities, for messages about a missing one. */
export const capabilityNames: Readonly<Record<keyof SupportedCapabilities, string>> = {
  read: 'fs.readTextFile',
  write: 'fs.writeTextFile',
  terminal: 'terminal',
  form: 'elicitation.form',
};

export const noClientCapabilities: SupportedCapabilities = { read: false, write: false, terminal: false, form: false };

export function readClientCapabilities(capabilities: ClientCapabilities | undefined): SupportedCapabilities {
  return {
    read: capabilities?.fs?.readTextFile === true,
    write: capabilities?.fs?.writeTextFile === true,
    terminal: capabilities?.terminal === true,
    form: Boolean(capabilities?.elicitation?.form),
  };
}
