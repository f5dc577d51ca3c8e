import type { ElicitationQuestion, FormField } from '../../src/shared/state/elicitationState';
import type { Action } from '../../src/shared/state/sessionActions';
import { NOON } from './sample';

/** A field of each kind. */
export const fields: readonly FormField[] = [
  { key: 'mail', label: 'Mail', description: 'To reach you', required: true, type: 'text', format: 'email' },
  { key: 'age', label: 'Age', required: false, type: 'number', whole: true, minimum: 0, initial: 30 },
  { key: 'sure', label: 'Sure', required: false, type: 'boolean' },
  {
    key: 'size',
    label: 'Size',
    required: true,
    type: 'choice',
    choices: [
      { value: 's', label: 'Small' },
      { value: 'l', label: 'Large' },
    ],
    initial: 'l',
  },
  {
    key: 'tags',
    label: 'Tags',
    required: false,
    type: 'choices',
    choices: [
      { value: 'a', label: 'One' },
      { value: 'b', label: 'Two' },
    ],
    maxItems: 1,
  },
];

/** The agent requests it. */
export const asked = (question: ElicitationQuestion, elicitationId = 'e1'): Action => ({
  type: 'elicitationAsked',
  elicitationId,
  agent: 'Claude',
  message: 'Who are you?',
  question,
  at: NOON,
});
