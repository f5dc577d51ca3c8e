import { disallowedUrlReason } from './urlPolicy';
import { isObject } from './json';
import { t } from './l10n';
import { truncate } from './text';

/** Checking values of settings, and the settings that are plain values. A test compares the table with package.json. */

/** A value that is not as it should be: where it stands inside the settings, and what was expected. */
export interface SettingProblem {
  /** `parley.agents["My agent"].args[1]` */
  readonly path: string;
  readonly message: string;
  /** In words, where it is not the user's own settings: "workspace settings". */
  readonly from?: string;
}

/**
 * Reads one value; reports what is wrong and gives a usable value anyway. Undefined gives the default.
 * `field` of a report is the place inside the value: `[1].path`
 */
export type SettingReader<T> = (value: unknown, report: (message: string, field?: string) => void) => T;

/** Characters of a place or a sentence: a settings file may hold names and values of any length. */
const LONGEST = 300;

/** `parley.agents["x"].args (workspace settings): expected …` */
export function problemText({ path, message, from }: SettingProblem): string {
  return `${truncate(path, LONGEST)}${from === undefined ? '' : ` (${from})`}: ${truncate(message, LONGEST)}`;
}

/** One of a few words. */
export function readEnum<T extends string>(allowed: readonly T[], fallback: T): SettingReader<T> {
  return (value, report) => {
    if (value === undefined) return fallback;
    const found = allowed.find((word) => word === value);
    if (found === undefined)
      report(t('expected {0}, got {1}', allowed.map((word) => `"${word}"`).join(', '), describeValue(value)));
    return found ?? fallback;
  };
}

/** A whole number from `min` to `max`. */
export function readInteger(min: number, max: number, fallback: number): SettingReader<number> {
  return (value, report) => {
    if (value === undefined) return fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    report(t('expected a whole number from {0} to {1}, got {2}', min, max, describeValue(value)));
    return fallback;
  };
}

export function text(fallback: string): SettingReader<string> {
  return (value, report) => {
    if (value === undefined || typeof value === 'string') return value ?? fallback;
    report(t('expected a string, got {0}', describeValue(value)));
    return fallback;
  };
}

/** An address that may be loaded from. */
export function readUrl(fallback: string): SettingReader<string> {
  return (value, report) => {
    if (value === undefined) return fallback;
    if (typeof value !== 'string') {
      report(t('expected an address, got {0}', describeValue(value)));
      return fallback;
    }
    const problem = disallowedUrlReason(value);
    if (problem !== undefined) report(problem);
    return problem === undefined ? value : fallback;
  };
}

/** `a number (5)`, `a list`, `null`: what was found, for a sentence. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return t('a list');
  if (isObject(value)) return t('an object');
  return t('the {0} {1}', typeof value, truncate(JSON.stringify(value) ?? '', 100));
}

/** Yes or no. */
export function readBoolean(fallback: boolean): SettingReader<boolean> {
  return (value, report) => {
    if (value === undefined || typeof value === 'boolean') return value ?? fallback;
    report(t('expected true or false, got {0}', describeValue(value)));
    return fallback;
  };
}

/** When thoughts are open: while they stream, never, always. */
export type ThoughtDisplay = 'auto' | 'collapsed' | 'expanded';

export type NotifyMode = 'whenHidden' | 'always' | 'never';

/** Where the ACP Registry is served. */
export const DEFAULT_REGISTRY = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

/** Settings that are plain values, by their key without `parley.`. `parley.agents` has its own reader. */
export const plainSettings = {
  defaultAgent: text(''),
  'registry.url': readUrl(DEFAULT_REGISTRY),
  'permissions.notify': readEnum<NotifyMode>(['whenHidden', 'always', 'never'], 'whenHidden'),
  follow: readBoolean(true),
  'checkpoints.enabled': readBoolean(true),
  'checkpoints.maxAgeDays': readInteger(1, 3650, 30),
  'checkpoints.maxSizeMB': readInteger(10, 1024 * 1024, 1024),
  'transcripts.maxAgeDays': readInteger(0, 3650, 0),
  'transcripts.maxSizeMB': readInteger(10, 1024 * 1024, 2048),
  'review.enabled': readBoolean(true),
  'terminal.outputLimit': readInteger(1024, 64 * 1024 * 1024, 1024 * 1024),
  'traffic.record': readBoolean(true),
  sound: readBoolean(false),
  codeLens: readBoolean(false),
  thoughts: readEnum<ThoughtDisplay>(['auto', 'collapsed', 'expanded'], 'auto'),
} satisfies Record<string, SettingReader<unknown>>;

export type PlainSettings = { readonly [K in keyof typeof plainSettings]: ReturnType<(typeof plainSettings)[K]> };

/** Reads every plain setting; `get` gives the raw value, or undefined where none is set. */
export function readPlainSettings(get: (key: string) => unknown, problems: SettingProblem[]): PlainSettings {
  const read = Object.entries(plainSettings).map(([key, reader]) => {
    const report = (message: string): number => problems.push({ path: `parley.${key}`, message });
    return [key, (reader as SettingReader<unknown>)(get(key), report)];
  });
  return Object.fromEntries(read) as PlainSettings;
}
