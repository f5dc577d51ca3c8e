import { isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { SettingReader } from '../../base/settings';
import { describeValue } from '../../base/settings';
import { toolKinds } from '../../shared/state/contentBlocks';
import { commandPattern } from './commandPattern';

/** One rule of `parley.permissions.rules`. All given fields must match. */
export interface Rule {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The kind of the tool call, exactly. */
  readonly kind?: string;
  /** Of the request, `*` for any text. */
  readonly title?: string;
  /** Words of a command; see {@link commandPattern}. */
  readonly command?: string | readonly string[];
  /** A glob; relative ones are meant from each workspace folder. */
  readonly path?: string;
  /** A glob for the folder where a command runs; relative ones are meant from each workspace folder, which is `.` itself. */
  readonly cwd?: string;
  /** `server__tool`, `*` for any text. */
  readonly tool?: string;
  /** Key of the agent in `parley.agents`. */
  readonly agent?: string;
}

/** Where a rule stands. `remembered`: made from an answer of the user. */
export type RuleSource = 'user' | 'workspace' | 'remembered';

export interface SourcedRule {
  readonly rule: Rule;
  readonly source: RuleSource;
}

const DECISIONS = ['allow', 'ask', 'deny'] as const;
const TEXTS = ['title', 'path', 'cwd', 'tool', 'agent'] as const;
const FIELDS: ReadonlySet<string> = new Set(['decision', 'kind', 'command', ...TEXTS]);

/** Reads `parley.permissions.rules`. A rule that cannot be understood is named and left out; the others count. */
export const rulesReader: SettingReader<readonly Rule[]> = (value, report) => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(t('expected a list of rules, got {0}', describeValue(value)));
    return [];
  }
  return value.flatMap(
    (item: unknown, index) => readRule(item, (message, field) => report(message, `[${index}]${field ?? ''}`)) ?? [],
  );
};

/** One rule, or undefined when it is not one; also for rules that were kept in storage. */
export function readRule(value: unknown, report: (message: string, field?: string) => void): Rule | undefined {
  if (!isObject(value)) {
    report(t('expected an object such as {"decision": "allow", "command": "npm test"}, got {0}', describeValue(value)));
    return undefined;
  }
  const problems: [message: string, field?: string][] = [...wrongFields(value)];
  for (const [message, field] of problems) report(message, field);
  // A rule without the field that was meant would match more than the user wanted.
  if (problems.length > 0) return undefined;
  const { decision, kind, title, command, path, cwd, tool, agent } = value as unknown as Rule;
  return { decision, ...omitUndefined({ kind, title, command, path, cwd, tool, agent }) };
}

/** Characters of a title, path, tool or agent; globs of more than 65,536 make the matcher throw, and a workspace may add rules. */
const LONGEST_TEXT = 4_096;

/** Whether a glob could stop the extension: the time grows with the length of a path to the power of its wildcards. */
function isSlow(glob: string): boolean {
  const deep = glob.match(/\*{2,}/g)?.length ?? 0;
  return deep > 3 || glob.split(/[\\/]/).some((part) => (part.match(/\*+/g)?.length ?? 0) > 3);
}

function* wrongFields(value: JsonObject): Generator<[message: string, field?: string]> {
  const { decision, kind, command } = value;
  if (!DECISIONS.some((word) => word === decision))
    yield [t('expected "allow", "ask" or "deny", got {0}', describeValue(decision)), '.decision'];
  for (const field of TEXTS) {
    const text = value[field];
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      yield [t('expected a text, got {0}', describeValue(text)), `.${field}`];
    else if (typeof text === 'string' && text.length > LONGEST_TEXT)
      yield [t('expected at most {0} characters, got {1}', LONGEST_TEXT, text.length), `.${field}`];
  }
  for (const field of ['path', 'cwd'] as const) {
    const glob = value[field];
    if (typeof glob === 'string' && isSlow(glob))
      yield [t('a path may have at most 3 "*" between two slashes and 3 "**"'), `.${field}`];
  }
  if (kind !== undefined && (typeof kind !== 'string' || !toolKinds.has(kind)))
    yield [t('expected one of {0}, got {1}', [...toolKinds].join(', '), describeValue(kind)), '.kind'];
  if (command !== undefined) {
    const problem = commandProblem(command);
    if (problem !== undefined) yield [problem, '.command'];
  }
  for (const field of Object.keys(value)) {
    if (!FIELDS.has(field)) yield [t('there is no such field; there are {0}', [...FIELDS].join(', ')), `.${field}`];
  }
}

function commandProblem(command: unknown): string | undefined {
  const isList = Array.isArray(command) && command.every((word) => typeof word === 'string');
  if (typeof command !== 'string' && !isList)
    return t('expected a text or a list of words, got {0}', describeValue(command));
  const pattern = commandPattern(command);
  return 'problem' in pattern ? pattern.problem : undefined;
}

/** As a user would write it in the settings, without the decision: `{"command": "npm test"}`. */
export function ruleText({ decision: _decision, ...fields }: Rule): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${pairs.join(', ')}}`;
}
