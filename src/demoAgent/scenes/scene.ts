import type { SupportedCapabilities } from '../clientCapabilities';
import { abilityNames } from '../clientCapabilities';
import type { Turn } from '../demoTurn';

/** A part of the demo that can also be played alone. */
export interface Scene {
  /** What it does, as an entry of the plan. */
  readonly step: string;
  /** Which part of the protocol it uses, in markdown. */
  readonly how: string;
  /** What the client must offer for it. */
  readonly needs?: keyof SupportedCapabilities;
  /** It changes a file or runs a command: not in the mode Read only. */
  readonly acts?: boolean;
  /** Plays it; returns how it came out, in a few words of markdown. */
  play(turn: Turn): Promise<string>;
}

export function isPossible(turn: Turn, scene: Scene): boolean {
  return isOffered(turn, scene) && !(scene.acts && turn.session.options.mode === 'readonly');
}

function isOffered(turn: Turn, scene: Scene): boolean {
  return scene.needs === undefined || turn.abilities[scene.needs];
}

/** Says that a scene is left out, and why. */
export async function skipScene(turn: Turn, scene: Scene): Promise<string> {
  if (isOffered(turn, scene)) {
    await turn.say(`Left out: "${scene.step}". You chose the mode Read only.`);
    return 'left out, the mode is Read only';
  }
  const missing = scene.needs ? abilityNames[scene.needs] : 'something';
  await turn.say(`Left out: "${scene.step}". Your client does not offer \`${missing}\`.`);
  return `left out, the client does not offer \`${missing}\``;
}
