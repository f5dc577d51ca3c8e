import type { Event } from './event';
import { isObject } from './json';
import { t } from './l10n';
import type { Fields, Schema } from './schema';
import { boolean, describeValue, enumOf, integer, object, SchemaError, string, tryParse } from './schema';
import { truncate } from './text';
import { disallowedUrlReason } from './urlPolicy';

/** Validation of settings, and the settings with plain values. A test compares the table with package.json. */

/** A problem of a setting: its path and the expected value. */
export interface SettingProblem {
  /** `parley.agents["My agent"].args[1]` */
  readonly path: string;
  readonly message: string;
  /** The scope in words, unless it is the user's own settings: "workspace settings". */
  readonly from?: string;
  /** No mistake: it is logged and shown, but the user is not notified. */
  readonly isNote?: boolean;
}

/**
 * Reads one value. Reports problems and always returns a usable value; undefined gives the default. `field` of a report is the path inside
 * the value: `[1].path`
 */
export type SettingReader<T> = (value: unknown, report: (message: string, field?: string) => void) => T;

/** Maximum characters of a path or a sentence: a settings file may contain names and values of any length. */
const MAX_TEXT = 300;

/** `parley.agents["x"].args (workspace settings): expected …` */
export function settingProblemText({ path, message, from }: SettingProblem): string {
  return `${truncate(path, MAX_TEXT)}${from === undefined ? '' : ` (${from})`}: ${truncate(message, MAX_TEXT)}`;
}

/** A setting whose value must match a schema. */
export function setting<T>(schema: Schema<T>, fallback: T): SettingReader<T> {
  return (value, report) => {
    if (value === undefined) return fallback;
    const result = tryParse(schema, value);
    if ('value' in result) return result.value;
    report(result.error.message);
    return fallback;
  };
}

/** Entries of one setting. */
const MAX_ENTRIES = 200;
/** Characters of a text in an entry. */
const MAX_TEXT_CHARS = 20_000;

/** A string that is not blank. */
export function limitedText(max = MAX_TEXT_CHARS): Schema<string> {
  return (value, path) => {
    if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return value;
    throw new SchemaError(path, t('a text of 1 to {0} characters', max), value);
  };
}

/**
 * A setting of named entries. An entry with an invalid value is skipped: without it, it would mean something else. Unknown fields are
 * reported and ignored.
 * @param fields of an entry, with its name
 */
export function namedEntries<T extends { readonly name: string }>(fields: Fields<T>): SettingReader<readonly T[]> {
  const schema = object(fields);
  const known = Object.keys(fields).filter((field) => field !== 'name');
  return (value = {}, report) => {
    if (!isObject(value)) report(t('expected an object, got {0}', describeValue(value)));
    const given = isObject(value) ? Object.entries(value) : [];
    if (given.length > MAX_ENTRIES) report(t('only the first {0} entries are used', MAX_ENTRIES));
    return given.slice(0, MAX_ENTRIES).flatMap(([name, entry]) => {
      const at = `[${JSON.stringify(name)}]`;
      for (const field of Object.keys(isObject(entry) ? entry : {}).filter((one) => !known.includes(one)))
        report(
          t('unknown field, ignored by this version of Parley; known fields: {0}', known.join(', ')),
          `${at}.${field}`,
        );
      const read = tryParse(schema, isObject(entry) ? { ...entry, name } : entry);
      if ('value' in read) return [read.value];
      const { path, message } = read.error;
      report(message, `${at}${path === '' ? '' : `.${path}`}`);
      return [];
    });
  };
}

/** A setting for a URL from which Parley may load. */
function readUrl(fallback: string): SettingReader<string> {
  return (value, report) => {
    if (value === undefined) return fallback;
    if (typeof value !== 'string') {
      report(t('expected a URL, got {0}', describeValue(value)));
      return fallback;
    }
    const problem = disallowedUrlReason(value);
    if (problem !== undefined) report(problem);
    return problem === undefined ? value : fallback;
  };
}

/** When thoughts are expanded: while they stream, never, always. */
export type ThoughtDisplay = 'auto' | 'collapsed' | 'expanded';

/** Sends the message: Enter, or Ctrl+Enter (Cmd+Enter on macOS). */
export type SendKey = 'enter' | 'modifierEnter';

