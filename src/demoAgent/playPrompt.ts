import { edit } from './scenes/editScene';
import { long } from './scenes/longAnswerScene';
import { plan } from './scenes/planScene';
import { question } from './scenes/permissionScene';
import { read } from './scenes/readFileScene';
import { run } from './scenes/terminalScene';
import type { Scene } from './scenes/scene';
import { isPossible, skipScene } from './scenes/scene';
import { crash, fail } from './scenes/failureScenes';
import { tour } from './tour';
import type { Turn } from './demoTurn';

type Part = (turn: Turn, input?: string) => Promise<void>;

/** Keywords that select a part of the demo; the first one in the prompt wins. docs/demo.md lists them. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['crash', async () => crash()],
  ['fail', async () => fail()],
  ['long', long],
  ['plan', alone(plan)],
  ['ask', alone(question)],
  ['edit', alone(edit)],
  ['read', alone(read)],
  ['run', alone(run)],
]);

const INTRODUCTION =
  'I am the demo agent: I follow a script and use no model, no key and no network. What I show I really do, in this workspace.';
const REMINDER = 'Still the scripted demo agent, without a model.';

/** Plays the part that the prompt selects; by default the whole tour. */
export async function playPrompt(turn: Turn, prompt: string): Promise<void> {
  await turn.say(turn.session.introduced ? REMINDER : INTRODUCTION);
  turn.session.introduced = true;
  const [, command = '', input = ''] = /^\s*\/(\S+)\s*(.*)$/s.exec(prompt) ?? [];
  if (command === 'tour') return tour(turn);
  const part = PARTS.get(command) ?? chosenBy(prompt) ?? tour;
  return part(turn, input);
}

function chosenBy(prompt: string): Part | undefined {
  const words = new Set(prompt.toLowerCase().match(/\p{L}+/gu) ?? []);
  return [...PARTS].find(([word]) => words.has(word))?.[1];
}

function alone(scene: Scene): Part {
  return async (turn) => {
    await (isPossible(turn, scene) ? scene.play(turn) : skipScene(turn, scene));
  };
}
