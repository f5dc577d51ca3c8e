/** The config options of a session: modes, models and others, in Parley's own types. */

/** One value of a config option. `value` is opaque: some agents use URLs. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** Values under a heading; a list without groups is one group without a name. */
export interface OptionGroup {
  readonly name?: string;
  readonly choices: readonly Choice[];
}

interface SelectorBase {
  readonly id: string;
  /** The agent's name of the option ("Mode", "Model"): the accessible name. */
  readonly name: string;
  readonly description?: string;
  /** `mode`, `model`, `thought_level` or any value of the agent. */
  readonly category?: string;
  /** The method that changes it: `session/set_config_option`, `session/set_mode` or `session/set_model`. */
  readonly source: 'config' | 'mode' | 'model';
}

export interface SelectOption extends SelectorBase {
  readonly kind: 'select';
  /** The agent's current value; may be none of the listed values (seen with Cline). */
  readonly value: string;
  /** The value that the user selected, until the agent has answered. */
  readonly wanted?: string;
  readonly groups: readonly OptionGroup[];
}

export interface BooleanOption extends SelectorBase {
  readonly kind: 'boolean';
  readonly value: boolean;
  readonly wanted?: boolean;
}

/** In the agent's order. */
export type ConfigOption = SelectOption | BooleanOption;

/** Values that the user selected and the agent accepted, by option id and in the order of selection. */
export type SavedOptions = Readonly<Record<string, string | boolean>>;

export function optionValues(selector: SelectOption): Choice[] {
  return selector.groups.flatMap(({ choices }) => choices);
}

/** The displayed value: the user's selection until the agent has answered. */
export function displayedValue(selector: ConfigOption): string | boolean {
  return selector.wanted ?? selector.value;
}

/** The name of a value; an unlisted value is its own name. */
export function valueName(selector: SelectOption): string {
  const value = selector.wanted ?? selector.value;
  return optionValues(selector).find((choice) => choice.value === value)?.name ?? value;
}

/** Whether the user may select this value. */
export function hasValue(selector: ConfigOption, value: string | boolean): boolean {
  if (selector.kind === 'boolean') return typeof value === 'boolean';
  return optionValues(selector).some((choice) => choice.value === value);
}
