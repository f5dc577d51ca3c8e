import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type {
  BooleanOption,
  OptionValue,
  OptionGroup,
  SelectOption,
  ConfigOption,
} from '../../shared/state/configOptionState';
import { hasValue } from '../../shared/state/configOptionState';
import type { Action } from '../../shared/state/sessionActions';
import type { TranslateContext } from './translateContent';
import { translateUnknown } from './translateContent';

/**
 * Leniently parses config options and modes (https://agentclientprotocol.com/protocol/session-config-options); `note` logs what was
 * skipped.
 */

/** Each is an element of the page: options of a session, values of an option. */
const MAX_OPTIONS = 100;
const MAX_VALUES = 5_000;

type Note = (text: string) => void;

/**
 * The config options in the answer to session/new, load, resume or fork; undefined when it has none. Config options take precedence over
 * modes, as ACP requires; `models` predates them and is still sent.
 */
export function initialConfigOptions(result: JsonObject, note: Note): ConfigOption[] | undefined {
  const options = result['configOptions'];
  if (Array.isArray(options) && options.length > 0) return toConfigOptions(options, note);
  const legacy = [...toLegacyOption(modes, result), ...toLegacyOption(models, result)];
  return legacy.length > 0 || Array.isArray(options) ? legacy : undefined;
}

/** A complete list of config options, in the agent's order. Unknown types are skipped, as ACP requires. */
export function toConfigOptions(options: readonly unknown[], note: Note): ConfigOption[] {
  const seen = new Set<string>();
  return options.filter(isObject).flatMap((option) => {
    const id = asString(option['id']);
    if (id === undefined || seen.has(id) || seen.size >= MAX_OPTIONS) return [];
    const configOption = toConfigOption(id, option);
    if (configOption) seen.add(id);
    else note(`Skipped the config option ${JSON.stringify(id)} of type ${JSON.stringify(option['type'])}`);
    return configOption ? [configOption] : [];
  });
}

function toConfigOption(id: string, option: JsonObject): ConfigOption | undefined {
  const base = { id, name: asString(option['name']) ?? id, source: 'config' as const, ...toDescription(option) };
  const category = omitUndefined({ category: asString(option['category']) });
  const value = option['currentValue'];
  if (option['type'] === 'boolean') {
    return { ...base, ...category, kind: 'boolean', value: value === true } satisfies BooleanOption;
  }
  // Before types existed all options were selects.
  if (option['type'] !== 'select' && option['type'] !== undefined) return undefined;
  const groups = toGroups(asArray(option['options']));
  return { ...base, ...category, kind: 'select', value: asString(value) ?? '', groups } satisfies SelectOption;
}

/** Values and groups of values; adjacent values outside of groups form an unnamed group. */
function toGroups(options: readonly unknown[]): OptionGroup[] {
  const groups: { name?: string; choices: OptionValue[] }[] = [];
  let left = MAX_VALUES;
  for (const option of options.filter(isObject)) {
    if (left <= 0) break;
    const members = option['options'];
    if (Array.isArray(members)) {
      const name = asString(option['name']) ?? asString(option['group']);
      const choices = members.slice(0, left).flatMap((member) => toOptionValue(member, 'value'));
      groups.push({ ...omitUndefined({ name }), choices });
      left -= Math.max(1, choices.length);
      continue;
    }
    left--;
    const last = groups.at(-1);
    const choices = toOptionValue(option, 'value');
    if (last && last.name === undefined) last.choices.push(...choices);
    else groups.push({ choices });
  }
  return groups.filter(({ choices }) => choices.length > 0);
}

function toOptionValue(value: unknown, idField: string): OptionValue[] {
  const fields = asObject(value);
  const id = asString(fields?.[idField]);
  return fields && id !== undefined
    ? [{ value: id, name: asString(fields['name']) ?? id, ...toDescription(fields) }]
    : [];
}

function toDescription(fields: JsonObject): { description?: string } {
  return omitUndefined({ description: asString(fields['description']) || undefined });
}

/** Field names of the two lists that preceded config options. */
interface Legacy {
  readonly source: 'mode' | 'model';
  readonly name: string;
  readonly field: string;
  readonly list: string;
  readonly current: string;
  readonly id: string;
}

const modes: Legacy = {
  source: 'mode',
  name: 'Mode',
  field: 'modes',
  list: 'availableModes',
  current: 'currentModeId',
  id: 'id',
};

const models: Legacy = {
  source: 'model',
  name: 'Model',
  field: 'models',
  list: 'availableModels',
  current: 'currentModelId',
  id: 'modelId',
};

function toLegacyOption(legacy: Legacy, result: JsonObject): SelectOption[] {
  const { source, name } = legacy;
  const fields = asObject(result[legacy.field]);
  const listed = asArray(fields?.[legacy.list]).slice(0, MAX_VALUES);
  const choices = listed.flatMap((item) => toOptionValue(item, legacy.id));
  if (!fields || choices.length === 0) return [];
  const value = asString(fields[legacy.current]) ?? '';
  return [{ id: source, name, category: source, source, kind: 'select', value, groups: [{ choices }] }];
}

/**
 * Config options after `current_mode_update`. Agents with config options send it too, some when they change the mode themselves (Qwen
 * Code), so it sets the mode option if the mode is one of its values.
 */
function withMode(selectors: readonly ConfigOption[], modeId: string): readonly ConfigOption[] {
  const at = selectors.findIndex(
    (configOption) =>
      configOption.kind === 'select' &&
      (configOption.source === 'mode' || (configOption.category === 'mode' && hasValue(configOption, modeId))),
  );
  const configOption = selectors[at];
  if (configOption?.kind !== 'select' || configOption.value === modeId) return selectors;
  return selectors.with(at, { ...configOption, value: modeId });
}

/** `config_option_update` and `current_mode_update`. */
export function translateConfigOptions(update: JsonObject, context: TranslateContext): Action[] {
  const options = update['configOptions'];
  const modeId = asString(update['currentModeId']);
  if (Array.isArray(options)) {
    return [{ type: 'selectorsChanged', selectors: toConfigOptions(options, (text) => context.logSkipped(text)) }];
  }
  if (modeId === undefined) return [translateUnknown(update, context)];
  const next = withMode(context.selectors, modeId);
  return next === context.selectors ? [] : [{ type: 'selectorsChanged', selectors: next }];
}

/** The request for this value; its method depends on the option's origin. */
export function setOptionRequest(
  sessionId: string,
  { id, source }: ConfigOption,
  value: string | boolean,
): { readonly method: string; readonly params: JsonObject } {
  if (source === 'mode') return { method: 'session/set_mode', params: { sessionId, modeId: value } };
  if (source === 'model') return { method: 'session/set_model', params: { sessionId, modelId: value } };
  const type = typeof value === 'boolean' ? { type: 'boolean' } : {};
  return { method: 'session/set_config_option', params: { sessionId, configId: id, ...type, value } };
}
