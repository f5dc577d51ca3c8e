import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import { truncate } from '../../base/text';

/** The subset of YAML values that prompt files use. */
export type FrontMatterValue = string | boolean | readonly FrontMatterItem[];
export type FrontMatterItem = string | Readonly<Record<string, string | boolean>>;

interface FrontMatter {
  readonly fields: Readonly<Record<string, FrontMatterValue>>;
  readonly body: string;
}

/** A field: `value` is on the line of the name, `lines` are indented below. */
interface Field {
  readonly name: string;
  readonly value: string;
  readonly lines: string[];
  /** 1-based. */
  readonly at: number;
}

/** UTF-16 units of a problem, which may quote a line. */
const MAX_PROBLEM = 300;

const FENCE = /^---\s*$/;
// `s`: a line may have a character that `.` leaves out, such as U+2028, and backtracking would take quadratic time.
const FIELD = /^([A-Za-z][\w-]*)\s*:(?:\s+(.*))?$/s;
const INDENTED = /^(?:\s|-(?:\s|$))/;

/**
 * Parses the subset of YAML that prompt files use: strings (plain, quoted, or a `|` or `>` block), `true` and `false`, lists (`[a, b]` or
 * `- a`), and lists of fields. Only fields in `wanted` are parsed; others belong to other programs and may be any YAML.
 * @throws ParleyError `badInput` that names the line
 */
export function readFrontMatter(text: string, requested: ReadonlySet<string>): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? '')) return { fields: {}, body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) throw frontMatterError(1, t('the front matter starts with “---” here but has no closing “---”'));
  const entries = fieldsOf(lines.slice(1, end))
    .filter(({ name }) => requested.has(name))
    .map((field) => [field.name, valueOf(field)] as const);
  return { fields: Object.fromEntries(entries), body: lines.slice(end + 1).join('\n') };
}

function fieldsOf(lines: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (const [index, line] of lines.entries()) {
    // The fence is line 1.
    const at = index + 2;
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name !== undefined) fields.push({ name, value: value.trim(), lines: [], at });
    else if (line.trim() === '' || INDENTED.test(line)) fields.at(-1)?.lines.push(line);
    else if (!line.startsWith('#')) throw frontMatterError(at, t('expected “name: value”, found “{0}”', line.trim()));
  }
  return fields;
}

function valueOf(field: Field): FrontMatterValue {
  const { value, lines, at } = field;
  if (/^[|>][+-]?$/.test(value)) return block(value, lines);
  if (value.startsWith('[')) return flowList(value, at);
  if (value !== '' && !value.startsWith('#')) return scalar(value, at);
  const used = lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  if (used.length === 0) return '';
  if (used[0]?.trim().startsWith('-')) return blockList(used, at);
  throw frontMatterError(at, t('“{0}” must be a string or a list', field.name));
}

/** `|` keeps line breaks, `>` joins lines. */
function block(mark: string, lines: readonly string[]): string {
  const indent = /^\s*/.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const cut = lines.map((line) => line.slice(indent));
  return cut.join(mark.startsWith('>') ? ' ' : '\n').trim();
}

function flowList(value: string, at: number): string[] {
  if (!value.endsWith(']')) throw frontMatterError(at, t('a list in brackets must end on the same line'));
  const inside = value.slice(1, -1).trim();
  const items = inside === '' ? [] : (inside.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+/g) ?? []);
  return items
    .map((item) => item.trim())
    .filter(Boolean)
    .map((item) => String(scalar(item, at)));
}

function blockList(lines: readonly string[], at: number): FrontMatterItem[] {
  const items: (string | Record<string, string | boolean>)[] = [];
  for (const line of lines) {
    const [, dash, rest = ''] = /^\s*(-)?\s*(.*)$/s.exec(line) ?? [];
    const [, name, value = ''] = FIELD.exec(rest) ?? [];
    const last = items.at(-1);
    if (dash !== undefined) items.push(name === undefined ? String(scalar(rest, at)) : { [name]: scalar(value, at) });
    else if (name !== undefined && typeof last === 'object') last[name] = scalar(value, at);
    else throw frontMatterError(at, t('expected “- item” or “name: value” in this list, found “{0}”', line.trim()));
  }
  return items;
}

function scalar(written: string, at: number): string | boolean {
  const text = written.trim();
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/s.exec(text) ?? [];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
  const [, single] = /^'((?:[^']|'')*)'(?:\s+#.*)?$/s.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  if (/^["']/.test(text))
    throw frontMatterError(at, t('the quotation mark in {0} is not closed or is followed by other text', text));
  if (/^[{&*!%@`]/.test(text)) throw frontMatterError(at, t('{0} must be in quotation marks', text));
  const plain = text.replace(/(?<!\s)\s+#.*$/s, '');
  return plain === 'true' || plain === 'false' ? plain === 'true' : plain;
}

function frontMatterError(line: number, what: string): ParleyError {
  return new ParleyError('badInput', t('line {0}: {1}', line, truncate(what, MAX_PROBLEM)));
}
