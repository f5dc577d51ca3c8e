import { askPermission } from '../askPermission';
import { runDemoTool } from '../demoToolCall';
import type { DemoTurn } from '../demoTurn';
import type { Scene } from './scene';

const PLAN = `1. Read the files that are affected
2. Write a test that fails
3. Change the code until the test passes
4. Run all tests
`;

/** A plan that waits for approval, for trying "Edit Plan". */
export const approvePlan: Scene = {
  step: 'Ask for approval of a plan',
  async play(turn) {
    const start = { title: 'Approve the plan', kind: 'switch_mode', rawInput: { plan: PLAN } } as const;
    return runDemoTool(turn, start, async (tool) => {
      const { kind } = await askPermission(turn, tool, [
        { optionId: 'start', name: 'Start', kind: 'allow_once' },
        { optionId: 'revise', name: 'Keep planning', kind: 'reject_once' },
      ]);
      const isApproved = kind === 'allow_once';
      await tool.change({ status: isApproved ? 'completed' : 'failed' });
      await turn.streamMessage(
        isApproved ? 'The plan is approved. Nothing is done: it was only a plan.' : 'The plan is rejected.',
      );
      return isApproved ? 'approved' : 'rejected';
    });
  },
};

const STEPS = ['Understand the question', 'Look at the files', 'Make the change', 'Check the result'];
const MAX_STEPS = 20;

/**
 * Shows a plan that progresses without doing anything. The entries are the list in the prompt, such as an edited plan,
 * or else a fixed list.
 */
export async function plan(turn: DemoTurn, _input: string, prompt: string): Promise<void> {
  const listed = Array.from(prompt.matchAll(/^\s*(?:[-*]|\d+[.)])\s+(\S.*)$/gm), ([, step = '']) => step);
  const steps = listed.length > 0 ? listed.slice(0, MAX_STEPS) : STEPS;
  await turn.streamMessage(
    'Here is a plan whose steps progress. Nothing is done; it only shows what a plan looks like.',
  );
  for (let done = 0; done <= steps.length; done += 1) await turn.plan(steps, done);
  await turn.streamMessage('All steps of the plan are completed.');
}
