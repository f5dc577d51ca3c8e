import type { DemoTurn } from './demoTurn';
import { background } from './scenes/backgroundScene';
import { editorTools } from './scenes/editorToolsScene';
import { edit } from './scenes/editScene';
import { crash, fail, limit } from './scenes/failureScenes';
import { long } from './scenes/longAnswerScene';
import { approvePlan, plan } from './scenes/planScenes';
import { form, question } from './scenes/questionScenes';
import { read } from './scenes/readFileScene';
import type { Scene } from './scenes/scene';
import { isPossible, skipScene } from './scenes/scene';
import { run } from './scenes/terminalScene';
import { tour } from './tour';

/** `input`: what follows a slash command. */
type PromptResponse = (turn: DemoTurn, input: string, prompt: string) => Promise<void>;

/**
 * First words of prompts that make the demo fail or stop. Only the first word counts, because "Why does the test fail?"
 * is a usual question.
 */
const FAILURES: ReadonlyMap<string, PromptResponse> = new Map<string, PromptResponse>([
  ['crash', async () => crash()],
  ['fail', async () => fail()],
  ['limit', limit],
]);

/** Keywords that select a part of the demo. If a prompt has several, the first one in this map counts. docs/demo.md lists them. */
const RESPONSES: ReadonlyMap<string, PromptResponse> = new Map<string, PromptResponse>([
  ['long', long],
  ['approve', playAlone(approvePlan)],
  ['plan', plan],
  ['ask', playAlone(question)],
  ['tools', playAlone(editorTools)],
  ['edit', playAlone(edit)],
  ['read', playAlone(read)],
  ['run', playAlone(run)],
  ['form', playAlone(form)],
  ['background', playAlone(background)],
]);

const INTRODUCTION =
  'I am the demo agent: a script, without a model, a key or a network. What I show really happens in this workspace.';
const REMINDER = 'Still the scripted demo agent, without a model.';

/** Plays the part that the prompt selects; by default the whole tour. */
export async function playPrompt(turn: DemoTurn, prompt: string): Promise<void> {
  await turn.streamMessage(turn.session.hasIntroduced ? REMINDER : INTRODUCTION);
  turn.session.hasIntroduced = true;
  const [, command = '', input = ''] = /^\s*\/(\S+)\s*(.*)$/s.exec(prompt) ?? [];
  if (command === 'tour') return tour(turn);
  const part = FAILURES.get(command) ?? RESPONSES.get(command) ?? chooseScene(prompt) ?? tour;
  return part(turn, input, prompt);
}

function chooseScene(prompt: string): PromptResponse | undefined {
  const words: readonly string[] = prompt.toLowerCase().match(/\p{L}+/gu) ?? [];
  const failure = FAILURES.get(words[0] ?? '');
  return failure ?? [...RESPONSES].find(([word]) => words.includes(word))?.[1];
}

function playAlone(scene: Scene): PromptResponse {
  return async (turn) => {
    await (isPossible(turn, scene) ? scene.play(turn) : skipScene(turn, scene));
  };
}
