import { assertNever } from '../../base/assert';

/** The config options of a session: modes, models and others, in Parley's own types. */

/** One value of a config option. `value` is opaque: some agents use URLs. */
export interface OptionValue {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** Values under a heading; a list without groups is one group without a name. */
export interface OptionGroup {
  readonly name?: string;
  readonly choices: readonly OptionValue[];
}

interface ConfigOptionBase {
  readonly id: string;
  /** The agent's name of the option ("Mode", "Model"): the accessible name. */
  readonly name: string;
  readonly description?: string;
  /** `mode`, `model`, `thought_level` or any value of the agent. */
  readonly category?: string;
  /** The method that changes it: `session/set_config_option`, `session/set_mode` or `session/set_model`. */
  readonly source: 'config' | 'mode' | 'model';
}

export interface SelectOption extends ConfigOptionBase {
  readonly kind: 'select';
  /** The agent's current value; may be none of the listed values (seen with Cline). */
  readonly value: string;
  /** The value that the user selected, until the agent has answered. */
  readonly wanted?: string;
  readonly groups: readonly OptionGroup[];
}

export interface BooleanOption extends ConfigOptionBase {
  readonly kind: 'boolean';
  readonly value: boolean;
  readonly wanted?: boolean;
}

/** In the agent's order. */
export type ConfigOption = SelectOption | BooleanOption;

/** `mode`, `model` or another category; without one, it follows from the method that changes the option. */
export function optionCategory({ category, source }: ConfigOption): string {
  return category ?? source;
}

/** Values that the user selected and the agent accepted, by option id and in the order of selection. */
export type SavedOptions = Readonly<Record<string, string | boolean>>;

export function optionValues(configOption: SelectOption): OptionValue[] {
  return configOption.groups.flatMap(({ choices }) => choices);
}

/** The displayed value: the user's selection until the agent has answered. */
export function displayedValue(configOption: ConfigOption): string | boolean {
  return configOption.wanted ?? configOption.value;
}

/** The name of a value; an unlisted value is its own name. */
export function valueName(configOption: SelectOption): string {
  const value = configOption.wanted ?? configOption.value;
  return optionValues(configOption).find((choice) => choice.value === value)?.name ?? value;
}

/** Whether the user may select this value. */
export function hasValue(configOption: ConfigOption, value: string | boolean): boolean {
  if (configOption.kind === 'boolean') return typeof value === 'boolean';
  return optionValues(configOption).some((choice) => choice.value === value);
}

export interface ConfigOptionState {
  /** The config options in the agent's order: modes, models, options. */
  readonly selectors: readonly ConfigOption[];
  /** The user's selections, which outlive the agent's process. */
  readonly choices?: SavedOptions;
}

export type ConfigOptionAction =
  | { readonly type: 'selectorsChanged'; readonly selectors: readonly ConfigOption[] }
  /** The user selected a value; the agent has not answered yet. */
  | { readonly type: 'selectorChosen'; readonly id: string; readonly value: string | boolean }
  /** The agent answered: its value applies again. `value` is set when it accepted without returning all options. */
  | { readonly type: 'choiceSettled'; readonly id: string; readonly value?: string | boolean }
  /** All selections to send again when the session is restored without them. */
  | { readonly type: 'choicesKept'; readonly choices: SavedOptions };

export function reduceConfigOptions<S extends ConfigOptionState>(state: S, action: ConfigOptionAction): S {
  switch (action.type) {
    case 'selectorsChanged':
      return { ...state, selectors: retainRequested(action.selectors, state.selectors) };
    case 'selectorChosen':
      return changeOption(state, action.id, (option) => ({ ...option, wanted: action.value }) as ConfigOption);
    case 'choiceSettled':
      return changeOption(state, action.id, (option) => withAnswer(option, action.value));
    case 'choicesKept':
      return { ...state, choices: action.choices };
    default:
      return assertNever(action);
  }
}

function retainRequested(next: readonly ConfigOption[], before: readonly ConfigOption[]): readonly ConfigOption[] {
  return next.map((configOption) => {
    const old = before.find(({ id, kind }) => id === configOption.id && kind === configOption.kind);
    return old?.wanted === undefined ? configOption : ({ ...configOption, wanted: old.wanted } as ConfigOption);
  });
}

/** As the agent reported it. */
export function withoutRequested({ wanted: _wanted, ...configOption }: ConfigOption): ConfigOption {
  return configOption;
}

function withAnswer(configOption: ConfigOption, value: string | boolean | undefined): ConfigOption {
  const rest = withoutRequested(configOption);
  return value === undefined ? rest : ({ ...rest, value } as ConfigOption);
}

function changeOption<S extends ConfigOptionState>(
  state: S,
  id: string,
  change: (configOption: ConfigOption) => ConfigOption,
): S {
  const at = state.selectors.findIndex((configOption) => configOption.id === id);
  const configOption = state.selectors[at];
  return configOption ? { ...state, selectors: state.selectors.with(at, change(configOption)) } : state;
}
