import { asArray, asString, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';

/** Values are `#rrggbb` or `#rrggbbaa`. */
export type TokenColors = Readonly<Record<string, string>>;

/** A rule of a TextMate theme, for scopes with these prefixes. */
export interface TokenRule {
  readonly scopes: readonly string[];
  readonly color: string;
}

/** The page's token kinds as TextMate scopes: the first scope with a color is used. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  keyword: ['keyword.control', 'keyword', 'storage.type', 'storage'],
  string: ['string.quoted', 'string'],
  'string-expression': ['string.template', 'string'],
  comment: ['comment.line', 'comment'],
  constant: ['constant.numeric', 'constant.language', 'constant'],
  function: ['entity.name.function', 'support.function', 'entity.name'],
  parameter: ['variable.parameter', 'variable'],
  punctuation: ['punctuation'],
  link: ['markup.underline.link', 'string.other.link'],
  inserted: ['markup.inserted'],
  deleted: ['markup.deleted'],
  changed: ['markup.changed'],
};

/** Simple names in `editor.tokenColorCustomizations`. */
const SIMPLE: Readonly<Record<string, readonly string[]>> = {
  comments: ['comment'],
  strings: ['string'],
  keywords: ['keyword', 'storage'],
  numbers: ['constant.numeric'],
  functions: ['entity.name.function', 'support.function'],
  variables: ['variable'],
};

/** Parses a theme's rules; skips invalid ones, since themes are untrusted. */
export function readRules(value: unknown): TokenRule[] {
  return asArray(value).flatMap((item) => {
    const settings = isObject(item) ? item['settings'] : undefined;
    const color = isObject(settings) ? hexColor(settings['foreground']) : undefined;
    const scopes = isObject(item) ? scopesIn(item['scope']) : [];
    return color === undefined || scopes.length === 0 ? [] : [{ scopes, color }];
  });
}

/**
 * Rules in `editor.tokenColorCustomizations`, those for all themes first.
 * @param theme its name in the settings
 */
export function customRules(value: unknown, theme: string): TokenRule[] {
  if (!isObject(value)) return [];
  const ofTheme = Object.entries(value).flatMap(([name, inside]) =>
    isObject(inside) && isThemeKey(name, theme) ? [inside] : [],
  );
  return [value, ...ofTheme].flatMap((each) => simpleRules(each).concat(readRules(each['textMateRules'])));
}

/** Color of each kind; later rules and longer scopes win. */
export function tokenColors(rules: readonly TokenRule[]): TokenColors {
  const colors = Object.entries(SCOPES).flatMap(([kind, scopes]) => {
    const color = scopes.map((scope) => colorOf(scope, rules)).find((found) => found !== undefined);
    return color === undefined ? [] : [[kind, color] as const];
  });
  return Object.fromEntries(colors);
}

function colorOf(scope: string, rules: readonly TokenRule[]): string | undefined {
  let best: { readonly length: number; readonly color: string } | undefined;
  for (const { scopes, color } of rules) {
    for (const each of scopes) {
      if (scope !== each && !scope.startsWith(`${each}.`)) continue;
      if (!best || each.length >= best.length) best = { length: each.length, color };
    }
  }
  return best?.color;
}

/** Single-scope selectors; those with parents or exclusions are skipped. */
function scopesIn(value: unknown): string[] {
  const list = Array.isArray(value) ? value : (asString(value)?.split(',') ?? []);
  return list.flatMap((each) => {
    const scope = asString(each)?.trim() ?? '';
    return /^[\w.-]+$/.test(scope) ? [scope] : [];
  });
}

function simpleRules(value: JsonObject): TokenRule[] {
  return Object.entries(SIMPLE).flatMap(([name, scopes]) => {
    const given = value[name];
    const color = hexColor(isObject(given) ? given['foreground'] : given);
    return color === undefined ? [] : [{ scopes, color }];
  });
}

/** Such as `[Monokai]` or `[Monokai][Dark*]`. */
function isThemeKey(key: string, theme: string): boolean {
  return [...key.matchAll(/\[([^\]]+)\]/g)].some(([, name = '']) => {
    return name.endsWith('*') ? theme.startsWith(name.slice(0, -1)) : name === theme;
  });
}

/** Strict, because the value becomes part of a style. */
function hexColor(value: unknown): string | undefined {
  const text = asString(value)?.trim();
  return text !== undefined && /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(text) ? text : undefined;
}
