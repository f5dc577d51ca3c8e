import type { Scene } from './scene';

const STEPS = ['Understand the question', 'Look at the files', 'Make the change', 'Check the result'];

/** A plan whose entries progress, without any actions. */
export const plan: Scene = {
  step: 'Show a plan',
  how: '`plan`',
  async play(turn) {
    await turn.say('Here is a plan that moves on by itself. Nothing is done: it only shows how a plan looks.');
    for (let done = 0; done <= STEPS.length; done += 1) await turn.plan(STEPS, done);
    await turn.say('All steps of the plan are completed.');
    return `${STEPS.length} steps`;
  },
};
