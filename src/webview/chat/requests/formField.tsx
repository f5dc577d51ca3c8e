import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisible, escapeInvisibleInline } from '../../../base/untrustedText';
import type { FieldValue, FormField } from '../../../shared/state/elicitationState';
import { IconButton } from '../../controls/icon';

/** A field's raw input: text as typed, also for numbers; `undefined` without a selection. */
export type FieldInput = string | boolean | readonly string[];

export function initialValue(field: FormField): FieldInput {
  if (field.type === 'boolean') return field.initial ?? (field.isUnset ? '' : false);
  if (field.type === 'choices') return field.initial ?? [];
  return field.initial === undefined ? '' : String(field.initial);
}

/** Undefined for an empty field. */
export function fieldValue(
  field: FormField,
  typed: FieldInput | undefined,
): { value: FieldValue } | 'unreadable' | undefined {
  if (typed === undefined || typed === '') return undefined;
  if (Array.isArray(typed) && typed.length === 0 && !field.required) return undefined;
  if (field.type !== 'number' || typeof typed !== 'string') return { value: typed };
  const value = Number(typed.trim());
  return Number.isFinite(value) && typed.trim() !== '' ? { value } : 'unreadable';
}

interface FieldProps {
  readonly field: FormField;
  readonly value: FieldInput | undefined;
  /** The validation error, once it should be shown. */
  readonly problem: string | undefined;
  readonly onChange: (value: FieldInput) => void;
}

/** ARIA attributes of a field. */
interface Labels {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
}

export function FieldRow(props: FieldProps): JSX.Element {
  const { field, problem } = props;
  const id = useId();
  const about = `${id}-about`;
  const labels: Labels = {
    id,
    'aria-describedby': about,
    'aria-invalid': problem !== undefined,
    'aria-required': field.required,
  };
  return (
    <div class="field">
      <Input {...props} labels={labels} />
      <span class="muted" id={about} dir="auto">
        {field.description !== undefined && escapeInvisible(field.description)}
        {problem !== undefined && <span class="field-problem">{escapeInvisible(problem)}</span>}
      </span>
    </div>
  );
}

function Input(props: FieldProps & { labels: Labels }): JSX.Element {
  const { field, labels } = props;
  if (field.type === 'choices') return <Choices {...props} field={field} />;
  if (field.type === 'boolean') return <Check {...props} />;
  return (
    <>
      <label for={labels.id}>
        <Name field={field} />
      </label>
      {field.type === 'choice' ? <Select {...props} field={field} /> : <TextBox {...props} field={field} />}
    </>
  );
}

function Check({ field, value, onChange, labels }: FieldProps & { labels: Labels }): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        {...labels}
        checked={value === true}
        indeterminate={value === ''}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <Name field={field} />
    </label>
  );
}

/** Numbers and times are text boxes: the browser's own boxes hide invalid input. */
function TextBox(props: FieldProps & { field: Of<'text'> | Of<'number'>; labels: Labels }): JSX.Element {
  const { field, value, onChange, labels } = props;
  const [isShown, setShown] = useState(false);
  const format = field.type === 'text' ? field.format : undefined;
  const type = field.isSecret ? (isShown ? 'text' : 'password') : format === 'date' ? 'date' : 'text';
  const box = (
    <input
      class="input"
      {...({ type } as object)}
      autocomplete={field.isSecret ? 'off' : undefined}
      inputMode={field.type === 'number' ? (field.whole ? 'numeric' : 'decimal') : INPUT_MODES[format ?? 'date']}
      placeholder={format === 'date-time' ? '2026-01-31T14:00:00Z' : undefined}
      {...labels}
      value={String(value ?? '')}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
  if (!field.isSecret) return box;
  return (
    <div class="masked">
      {box}
      <IconButton
        icon={isShown ? 'eye' : 'eye-closed'}
        label={t('Show Input')}
        pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}

const INPUT_MODES = { email: 'email', uri: 'url', date: undefined, 'date-time': undefined } as const;

function Name({ field }: { field: FormField }): JSX.Element {
  return (
    <span>
      <bdi>{escapeInvisibleInline(field.label)}</bdi>
      {!field.required && field.type !== 'boolean' && <span class="muted"> {t('(optional)')}</span>}
    </span>
  );
}

type Of<T extends FormField['type']> = Extract<FormField, { type: T }>;

function Select(props: FieldProps & { field: Of<'choice'>; labels: Labels }): JSX.Element {
  const { field, value, onChange, labels } = props;
  const chosen = field.choices.find((choice) => choice.value === value);
  return (
    <>
      <select
        class="input"
        {...labels}
        value={String(value ?? '')}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {(!field.required || chosen === undefined) && <option value="">{t('Select…')}</option>}
        {field.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {escapeInvisibleInline(choice.label)}
          </option>
        ))}
      </select>
      {chosen?.description !== undefined && (
        <span class="muted" dir="auto">
          {escapeInvisible(chosen.description)}
        </span>
      )}
    </>
  );
}

function Choices(props: FieldProps & { field: Of<'choices'>; labels: Labels }): JSX.Element {
  const { field, value, onChange, labels } = props;
  const chosen = new Set(Array.isArray(value) ? (value as readonly string[]) : []);
  const toggle = (choice: string, isOn: boolean): void => {
    if (isOn) chosen.add(choice);
    else chosen.delete(choice);
    // In the agent's order, whatever the order of the clicks.
    onChange(field.choices.map((each) => each.value).filter((each) => chosen.has(each)));
  };
  return (
    <fieldset aria-describedby={labels['aria-describedby']}>
      <legend>
        <Name field={field} />
      </legend>
      {field.choices.map((choice) => (
        <label key={choice.value} class="check" title={choice.description && escapeInvisible(choice.description)}>
          <input
            type="checkbox"
            checked={chosen.has(choice.value)}
            onChange={(event) => toggle(choice.value, event.currentTarget.checked)}
          />
          <bdi>{escapeInvisibleInline(choice.label)}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
