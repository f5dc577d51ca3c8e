import { ask } from '../askPermission';
import { runDemoTool } from '../demoToolCall';
import type { Scene } from './scene';

/** A permission request without an action, for trying the buttons, keys and notification. */
export const question: Scene = {
  step: 'Ask for a permission',
  how: '`session/request_permission`',
  async play(turn) {
    const rawInput = { note: 'Only a question. Whatever you answer, nothing is done.' };
    const start = { title: 'Ring an imaginary bell', kind: 'other', rawInput } as const;
    return runDemoTool(turn, start, async (tool) => {
      const chosen = await ask(turn, tool, [
        { optionId: 'once', name: 'Ring it', kind: 'allow_once' },
        { optionId: 'always', name: 'Ring it whenever you like', kind: 'allow_always' },
        { optionId: 'no', name: 'Do not ring it', kind: 'reject_once' },
        { optionId: 'never', name: 'Never ring it', kind: 'reject_always' },
      ]);
      const allowed = chosen.kind === 'allow_once' || chosen.kind === 'allow_always';
      await tool.change({ status: allowed ? 'completed' : 'failed', rawOutput: { answer: chosen.name } });
      await turn.say(`You answered “${chosen.name}”. Nothing was done: this was only a question.`);
      return `answered “${chosen.name}”`;
    });
  },
};
