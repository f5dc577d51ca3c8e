import type { Choice, FieldValue, FormField } from './elicitationState';
import { readTextJson } from './textJson';

/** The value of a valid field as the agent's schema names it. */
export function fieldJson(field: FormField, value: FieldValue): unknown {
  if (field.type === 'text' && field.json && typeof value === 'string') return readTextJson(value, field.json)?.value;
  if (field.type !== 'choice' && field.type !== 'choices') return value;
  const ofChoice = (given: unknown): unknown => {
    const choice = field.choices.find((each) => each.value === given);
    return choice ? choiceJson(choice) : given;
  };
  return Array.isArray(value) ? value.map(ofChoice) : ofChoice(value);
}

export function choiceJson(choice: Choice): unknown {
  return 'json' in choice ? choice.json : choice.value;
}
