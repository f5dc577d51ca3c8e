import { isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { describeValue } from '../../base/schema';
import type { SettingReader } from '../../base/settings';
import { toolKinds } from '../../shared/state/contentBlocks';
import { commandPattern } from './commandPattern';

/** {@link Rule.shell} of a line for the default shell, and of a program that is started without one. */
export const NO_SHELL = 'none';

/** One rule of `parley.permissions.rules`. All set fields must match. */
export interface Rule {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The kind of the tool call, exactly. */
  readonly kind?: string;
  /** Title of the request; `*` matches any text. */
  readonly title?: string;
  /** Words of a command; see {@link commandPattern}. */
  readonly command?: string | readonly string[];
  /** A glob; relative ones apply to each workspace folder. */
  readonly path?: string;
  /** A glob for the folder where a command runs. A relative glob applies to each workspace folder; `.` is the folder itself. */
  readonly cwd?: string;
  /** `server__tool`; `*` matches any text. */
  readonly tool?: string;
  /** Key of the agent in `parley.agents`. */
  readonly agent?: string;
  /** {@link RuleRequest.subject} of the only request that matches; in rules that Parley creates. */
  readonly subject?: string;
  /** {@link RuleRequest.toolIdentity} of the only tool that matches; in rules that Parley creates. */
  readonly identity?: string;
  /** {@link RuleRequest.agentIdentity} of the only agent that matches; in rules that Parley creates. */
  readonly agentIdentity?: string;
  /** See `shellOf`: the only shell that the words may be given to; in rules that Parley creates. */
  readonly shell?: string;
}

/** The source of a rule. `remembered`: created from an answer of the user. */
export type RuleSource = 'user' | 'workspace' | 'remembered';

export interface SourcedRule {
  readonly rule: Rule;
  readonly source: RuleSource;
}

const DECISIONS = ['allow', 'ask', 'deny'] as const;
const SHOWN_TEXTS = ['title', 'path', 'cwd', 'tool', 'agent'] as const;
const TEXTS = [...SHOWN_TEXTS, 'subject', 'identity', 'agentIdentity', 'shell'] as const;
/** The fields for users. */
const FIELDS = ['decision', 'kind', 'command', ...SHOWN_TEXTS];
const KNOWN: ReadonlySet<string> = new Set([...FIELDS, ...TEXTS]);

/** Reads `parley.permissions.rules`. An invalid rule is reported and skipped; the others apply. */
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

/** Reads one rule, also from storage; undefined when it is invalid. */
export function readRule(value: unknown, report: (message: string, field?: string) => void): Rule | undefined {
  if (!isObject(value)) {
    report(t('expected an object such as {"decision": "allow", "command": "npm test"}, got {0}', describeValue(value)));
    return undefined;
  }
  const problems: [message: string, field?: string][] = [...wrongFields(value)];
  for (const [message, field] of problems) report(message, field);
  // Ignoring an invalid field would make the rule match more than the user wanted.
  if (problems.length > 0) return undefined;
  // Other fields are a problem.
  return omitUndefined(value) as unknown as Rule;
}

/** Maximum characters of a title, path, tool or agent: a workspace may add rules. */
const MAX_RULE_CHARS = 4_096;

function* wrongFields(value: JsonObject): Generator<[message: string, field?: string]> {
  const { decision, kind, command } = value;
  if (!DECISIONS.some((word) => word === decision))
    yield [t('expected "allow", "ask" or "deny", got {0}', describeValue(decision)), '.decision'];
  for (const field of TEXTS) {
    const text = value[field];
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      yield [t('expected a non-empty string, got {0}', describeValue(text)), `.${field}`];
    else if (typeof text === 'string' && text.length > MAX_RULE_CHARS)
      yield [t('expected at most {0} characters, got {1}', MAX_RULE_CHARS, text.length), `.${field}`];
  }
  if (kind !== undefined && (typeof kind !== 'string' || !toolKinds.has(kind)))
    yield [t('expected one of {0}, got {1}', [...toolKinds].join(', '), describeValue(kind)), '.kind'];
  if (command !== undefined) {
    const problem = commandProblem(command);
    if (problem !== undefined) yield [problem, '.command'];
  }
  for (const field of Object.keys(value)) {
    if (!KNOWN.has(field)) yield [t('unknown field; expected one of {0}', FIELDS.join(', ')), `.${field}`];
  }
}

function commandProblem(command: unknown): string | undefined {
  const isList = Array.isArray(command) && command.every((word) => typeof word === 'string');
  if (typeof command !== 'string' && !isList)
    return t('expected a string or a list of strings, got {0}', describeValue(command));
  const pattern = commandPattern(command);
  return 'problem' in pattern ? pattern.problem : undefined;
}

/** A rule in the syntax of the settings, without the decision: `{"command": "npm test"}`. */
export function ruleText({ decision: _decision, ...fields }: Rule): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${pairs.join(', ')}}`;
}
