import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Schema } from '../../base/schema';
import {
  describeValue,
  exactObject,
  list,
  optional,
  record,
  SchemaError,
  stringOrBoolean,
  tryParse,
} from '../../base/schema';
import type { SettingReader } from '../../base/settings';
import { truncate } from '../../base/text';
import type { Preset } from '../../shared/state/preset';

const MAX_PRESETS = 200;
const MAX_NAME_CHARS = 100;
const MAX_OPTIONS = 50;
const MAX_TEXT_CHARS = 20_000;

const text =
  (max: number): Schema<string> =>
  (value, path) => {
    if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return value;
    throw new SchemaError(path, t('a text of 1 to {0} characters', max), value);
  };

export const presetName = text(MAX_NAME_CHARS);

const patterns = optional(list(text(MAX_TEXT_CHARS)));

const preset = exactObject<Preset>({
  name: presetName,
  agent: text(MAX_TEXT_CHARS),
  options: optional(record(stringOrBoolean, MAX_OPTIONS)),
  tools: optional(exactObject<NonNullable<Preset['tools']>>({ allow: patterns, deny: patterns })),
  instructions: optional(text(MAX_TEXT_CHARS)),
  prompt: optional(text(MAX_TEXT_CHARS)),
});

/** `parley.presets`. An entry with an invalid value is skipped: without its limits it would be another preset. */
export const readPresets: SettingReader<readonly Preset[]> = (value = {}, report) => {
  if (!isObject(value)) report(t('expected an object, got {0}', describeValue(value)));
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length > MAX_PRESETS) report(t('only the first {0} presets are used', MAX_PRESETS));
  return entries.slice(0, MAX_PRESETS).flatMap(([name, entry]) => {
    const read = tryParse(preset, isObject(entry) ? { ...entry, name } : entry);
    if ('value' in read) return [read.value];
    const { path, message } = read.error;
    report(message, `[${JSON.stringify(truncate(name, MAX_NAME_CHARS))}]${path === '' ? '' : `.${path}`}`);
    return [];
  });
};
