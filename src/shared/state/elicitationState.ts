import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import type { TextJson } from './textJson';
import { readTextJson } from './textJson';

/** A request of an agent for user input, by a form or a web page (ACP: elicitation). */

export type FieldValue = string | number | boolean | readonly string[];

export interface Choice {
  /** Unique among the choices of a field. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** What the agent gets, where it is not the text `value`. */
  readonly json?: unknown;
}

export type TextFormat = 'email' | 'uri' | 'date' | 'date-time';

export type FormField = {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
  /** An empty field is sent as `null`; otherwise it is not sent. */
  readonly nullWhenEmpty?: boolean;
} & (
  | {
      readonly type: 'text';
      readonly format?: TextFormat;
      /** In characters. */
      readonly minLength?: number;
      readonly maxLength?: number;
      /** A regular expression from the agent. */
      readonly pattern?: string;
      readonly initial?: string;
      /** The page masks what the user enters. */
      readonly isSecret?: boolean;
      /** The text is read as JSON, because no other field shows the property. */
      readonly json?: TextJson;
    }
  | {
      readonly type: 'number';
      readonly whole: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
      /** Exclusive limits. */
      readonly above?: number;
      readonly below?: number;
      readonly initial?: number;
      readonly isSecret?: boolean;
    }
  /** `isUnset`: neither true nor false until the user changes it. */
  | { readonly type: 'boolean'; readonly initial?: boolean; readonly isUnset?: boolean }
  | { readonly type: 'choice'; readonly choices: readonly Choice[]; readonly initial?: string }
  | {
      readonly type: 'choices';
      readonly choices: readonly Choice[];
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly initial?: readonly string[];
    }
);

export type ElicitationQuestion =
  | {
      readonly mode: 'form';
      readonly title?: string;
      readonly description?: string;
      readonly fields: readonly FormField[];
    }
  /** `warning` describes suspicious parts of the URL. */
  | { readonly mode: 'url'; readonly url: string; readonly host: string; readonly warning?: string };

/** The user's answer, from the page. */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FieldValue>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** The answer to the agent, with values of the types that its schema names. */
export type ElicitationReply =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

export type ElicitationOutcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'declined' }
  | { readonly type: 'canceled'; readonly reason: string };

export interface ElicitationEntry {
  readonly kind: 'elicitation';
  /** Parley's id, not the agent's. */
  readonly elicitationId: string;
  /** The name of the requesting agent. */
  readonly agent: string;
  readonly message: string;
  readonly question: ElicitationQuestion;
  readonly at: number;
  /** Entered values are not stored. */
  readonly outcome?: ElicitationOutcome;
  /** The agent reported that the interaction in the browser is complete. */
  readonly completed?: boolean;
}

/** Maximum length for matching an agent's pattern, because such a pattern may take exponential time. */
const MAX_MATCHED = 256;

/**
 * An error message for an invalid value; undefined when it is valid. `value` undefined: left empty.
 * @param shouldCheckPatterns whether the agent's regular expressions are matched; only in the page, because a bad one must not
 * block the extension host
 */
export function validateField(
  field: FormField,
  value: FieldValue | undefined,
  shouldCheckPatterns: boolean,
): string | undefined {
  if (value === undefined) return field.required ? t('This field is required.') : undefined;
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? textProblem(field, value, shouldCheckPatterns) : t('This must be text.');
    case 'number':
      return typeof value === 'number' ? numberProblem(field, value) : t('This must be a number.');
    case 'boolean':
      return typeof value === 'boolean' ? undefined : t('This must be yes or no.');
    case 'choice':
      return field.choices.some((choice) => choice.value === value) ? undefined : t('Select one option from the list.');
    case 'choices':
      return Array.isArray(value) ? choicesProblem(field, value as readonly string[]) : t('Select from the list.');
    default:
      return assertNever(field);
  }
}

type Of<T extends FormField['type']> = Extract<FormField, { type: T }>;

