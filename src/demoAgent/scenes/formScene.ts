import { methods } from '@agentclientprotocol/sdk';
import { asObject } from '../../base/json';
import type { Scene } from './scene';

/** A form with a field of each kind. */
export const form: Scene = {
  step: 'Ask with a form',
  how: '`elicitation/create`',
  needs: 'form',
  async play(turn) {
    await turn.say('Here is a form. Nothing is done with what you enter.');
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
      await turn.say('You entered nothing.');
      return 'declined';
    }
    await turn.say(`You entered:\n\n\`\`\`json\n${JSON.stringify(content, undefined, 2)}\n\`\`\``);
    return 'answered';
  },
};
