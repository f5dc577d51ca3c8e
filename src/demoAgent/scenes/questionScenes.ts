import { methods } from '@agentclientprotocol/sdk/unstable';
import { asObject } from '../../base/json';
import { askPermission } from '../askPermission';
import { runDemoTool } from '../demoToolCall';
import type { Scene } from './scene';

/** A form with a field of each kind. */
export const form: Scene = {
  step: 'Ask with a form',
  needs: 'form',
  async play(turn) {
    await turn.streamMessage('Here is a form. Your input is not used for anything.');
    const answer = await turn.request(methods.client.elicitation.create, {
      mode: 'form',
      sessionId: turn.session.id,
      message: 'How should the demo agent greet you?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', maxLength: 40 },
          greeting: { type: 'string', title: 'Greeting', enum: ['Hello', 'Good morning', 'Hi'], default: 'Hello' },
          times: { type: 'integer', title: 'Times', minimum: 1, maximum: 3, default: 1 },
          loud: { type: 'boolean', title: 'Loud', default: false },
        },
        required: ['name'],
      },
    });
    const { action, content } = asObject(answer) ?? {};
    if (action !== 'accept') {
      await turn.streamMessage('You entered nothing.');
      return 'declined';
    }
    await turn.streamMessage(`You entered:\n\n\`\`\`json\n${JSON.stringify(content, undefined, 2)}\n\`\`\``);
    return 'answered';
  },
};

/** A permission request without an action, for trying the buttons, keys and notification. */
export const question: Scene = {
  step: 'Ask for a permission',
  async play(turn) {
    const rawInput = { note: 'This is only a question. Nothing is done, whatever you answer.' };
    const start = { title: 'Ring an imaginary bell', kind: 'other', rawInput } as const;
    return runDemoTool(turn, start, async (tool) => {
      const chosen = await askPermission(turn, tool, [
        { optionId: 'once', name: 'Ring it', kind: 'allow_once' },
        { optionId: 'always', name: 'Ring it whenever you like', kind: 'allow_always' },
        { optionId: 'no', name: 'Do not ring it', kind: 'reject_once' },
        { optionId: 'never', name: 'Never ring it', kind: 'reject_always' },
      ]);
      const isAllowed = chosen.kind === 'allow_once' || chosen.kind === 'allow_always';
      await tool.change({ status: isAllowed ? 'completed' : 'failed', rawOutput: { answer: chosen.name } });
      await turn.streamMessage(`You answered “${chosen.name}”. Nothing was done: this was only a question.`);
      return `answered “${chosen.name}”`;
    });
  },
};
