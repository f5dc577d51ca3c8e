import { readAgentTools } from '../../agent/config/agentToolSettings';
import { isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { describeValue } from '../../base/schema';
import type { SettingReader } from '../../base/settings';
import { truncate } from '../../base/text';
import type { SavedOptions } from '../../shared/state/configOptionState';
import type { Preset } from '../../shared/state/preset';

type Report = (message: string, field?: string) => void;
type Fail = (message: string, field?: string) => undefined;

const FIELDS = ['agent', 'options', 'tools', 'instructions', 'prompt'];
const MAX_PRESETS = 200;
const MAX_NAME_CHARS = 100;
const MAX_OPTIONS = 50;
/** Characters of instructions and of a prompt. */
const MAX_TEXT_CHARS = 20_000;

/** `parley.presets`, by name. An entry with an invalid value is skipped: without its limits it would be another preset. */
export function readPresets(): SettingReader<Readonly<Record<string, Preset>>> {
  return (value, report) => {
    if (value === undefined) return {};
    if (!isObject(value)) {
      report(t('expected an object, got {0}', describeValue(value)));
      return {};
    }
    const entries = Object.entries(value);
    if (entries.length > MAX_PRESETS) report(t('only the first {0} presets are used', MAX_PRESETS));
    const read = entries.slice(0, MAX_PRESETS).flatMap(([name, entry]) => {
      let isValid = true;
      const warn: Report = (message, field = '') =>
        report(message, `[${JSON.stringify(truncate(name, MAX_NAME_CHARS))}]${field}`);
      const preset = readPreset(name, entry, warn, (message, field): undefined => {
        isValid = false;
        warn(message, field);
      });
      return preset && isValid ? [[name, preset] as const] : [];
    });
    return Object.fromEntries(read);
  };
}

/** Why a preset cannot have this name. */
export function presetNameProblem(name: string): string | undefined {
  if (name.trim() === '') return t('a preset needs a name');
  return name.length > MAX_NAME_CHARS
    ? t('expected at most {0} characters, got {1}', MAX_NAME_CHARS, name.length)
    : undefined;
}

function readPreset(name: string, entry: unknown, warn: Report, fail: Fail): Preset | undefined {
  const problem = presetNameProblem(name);
  if (problem !== undefined) return fail(problem);
  if (!isObject(entry)) return fail(t('expected an object, got {0}', describeValue(entry)));
  for (const field of Object.keys(entry).filter((key) => !FIELDS.includes(key)))
    warn(t('unknown field, ignored by this version of Parley; known fields: {0}', FIELDS.join(', ')), `.${field}`);
  const agent = readText({ agent: null, ...entry }, 'agent', fail);
  if (agent === undefined) return undefined;
  const options = readOptions(entry['options'], fail);
  const tools = readAgentTools({ tools: entry['tools'] }, (field, message) => fail(message, field));
  const instructions = readText(entry, 'instructions', fail);
  const prompt = readText(entry, 'prompt', fail);
  return {
    name,
    agent,
    ...(options && { options }),
    ...(tools && { tools: { allow: tools.allow, deny: tools.deny } }),
    ...(instructions !== undefined && { instructions }),
    ...(prompt !== undefined && { prompt }),
  };
}

function readText(entry: JsonObject, field: string, fail: Fail): string | undefined {
  const value = entry[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '')
    return fail(t('expected a string that is not empty, got {0}', describeValue(value)), `.${field}`);
  if (value.length <= MAX_TEXT_CHARS) return value;
  return fail(t('expected at most {0} characters, got {1}', MAX_TEXT_CHARS, value.length), `.${field}`);
}

function readOptions(value: unknown, fail: Fail): SavedOptions | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) return fail(t('expected an object, got {0}', describeValue(value)), '.options');
  const entries = Object.entries(value);
  if (entries.length > MAX_OPTIONS)
    return fail(t('expected at most {0} options, got {1}', MAX_OPTIONS, entries.length), '.options');
  for (const [name, wanted] of entries) {
    if (typeof wanted !== 'string' && typeof wanted !== 'boolean')
      fail(t('expected a string, true or false, got {0}', describeValue(wanted)), `.options[${JSON.stringify(name)}]`);
  }
  return Object.fromEntries(entries) as SavedOptions;
}
