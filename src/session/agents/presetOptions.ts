import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { hasValue, optionValues } from '../../shared/state/configOptionState';
import type { ConfigOption } from '../../shared/state/configOptionState';

/** An option and its value as a preset has them: each by its id or its name. */
type Wanted = readonly [option: string, value: string | boolean];

const MAX_NAMED_CHARS = 100;

/** The ids of the option and the value; undefined if the agent does not have them. */
export function findValue(
  wanted: Wanted,
  options: readonly ConfigOption[],
): { readonly id: string; readonly value: string | boolean } | undefined {
  const option = findOption(wanted, options);
  if (!option) return undefined;
  const [, value] = wanted;
  if (hasValue(option, value)) return { id: option.id, value };
  const named = option.kind === 'select' && optionValues(option).find(({ name }) => isSameName(name, String(value)));
  return named ? { id: option.id, value: named.value } : undefined;
}

/** A sentence about what the agent does not have. */
export function missingValueText(wanted: Wanted, options: readonly ConfigOption[]): string {
  const [name, value] = wanted;
  const option = findOption(wanted, options);
  if (!option) return t('The agent has no option “{0}”.', shown(name));
  return t('The option “{0}” has no value “{1}”.', shown(option.name), shown(String(value)));
}

function findOption([key]: Wanted, options: readonly ConfigOption[]): ConfigOption | undefined {
  return options.find(({ id }) => id === key) ?? options.find(({ name }) => isSameName(name, key));
}

function isSameName(name: string, other: string): boolean {
  return name.trim().toLowerCase() === other.trim().toLowerCase();
}

function shown(text: string): string {
  return escapeInvisibleInline(truncate(text, MAX_NAMED_CHARS));
}