export type NotifyMode = 'whenHidden' | 'always' | 'never';
type SystemNotificationMode = 'whenUnfocused' | 'never';

/** `parley.budget`, in the currency that agents report. */
export interface Budget {
  readonly session?: number;
  readonly day?: number;
}

const MAX_BUDGET = 1_000_000;

/** Reads each amount separately, so that an invalid amount does not disable the other. */
const readBudget: SettingReader<Budget> = (value, report) => {
  if (value === undefined) return {};
  if (!isObject(value)) {
    report(t('expected an object, got {0}', describeValue(value)));
    return {};
  }
  const budget: { session?: number; day?: number } = {};
  for (const [name, amount] of Object.entries(value)) {
    if (name !== 'session' && name !== 'day') report(t('expected only "session" and "day"'), `.${name}`);
    else if (typeof amount === 'number' && amount > 0 && amount <= MAX_BUDGET) budget[name] = amount;
    else
      report(
        t('expected a number greater than 0 and at most {0}, got {1}', MAX_BUDGET, describeValue(amount)),
        `.${name}`,
      );
  }
  return budget;
};

/** Default URL of the ACP Registry. */
export const DEFAULT_REGISTRY = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

/** Settings with plain values, by their key without `parley.`. `parley.agents` has its own reader. */
export const plainSettings = {
  defaultAgent: setting(string, ''),
  'registry.url': readUrl(DEFAULT_REGISTRY),
  'permissions.notify': setting<NotifyMode>(enumOf('whenHidden', 'always', 'never'), 'whenHidden'),
  'notifications.system': setting<SystemNotificationMode>(enumOf('whenUnfocused', 'never'), 'whenUnfocused'),
  follow: setting(boolean, true),
  'checkpoints.enabled': setting(boolean, true),
  'checkpoints.maxAgeDays': setting(integer(1, 3650), 30),
  'checkpoints.maxSizeMB': setting(integer(10, 1024 * 1024), 1024),
  'transcripts.maxAgeDays': setting(integer(0, 3650), 0),
  'transcripts.maxSizeMB': setting(integer(10, 1024 * 1024), 2048),
  'review.enabled': setting(boolean, true),
  'terminal.outputLimit': setting(integer(1024, 64 * 1024 * 1024), 1024 * 1024),
  'traffic.record': setting(boolean, true),
  budget: readBudget,
  sound: setting(boolean, false),
  keepAwake: setting(boolean, true),
  sendKey: setting<SendKey>(enumOf('enter', 'modifierEnter'), 'enter'),
  codeLens: setting(boolean, false),
  suggestions: setting(boolean, true),
  thoughts: setting<ThoughtDisplay>(enumOf('auto', 'collapsed', 'expanded'), 'auto'),
} satisfies Record<string, SettingReader<unknown>>;

/**
 * Settings that protect the user or record what happens, with their values, the weakest first. A workspace can only set a stronger value
 * than the user's: a repository could turn them off. The other settings that a workspace can set change the look only.
 */
export const protections = {
  'permissions.notify': ['never', 'whenHidden', 'always'],
  'notifications.system': ['never', 'whenUnfocused'],
  'review.enabled': [false, true],
  'checkpoints.enabled': [false, true],
  'traffic.record': [false, true],
} satisfies Partial<Record<keyof typeof plainSettings, readonly unknown[]>>;

/** Reads the validated values of some settings; implemented by `Configuration`. */
export interface PlainSettingsReader<K extends keyof PlainSettings = keyof PlainSettings> {
  get<Key extends K>(key: Key): PlainSettings[Key];
  /** Fires after a change of settings, workspace folders or workspace trust. */
  readonly onDidChange: Event<void>;
}

export type PlainSettings = { readonly [K in keyof typeof plainSettings]: ReturnType<(typeof plainSettings)[K]> };

/** Reads all plain settings; `read` returns the value of one. */
export function readPlainSettings(read: (key: string, reader: SettingReader<unknown>) => unknown): PlainSettings {
  const values = Object.entries(plainSettings).map(([key, reader]) => [
    key,
    read(key, reader as SettingReader<unknown>),
  ]);
  return Object.fromEntries(values) as PlainSettings;
}
