import type { ClientCapabilities } from '@agentclientprotocol/sdk';

/** What the client offers, read from its `initialize`. What it left out it does not offer (ACP initialization). */
export interface Abilities {
  readonly read: boolean;
  readonly write: boolean;
  readonly terminal: boolean;
}

/** The protocol's own names of the abilities, for sentences about a missing one. */
export const abilityNames: Readonly<Record<keyof Abilities, string>> = {
  read: 'fs.readTextFile',
  write: 'fs.writeTextFile',
  terminal: 'terminal',
};

export const noAbilities: Abilities = { read: false, write: false, terminal: false };

export function abilitiesOf(capabilities: ClientCapabilities | undefined): Abilities {
  return {
    read: capabilities?.fs?.readTextFile === true,
    write: capabilities?.fs?.writeTextFile === true,
    terminal: capabilities?.terminal === true,
  };
}
