import type { Turn } from '../demoTurn';

const STEPS = ['Understand the question', 'Look at the files', 'Make the change', 'Check the result'];
const MAX_STEPS = 20;

/** A plan whose entries progress, without any actions: the list in the prompt, which an edited plan has, else a list of its own. */
export async function plan(turn: Turn, _input: string, prompt: string): Promise<void> {
  const listed = Array.from(prompt.matchAll(/^\s*(?:[-*]|\d+[.)])\s+(\S.*)$/gm), ([, step = '']) => step);
  const steps = listed.length > 0 ? listed.slice(0, MAX_STEPS) : STEPS;
  await turn.say('Here is a plan that moves on by itself. Nothing is done: it only shows how a plan looks.');
  for (let done = 0; done <= steps.length; done += 1) await turn.plan(steps, done);
  await turn.say('All steps of the plan are completed.');
}
