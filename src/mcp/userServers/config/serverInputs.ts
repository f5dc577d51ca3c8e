import type { Event } from '../../../base/event';
import type { JsonObject } from '../../../base/json';
import { asArray, asString, isObject } from '../../../base/json';
import { t } from '../../../base/l10n';
import { substituteInputs } from '../../../base/variableSubstitution';

/** The user's inputs and sign-ins in the editor's secret storage, which all windows share. `SecretInputs` implements it. */
export interface ServerSecrets {
  /** Fires for changes by any window. */
  readonly onDidChange: Event<void>;
  /** @param owner names the owner in the list of stored secrets */
  read(owner: string, name: string): Promise<string | undefined>;
  /** @param value undefined deletes the secret */
  write(owner: string, name: string, value: string | undefined): Promise<void>;
  /**
   * An input, which the user is asked for once. Undefined when the user gave none.
   * @param owner names the owner in the list of secrets
   * @param signal closes the prompt
   */
  get(owner: string, name: string, form: InputForm, signal: AbortSignal): Promise<string | undefined>;
  /** Redacts the secrets among variables or headers from logs and traffic. */
  hide(values: Readonly<Record<string, string>>): void;
}

/** One of the `inputs` of `mcp.json`. */
export interface InputForm {
  readonly description?: string;
  /** Masked while typing. True by default: most inputs are keys. */
  readonly isSecret: boolean;
  readonly initial?: string;
  /** The allowed values. */
  readonly options?: readonly string[];
}

const SECRET: InputForm = { isSecret: true };

/** The forms of `inputs`, by id. Skips `command` inputs: a file must not run commands. */
export function readInputs(
  value: unknown,
  report: (message: string, field: string) => void,
): ReadonlyMap<string, InputForm> {
  const forms = new Map<string, InputForm>();
  if (value !== undefined && !Array.isArray(value)) report(t('expected a list'), '.inputs');
  for (const [index, item] of asArray(value).entries()) {
    const field = `.inputs[${index}]`;
    const id = isObject(item) ? asString(item['id']) : undefined;
    if (!isObject(item) || id === undefined) report(t('expected an object with "id" and "type"'), field);
    else if (item['type'] === 'command') {
      report(t('the input "{0}" has the type "command", which is not supported; use "promptString"', id), field);
    } else forms.set(id, formOf(item));
  }
  return forms;
}

/** The forms of a definition's inputs; an undescribed input is a secret. */
export function formsOf(
  names: Iterable<string>,
  forms: ReadonlyMap<string, InputForm>,
): ReadonlyMap<string, InputForm> {
  return new Map([...names].toSorted().map((name) => [name, forms.get(name) ?? SECRET]));
}

/**
 * Asks for all inputs, one after the other.
 * @returns the values, or the name of the missing one
 */
export async function askInputs(
  owner: string,
  forms: ReadonlyMap<string, InputForm>,
  inputs: ServerSecrets,
  signal: AbortSignal,
): Promise<{ readonly values: ReadonlyMap<string, string> } | { readonly missing: string }> {
  const values = new Map<string, string>();
  for (const [name, form] of forms) {
    const value = signal.aborted ? undefined : await inputs.get(owner, name, form, signal);
    if (value === undefined || value === '') return { missing: name };
    values.set(name, value);
  }
  return { values };
}

export function substituteAll(
  texts: Readonly<Record<string, string>>,
  values: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, substituteInputs(text, values)]));
}

function formOf(item: JsonObject): InputForm {
  const description = asString(item['description']);
  const initial = asString(item['default']);
  const options = asArray(item['options']).flatMap((option) => {
    const value = isObject(option) ? asString(option['value']) : asString(option);
    return value === undefined ? [] : [value];
  });
  return {
    isSecret: item['type'] === 'promptString' && item['password'] === true,
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { initial }),
    ...(item['type'] === 'pickString' && options.length > 0 && { options }),
  };
}
