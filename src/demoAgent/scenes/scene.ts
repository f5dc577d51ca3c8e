import type { SupportedCapabilities } from '../clientCapabilities';
import { capabilityNames } from '../clientCapabilities';
import type { DemoTurn } from '../demoTurn';

/** A part of the demo that can be played separately. */
export interface Scene {
  /** The scene's step in the plan. */
  readonly step: string;
  /** The client capability it requires. */
  readonly needs?: keyof SupportedCapabilities;
  /** The scene changes a file or runs a command, so it is skipped in the mode Read only. */
  readonly isActing?: boolean;
  /** Plays the scene; returns a short result in Markdown. */
  play(turn: DemoTurn): Promise<string>;
}

export function isPossible(turn: DemoTurn, scene: Scene): boolean {
  return isSupported(turn, scene) && !(scene.isActing && turn.session.options.mode === 'readonly');
}

function isSupported(turn: DemoTurn, scene: Scene): boolean {
  return scene.needs === undefined || turn.capabilities[scene.needs];
}

/** Reports why a scene is skipped. */
export async function skipScene(turn: DemoTurn, scene: Scene): Promise<string> {
  if (isSupported(turn, scene)) {
    await turn.streamMessage(`Left out: "${scene.step}". You chose the mode Read only.`);
    return 'left out, the mode is Read only';
  }
  const missing = scene.needs ? capabilityNames[scene.needs] : 'something';
  await turn.streamMessage(`Left out: "${scene.step}". Your client does not offer \`${missing}\`.`);
  return `left out, the client does not offer \`${missing}\``;
}
