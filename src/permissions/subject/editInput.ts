import type { JsonObject } from '../../base/json';
import { asObject, isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { ShownCall } from '../../shared/state/toolCallState';
import { PATH_FIELDS, toolPaths } from '../../shared/text/toolInput';
import { DESCRIPTIONS, isAbsent, isHarmless } from './inputFields';
import { fileOfUrl } from './possibleNames';

/** Names with which agents say what to change and where in the file, in lower case without `_` and numbers. */
const CHANGE_FIELD =
  /^(?:(?:old|new|original|updated|modified|proposed|insert|file|search|replace(?:ment)?)?(?:string|str|text|contents?|source|code)|before|after|original|modified|(?:unified)?(?:diff|patch(?:es)?)|changes|edits?|hunks|replacements|search|replaceall|allowmultiple|(?:expected)?(?:replacements|occurrences)|overwrite|insertline|viewrange|(?:(?:old|new)?(?:str)?(?:start|end))?line(?:number)?|additions|deletions|cell(?:id|number|type)|language|encoding|instructions?(?:reminder)?|thought|summary|securityrisk|metadata)$/;

/** Names and values that tell the kind of an edit. */
const KIND_FIELD = /^(?:command|type|kind|mode|editmode|action|operation|op)$/;
const KIND =
  /^(?:str_replace|apply_patch|add|create|update|edit|insert|replace|write|modify|append|patch|overwrite|file|code|markdown)$/i;

const PATHS = new Set([...PATH_FIELDS, 'move_path', 'relative_path'].map(plainName));

function plainName(field: string): string {
  return field.replaceAll(/[_\d]/g, '').toLowerCase();
}

/** Why the raw input of a call with a diff is more than the change that the diff shows. Pure. */
export function whyNoEdit(call: Partial<ShownCall>): string | undefined {
  const shown = shownPaths(call);
  const file = otherFile(call.rawInput, shown);
  if (file !== undefined) return t('it names {0} besides the change', file);
  const field = otherField(call, shown);
  return field === undefined ? undefined : t('it has “{0}” besides the change', field);
}

/** The first field, at any depth, that is no part of a known form of an edit: the tool may do something else with it. */
function otherField({ rawInput }: Partial<ShownCall>, shown: readonly string[]): string | undefined {
  if (isAbsent(rawInput)) return undefined;
  const input = asObject(rawInput);
  if (!input) return 'input';
  const isOther = (name: string, value: unknown): boolean => {
    const plain = plainName(name);
    const isPath = PATHS.has(plain);
    const isChange = CHANGE_FIELD.test(plain);
    if (Array.isArray(value)) return !(isPath || isChange) || value.some((item) => isOther(name, item));
    // The names of fields may be files, with what changes there.
    if (isObject(value)) return !(isPath || isChange || isShownPath(name, shown)) || otherName(value) !== undefined;
    if (isPath) return !isAbsent(value) && !(typeof value === 'string' && isShownPath(value, shown));
    if (typeof value === 'string' && KIND_FIELD.test(plain)) return !KIND.test(value);
    return !isChange && !DESCRIPTIONS.has(name) && !(isAbsent(value) && isShownPath(name, shown));
  };
  const otherName = (fields: JsonObject): string | undefined =>
    Object.keys(fields).find((name) => isOther(name, fields[name]));
  return Object.keys(input).find((name) => !isHarmless(name, input[name]) && isOther(name, input[name]));
}

/** The first file in the raw input that neither a diff nor a location shows: another one than the user sees would be changed. */
function otherFile(rawInput: unknown, shown: readonly string[]): string | undefined {
  return toolPaths(rawInput).find((path) => !isShownPath(path, shown));
}

function shownPaths({ content = [], locations = [] }: Partial<ShownCall>): readonly string[] {
  const paths = [
    ...content.flatMap((item) => (item.type === 'diff' ? [item.path] : [])),
    ...locations.map(({ path }) => path),
  ];
  return paths.map(comparablePath);
}

/** Relative to any folder, or a folder of these files. */
function isShownPath(path: string, shown: readonly string[]): boolean {
  const given = comparablePath(fileOfUrl(path) ?? path);
  return given === '' || shown.some((one) => one === given || one.endsWith(`/${given}`) || one.startsWith(`${given}/`));
}

/** With slashes and without `.`; on Windows, case does not matter. */
function comparablePath(path: string): string {
  const slashed = /^[A-Za-z]:|^\\\\|^[^/]*\\/.test(path) ? path.replaceAll('\\', '/').toLowerCase() : path;
  const plain = slashed.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '');
  return plain === '.' ? '' : plain;
}
