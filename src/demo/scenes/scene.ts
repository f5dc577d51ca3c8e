import type { Abilities } from '../abilities';
import { abilityNames } from '../abilities';
import type { Turn } from '../turn';

/** A part of the demo that can also be played alone. */
export interface Scene {
  /** What it does, as an entry of the plan. */
  readonly step: string;
  /** Which part of the protocol it uses, in markdown. */
  readonly how: string;
  /** What the client must offer for it. */
  readonly needs?: keyof Abilities;
  /** Plays it; returns how it came out, in a few words of markdown. */
  play(turn: Turn): Promise<string>;
}

export function isPossible(turn: Turn, scene: Scene): boolean {
  return scene.needs === undefined || turn.abilities[scene.needs];
}

/** Says that a scene is left out, and why. */
export async function leaveOut(turn: Turn, scene: Scene): Promise<string> {
  const missing = scene.needs ? abilityNames[scene.needs] : 'something';
  await turn.say(`Left out: "${scene.step}". Your client does not offer \`${missing}\`.`);
  return `left out, the client does not offer \`${missing}\``;
}
