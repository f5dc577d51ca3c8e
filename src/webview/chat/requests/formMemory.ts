import { isObject } from '../../../base/json';
import type { FormField } from '../../../shared/state/elicitationState';
import type { PageMemory } from '../draftMemory';
import { initialValue } from './formField';
import type { FieldInput } from './formField';

/** Stored forms. */
const MAX_FORMS = 5;
/** UTF-16 units of the input of one form: VS Code writes all of it to disk. */
const MAX_INPUT = 100_000;

export type FormInput = Readonly<Record<string, FieldInput>>;

/** The stored input of a form, else what the agent filled in. */
export function inputOf({ forms }: PageMemory, elicitationId: string, fields: readonly FormField[]): FormInput {
  const stored = forms?.[elicitationId];
  return Object.fromEntries(
    fields.map((field) => {
      const initial = initialValue(field);
      const kept = isObject(stored) && Object.hasOwn(stored, field.key) ? stored[field.key] : undefined;
      return [field.key, isLike(kept, initial) ? kept : initial];
    }),
  );
}

/** Stores the input of a form; undefined removes it. */
export function storeInput(memory: PageMemory, elicitationId: string, input: FormInput | undefined): PageMemory {
  const others = Object.entries(memory.forms ?? {}).filter(([id]) => id !== elicitationId);
  const isStored = input !== undefined && JSON.stringify(input).length <= MAX_INPUT;
  const forms = isStored ? [...others, [elicitationId, input] as const] : others;
  return { ...memory, forms: Object.fromEntries(forms.slice(-MAX_FORMS)) };
}

function isLike(value: unknown, initial: FieldInput): value is FieldInput {
  if (Array.isArray(initial)) return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return typeof value === typeof initial;
}
