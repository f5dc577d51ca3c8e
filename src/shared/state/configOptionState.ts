/** What an agent offers to choose for a session: its modes, models and config options, in our own words. */

/** One value of a selector. `value` is the agent's and opaque: some agents use addresses. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** Choices under a heading; a list without groups is one group without a name. */
export interface OptionGroup {
  readonly name?: string;
  readonly choices: readonly Choice[];
}

interface SelectorBase {
  readonly id: string;
  /** The agent's name of it ("Mode", "Model"): the accessible name. */
  readonly name: string;
  readonly description?: string;
  /** `mode`, `model`, `thought_level` … or any word of the agent's own. */
  readonly category?: string;
  /** Which method changes it: `session/set_config_option`, `session/set_mode` or `session/set_model`. */
  readonly source: 'config' | 'mode' | 'model';
}

export interface SelectOption extends SelectorBase {
  readonly kind: 'select';
  /** What the agent said last; may be none of the choices (seen with Cline). */
  readonly value: string;
  /** What the user chose, until the agent has answered. */
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

/** What the user has chosen and the agent has taken: value by id of the selector, in the order of choosing. */
export type SavedOptions = Readonly<Record<string, string | boolean>>;

export function optionValues(selector: SelectOption): Choice[] {
  return selector.groups.flatMap(({ choices }) => choices);
}

/** What is shown as chosen: the user's wish counts until the agent has answered. */
export function displayedValue(selector: ConfigOption): string | boolean {
  return selector.wanted ?? selector.value;
}

/** The name of a value; a value that is none of the choices stands for itself. */
export function valueName(selector: SelectOption): string {
  const value = selector.wanted ?? selector.value;
  return optionValues(selector).find((choice) => choice.value === value)?.name ?? value;
}

/** True when the user may choose this value. */
export function hasValue(selector: ConfigOption, value: string | boolean): boolean {
  if (selector.kind === 'boolean') return typeof value === 'boolean';
  return optionValues(selector).some((choice) => choice.value === value);
}
