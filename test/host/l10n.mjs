// npm run l10n: writes l10n/bundle.l10n.json from the source, removes unused messages from the translations, and reports missing ones.
//   -- --check    only reports problems
//   -- --todo de  prints the messages without a German translation, as JSON to fill in
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byText, findMessages, placeholders } from './messages.mjs';

const home = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const SOURCE = 'l10n/bundle.l10n.json';
const MANIFEST = 'package.nls.json';
/** Fields of package.json that users see. */
const READ =
  /^(?:title|shortTitle|description|markdownDescription|label|contents|altText|(?:markdownD|d)eprecationMessage|(?:patternE|e)rrorMessage)$/;
const READ_LISTS = /^(?:enumDescriptions|markdownEnumDescriptions)$/;
/** What is within these is for the editor, not for persons. */
const UNREAD = new Set(['default', 'body', 'examples', 'when', 'enum', 'const']);

/** @param {string} root */
function readJson(root, path) {
  return existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), 'utf8')) : {};
}

/** Each translation file and its English original. @param {string} root @returns {{ language: string, path: string, of: string }[]} */
export function translations(root = home) {
  const bundles = readdirSync(join(root, 'l10n')).map((name) => [name, `l10n/${name}`, SOURCE]);
  const manifests = readdirSync(root).map((name) => [name, name, MANIFEST]);
  return [...bundles, ...manifests].flatMap(([name, path, of]) => {
    const language = /^(?:bundle\.l10n|package\.nls)\.([a-z-]+)\.json$/.exec(name)?.[1];
    return language === undefined ? [] : [{ language, path, of }];
  });
}

/** Expected content of the English bundle: each message is its own key. @param {string} root */
export function bundle(root = home) {
  const { messages } = findMessages(root);
  return Object.fromEntries([...messages.keys()].toSorted(byText).map((message) => [message, message]));
}

/** All problems, one sentence each; empty if there are none. @param {string} root @returns {string[]} */
export function problems(root = home) {
  return [
    ...findMessages(root).problems,
    ...manifestProblems(root),
    ...differences(readJson(root, SOURCE), bundle(root)).map((what) => `${SOURCE}: ${what}; run npm run l10n`),
    ...translations(root).flatMap(({ path, of }) => {
      const said = of === SOURCE ? bundle(root) : readJson(root, of);
      return translationProblems(readJson(root, path), said).map((what) => `${path}: ${what}`);
    }),
  ];
}

function differences(found, wanted) {
  const missing = Object.keys(wanted).filter((key) => found[key] === undefined);
  const unknown = Object.keys(found).filter((key) => wanted[key] === undefined);
  return [
    ...missing.map((key) => `misses ${JSON.stringify(key)}`),
    ...unknown.map((key) => `has ${JSON.stringify(key)}, which nobody says`),
  ];
}

/** @param {Record<string, string>} found @param {Record<string, string>} said key → English */
export function translationProblems(found, said) {
  const wrong = Object.entries(found).flatMap(([key, text]) => {
    const english = said[key];
    if (english === undefined) return [];
    if (typeof text !== 'string' || text.trim() === '') return [`${JSON.stringify(key)} is empty`];
    return parts(text) === parts(english)
      ? []
      : [`${JSON.stringify(key)} has other placeholders: ${JSON.stringify(text)}`];
  });
  return [...differences(found, said), ...wrong];
}

/** Parts that a translation must share with the English text: placeholders, settings, icons and command links. */
function parts(text) {
  const fixed = text.match(/\$\([\w~-]+\)|\$\{[^}]+\}|#parley\.[\w.]+#|\]\([^)]+\)/g) ?? [];
  return JSON.stringify([placeholders(text), [...new Set(fixed)].toSorted(byText)]);
}

function manifestProblems(root) {
  const sentences = readJson(root, MANIFEST);
  const used = new Set();
  const found = [];
  const look = (value, path) => {
    const key = typeof value === 'string' ? /^%([\w.-]+)%$/.exec(value)?.[1] : undefined;
    if (key !== undefined) {
      used.add(key);
      if (sentences[key] === undefined) found.push(`${MANIFEST} misses ${key}, which ${path} names`);
    } else if (value !== 'Parley')
      found.push(`package.json: ${path} is not translated: write %key% and put the text into ${MANIFEST}`);
  };
  const manifest = readJson(root, 'package.json');
  look(manifest.description, 'description');
  for (const part of ['contributes', 'capabilities']) walkManifest(manifest[part], part, look);
  const unused = Object.keys(sentences).filter((key) => !used.has(key));
  return [...found, ...unused.map((key) => `${MANIFEST} has ${key}, which package.json does not name`)];
}

function walkManifest(value, path, look) {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = `${path}.${key}`;
    const isName = key === 'name' && path.startsWith('contributes.views.');
    if (UNREAD.has(key)) continue;
    if (READ_LISTS.test(key) && Array.isArray(inner)) inner.forEach((text, index) => look(text, `${at}.${index}`));
    else if (typeof inner === 'string' && (READ.test(key) || isName)) look(inner, at);
    else walkManifest(inner, at, look);
  }
}

/** Pseudo-translation that reveals untranslated texts and lack of space: accented, in brackets, 40 % longer. @param {string} message */
export function pseudo(message) {
  const long = message.replaceAll(
    /(\$\([\w~-]+\)|\$?\{[^}]+\}|`[^`]*`)|([a-zA-Z])/g,
    (_whole, fixed, letter) => fixed ?? accented(letter),
  );
  const room = Math.max(1, Math.ceil(message.replaceAll(/\{\d+\}/g, '').length * 0.4) - 2);
  // Split into words, as long texts are.
  const more = '~~~~~~~ '.repeat(room).slice(0, room).trimEnd();
  const icon = /^\$\([\w~-]+\) /.exec(long)?.[0] ?? '';
  return `${icon}[${long.slice(icon.length)}${more}]`;
}

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀćďéƒĝĥíĵķĺḿńóƥɋŕśťúṽŵẋýžÁƁĆĎÉƑĜĤÍĴĶĹḾŃÓƤɊŔŚŤÚṼŴẊÝŽ';
const accented = (letter) => ACCENTED[PLAIN.indexOf(letter)];

function write(path, table) {
  writeFileSync(join(home, path), `${JSON.stringify(table, undefined, 2)}\n`);
}

/** Creates missing files of a language. */
function missing(language) {
  const tables = [
    [`l10n/bundle.l10n.${language}.json`, bundle()],
    [`package.nls.${language}.json`, readJson(home, MANIFEST)],
  ];
  return tables.map(([path, said]) => {
    const done = readJson(home, path);
    return Object.fromEntries(Object.entries(said).filter(([key]) => done[key] === undefined));
  });
}

function main([option, language]) {
  if (option === '--todo') return console.log(JSON.stringify(missing(language), undefined, 1));
  if (option !== '--check') {
    write(SOURCE, bundle());
    for (const { path, of } of translations()) {
      const [done, said] = [readJson(home, path), readJson(home, of)];
      write(
        path,
        Object.fromEntries(
          Object.keys(said)
            .filter((key) => done[key] !== undefined)
            .map((key) => [key, done[key]]),
        ),
      );
    }
  }
  const found = problems();
  for (const problem of found) console.log(problem);
  process.exitCode = found.length === 0 ? 0 : 1;
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
