import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type {
  BooleanOption,
  Choice,
  OptionGroup,
  SelectOption,
  ConfigOption,
} from '../../shared/state/configOptionState';
import { hasValue } from '../../shared/state/configOptionState';

/** Reads what an agent offers to choose (ACP session-config-options, session-modes), lenient; `note` is told what was left out. */

type Note = (text: string) => void;

/**
 * The selectors in the answer to session/new, load, resume or fork; undefined when it says nothing of any. Where there are config
 * options they are used exclusively (ACP session-config-options); `models` is from before them and still sent.
 */
export function initialConfigOptions(result: JsonObject, note: Note): ConfigOption[] | undefined {
  const options = result['configOptions'];
  if (Array.isArray(options) && options.length > 0) return toConfigOptions(options, note);
  const legacy = [...legacySelector(modes, result), ...legacySelector(models, result)];
  return legacy.length > 0 || Array.isArray(options) ? legacy : undefined;
}

/** A complete list of config options, in the agent's order. An option of an unknown type is left out, as ACP wants. */
export function toConfigOptions(options: readonly unknown[], note: Note): ConfigOption[] {
  const seen = new Set<string>();
  return options.filter(isObject).flatMap((option) => {
    const id = asString(option['id']);
    if (id === undefined || seen.has(id)) return [];
    const selector = toSelector(id, option);
    if (selector) seen.add(id);
    else note(`Left out the config option ${JSON.stringify(id)} of type ${JSON.stringify(option['type'])}`);
    return selector ? [selector] : [];
  });
}

function toSelector(id: string, option: JsonObject): ConfigOption | undefined {
  const base = { id, name: asString(option['name']) ?? id, source: 'config' as const, ...described(option) };
  const category = omitUndefined({ category: asString(option['category']) });
  const value = option['currentValue'];
  if (option['type'] === 'boolean') {
    return { ...base, ...category, kind: 'boolean', value: value === true } satisfies BooleanOption;
  }
  // Before there were types all options were selects.
  if (option['type'] !== 'select' && option['type'] !== undefined) return undefined;
  const groups = toGroups(asArray(option['options']));
  return { ...base, ...category, kind: 'select', value: asString(value) ?? '', groups } satisfies SelectOption;
}

/** Choices and groups of choices; choices that follow each other outside of groups are one group without a name. */
function toGroups(options: readonly unknown[]): OptionGroup[] {
  const groups: { name?: string; choices: Choice[] }[] = [];
  for (const option of options.filter(isObject)) {
    const members = option['options'];
    if (Array.isArray(members)) {
      const name = asString(option['name']) ?? asString(option['group']);
      groups.push({ ...omitUndefined({ name }), choices: members.flatMap((member) => toChoice(member, 'value')) });
      continue;
    }
    const last = groups.at(-1);
    const choices = toChoice(option, 'value');
    if (last && last.name === undefined) last.choices.push(...choices);
    else groups.push({ choices });
  }
  return groups.filter(({ choices }) => choices.length > 0);
}

function toChoice(value: unknown, idField: string): Choice[] {
  const choice = asObject(value);
  const id = asString(choice?.[idField]);
  return choice && id !== undefined ? [{ value: id, name: asString(choice['name']) ?? id, ...described(choice) }] : [];
}

function described(fields: JsonObject): { description?: string } {
  return omitUndefined({ description: asString(fields['description']) || undefined });
}

/** Where the two lists from before config options keep their parts. */
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

function legacySelector(legacy: Legacy, result: JsonObject): SelectOption[] {
  const { source, name } = legacy;
  const fields = asObject(result[legacy.field]);
  const choices = asArray(fields?.[legacy.list]).flatMap((item) => toChoice(item, legacy.id));
  if (!fields || choices.length === 0) return [];
  const value = asString(fields[legacy.current]) ?? '';
  return [{ id: source, name, category: source, source, kind: 'select', value, groups: [{ choices }] }];
}

/**
 * The selectors after `current_mode_update`. Agents with config options send it too, some when they change the mode by themselves
 * (Qwen Code), so it counts for the option of that category when the mode is one of its choices.
 */
export function withMode(selectors: readonly ConfigOption[], modeId: string): readonly ConfigOption[] {
  const at = selectors.findIndex(
    (selector) =>
      selector.kind === 'select' &&
      (selector.source === 'mode' || (selector.category === 'mode' && hasValue(selector, modeId))),
  );
  const selector = selectors[at];
  if (selector?.kind !== 'select' || selector.value === modeId) return selectors;
  return selectors.with(at, { ...selector, value: modeId });
}

/** The request that makes this choice (ACP: the method depends on where the selector came from). */
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
