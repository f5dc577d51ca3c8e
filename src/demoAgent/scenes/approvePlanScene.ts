import { ask } from '../askPermission';
import { runDemoTool } from '../demoToolCall';
import type { Scene } from './scene';

const PLAN = `1. Read the files that are affected
2. Write a test that fails
3. Change the code until the test passes
4. Run all tests
`;

/** A plan that waits for approval, for trying "Edit Plan". */
export const approvePlan: Scene = {
  step: 'Ask for the approval of a plan',
  how: '`session/request_permission` with `rawInput.plan`',
  async play(turn) {
    const start = { title: 'Approve the plan', kind: 'switch_mode', rawInput: { plan: PLAN } } as const;
    return runDemoTool(turn, start, async (tool) => {
      const { kind } = await ask(turn, tool, [
        { optionId: 'start', name: 'Start', kind: 'allow_once' },
        { optionId: 'revise', name: 'Keep planning', kind: 'reject_once' },
      ]);
      const isApproved = kind === 'allow_once';
      await tool.change({ status: isApproved ? 'completed' : 'failed' });
      await turn.say(
        isApproved ? 'The plan is approved. Nothing is done: it was only a plan.' : 'The plan is rejected.',
      );
      return isApproved ? 'approved' : 'rejected';
    });
  },
};
