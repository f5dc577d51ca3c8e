import type { SavedOptions } from './configOptionState';
import type { Block } from './contentBlocks';

/** An entry of `parley.presets`: what a new chat starts with. */
export interface Preset {
  readonly name: string;
  /** The agent's key in `parley.agents`. */
  readonly agent: string;
  /** Values or names of values, by the id or name of the config option. Set in this order. */
  readonly options?: SavedOptions;
  /** Patterns over `server__tool` that narrow the tools of the session. */
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** The session's system prompt, where the agent supports that. */
  readonly instructions?: string;
  /** Text for the message box. */
  readonly prompt?: string;
}

const INSTRUCTIONS_URI = 'parley:instructions.md';

/** The instructions for an agent that supports no system prompt. */
export function instructionsBlock(instructions: string): Block {
  const text = `Instructions of the user for this session:\n\n${instructions}`;
  return { type: 'resource', uri: INSTRUCTIONS_URI, text, mimeType: 'text/markdown' };
}

export function isInstructions(block: Block): boolean {
  return block.type === 'resource' && block.uri === INSTRUCTIONS_URI;
}
