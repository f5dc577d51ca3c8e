import type { ElicitationAnswer, ElicitationQuestion, ElicitationReply } from '../../shared/state/elicitationState';
import { validateField } from '../../shared/state/elicitationState';
import { fieldJson } from '../../shared/state/fieldJson';

/** The answer with the requested fields only; undefined when a value is invalid. */
export function checkAnswer(question: ElicitationQuestion, answer: ElicitationAnswer): ElicitationReply | undefined {
  if (answer.action !== 'accept') return { action: answer.action };
  if (question.mode === 'url') return { action: 'accept' };
  const content: Record<string, unknown> = {};
  for (const field of question.fields) {
    const given = answer.content ?? {};
    const value = Object.hasOwn(given, field.key) ? given[field.key] : undefined;
    if (validateField(field, value, false) !== undefined) return undefined;
    const json = value === undefined ? (field.nullWhenEmpty ? null : undefined) : fieldJson(field, value);
    if (json !== undefined) Object.defineProperty(content, field.key, { value: json, enumerable: true });
  }
  return { action: 'accept', content };
}