function textProblem(field: Of<'text'>, value: string, shouldCheckPatterns: boolean): string | undefined {
  if (field.json && readTextJson(value, field.json) === undefined)
    return t('This must be JSON ({0}).', field.json.types.join(', '));
  const length = Array.from(value).length;
  if (field.minLength !== undefined && length < field.minLength)
    return t('Enter at least {0} characters.', field.minLength);
  if (field.maxLength !== undefined && length > field.maxLength)
    return t('Enter at most {0} characters.', field.maxLength);
  const format = field.format && FORMATS[field.format];
  if (format && !format.fits(value)) return format.problem;
  if (!shouldCheckPatterns || field.pattern === undefined || value.length > MAX_MATCHED) return undefined;
  if (mayTakeForEver(field.pattern)) return undefined;
  try {
    return new RegExp(field.pattern, 'u').test(value) ? undefined : t('This must match the pattern {0}', field.pattern);
  } catch {
    // Not a valid regular expression in JavaScript: the agent checks the value itself.
    return undefined;
  }
}

/** Base-2 logarithms of the ways to match a text: at most so many, and those of one repetition in 256 characters. */
const MAX_BITS = 20;
const REPETITION_BITS = 6;

/**
 * Whether a pattern could block the page: matching may try every combination of its repetitions, optional parts and alternatives, and a
 * repeated group ("(a+)+") each of them again. Such a pattern is not matched here; the agent checks the value itself.
 */
function mayTakeForEver(pattern: string): boolean {
  // Escaped characters and classes contain no repetition.
  const bare = pattern.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, 'x');
  if (/\)(?:[*+]|\{)/.test(bare)) return true;
  const repetitions = bare.match(/[*+]|\{\d*,\d*\}/g) ?? [];
  const optional = bare.match(/(?<![(*+?}])\?/g) ?? [];
  let bits = repetitions.length * REPETITION_BITS + optional.length;
  const alternatives = [1];
  for (const [sign] of `${bare})`.matchAll(/[(|)]/g)) {
    if (sign === '(') alternatives.push(1);
    else if (sign === ')') bits += Math.log2(alternatives.pop() ?? 1);
    else alternatives.push((alternatives.pop() ?? 1) + 1);
  }
  return bits > MAX_BITS;
}

const FORMATS: Readonly<Record<TextFormat, { readonly problem: string; fits(value: string): boolean }>> = {
  email: { problem: t('This must be an email address.'), fits: (value) => /^[^\s@]+@[^\s@]+$/.test(value) },
  uri: { problem: t('This must be a URL such as https://example.com.'), fits: (value) => URL.canParse(value) },
  date: { problem: t('This must be a date such as 2026-01-31.'), fits: isDate },
  'date-time': {
    problem: t('This must be a date and time such as 2026-01-31T14:00:00Z.'),
    fits: (value) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i.test(value) &&
      isDate(value.slice(0, 10)) &&
      !Number.isNaN(Date.parse(value)),
  },
};

/** Whether the day exists in the calendar. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function numberProblem(field: Of<'number'>, value: number): string | undefined {
  if (!Number.isFinite(value)) return t('This must be a number.');
  if (field.whole && !Number.isInteger(value)) return t('This must be a whole number.');
  if (field.minimum !== undefined && value < field.minimum) return t('This must be at least {0}.', field.minimum);
  if (field.maximum !== undefined && value > field.maximum) return t('This must be at most {0}.', field.maximum);
  if (field.above !== undefined && value <= field.above) return t('This must be more than {0}.', field.above);
  if (field.below !== undefined && value >= field.below) return t('This must be less than {0}.', field.below);
  return undefined;
}

function choicesProblem(field: Of<'choices'>, values: readonly string[]): string | undefined {
  const available = new Set(field.choices.map(({ value }) => value));
  if (!values.every((value) => available.has(value)) || new Set(values).size !== values.length)
    return t('Select from the list.');
  if (field.minItems !== undefined && values.length < field.minItems) return t('Select at least {0}.', field.minItems);
  if (field.maxItems !== undefined && values.length > field.maxItems) return t('Select at most {0}.', field.maxItems);
  return undefined;
}
