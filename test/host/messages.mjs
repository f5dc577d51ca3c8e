// Finds user-visible messages in the source, and problems with them. Does not create or judge translations.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Rooms that run as separate agent processes: their output counts as an agent's output, which users do not read directly. */
const SILENT = /^src\/(?:demoAgent|replayAgent)\//;
/** Product names are the same in every language. */
const SAME_EVERYWHERE = new Set(['Parley', 'ms']);
/** Attributes and properties of page elements whose text is visible or announced. */
const READ = new Set([
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'title',
  'placeholder',
  'alt',
  'label',
  'what',
]);
/** Rooms whose errors and options are user-visible; texts for agents and models are English. */
const FOR_PERSONS =
  /^src\/(?:agent|node|workbench|permissions|history|session|shared|ui|review|webview)\/(?!registry\/knownAgents)/;
const FIELDS = new Set([
  'title',
  'placeHolder',
  'placeholder',
  'prompt',
  'openLabel',
  'tooltip',
  'nextStep',
  'label',
  'detail',
]);
/** Functions of VS Code whose first argument is a message. */
const SAYS = /^vscode\.window\.show(?:Information|Warning|Error)Message$/;

/**
 * @typedef {object} Found
 * @property {Map<string, number>} messages each English message with the most arguments it is given
 * @property {string[]} problems "src/…:line: what is wrong"
 */

/** Cache by root: the source is read and parsed once per process. @type {Map<string, Found>} */
const cache = new Map();

/** All messages of the source. @param {string} root @returns {Found} */
export function findMessages(root) {
  const cached = cache.get(root);
  if (cached) return cached;
  /** @type {Found} */
  const found = { messages: new Map(), problems: [] };
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (!SILENT.test(path)) readFile(path, readFileSync(join(root, path), 'utf8'), found);
  }
  cache.set(root, found);
  return found;
}

/** @param {string} path @param {string} text @param {Found} found */
export function readFile(path, text, found) {
  const { program, errors } = parseSync(path, text);
  const lineOf = (node) => text.slice(0, node.start).split('\n').length;
  const complain = (node, what) => found.problems.push(`${path}:${lineOf(node)}: ${what}`);
  for (const error of errors) found.problems.push(`${path}: ${error.message}`);
  const isTranslating = program.body.some(importsT);
  walk(program, (node, parent) => {
    if (isTranslating && isCallOfT(node)) collect(node, found, complain);
    for (const [at, said] of untranslated(node, parent, { path, text }))
      complain(at, `not translated: ${JSON.stringify(said)}`);
  });
}

const importsT = (statement) =>
  statement.type === 'ImportDeclaration' &&
  /(?:^|\/)l10n$/.test(statement.source.value) &&
  statement.specifiers.some(({ local }) => local.name === 't');

const isCallOfT = ({ type, callee }) =>
  type === 'CallExpression' && callee.type === 'Identifier' && callee.name === 't';

function collect(call, { messages }, complain) {
  const [first, ...args] = call.arguments;
  const message = literal(first);
  if (message === undefined) {
    complain(call, 'the message of t(…) is not a literal, so it cannot be found');
    return;
  }
  const numbers = placeholders(message).map((name) => Number(name.slice(1, -1)));
  if (numbers.some((number, index) => number !== index))
    complain(call, 'placeholders are numbered from {0}, without gaps');
  // Without arguments the caller fills the placeholders.
  if (args.length > 0 && args.length !== numbers.length)
    complain(call, `${args.length} arguments for ${numbers.length} placeholders`);
  if (message.trim() !== message) complain(call, 'a message has no spaces at its ends: whole sentences only');
  messages.set(message, Math.max(messages.get(message) ?? 0, numbers.length));
}

/** The text of a literal without placeholders. */
function literal(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return undefined;
}

/** User-visible text that is not localized, with its node. */
function untranslated(node, parent, { path, text }) {
  if (node.type === 'JSXText') return isSentence(node.value) ? [[node, node.value.trim()]] : [];
  if (node.type === 'JSXAttribute')
    return READ.has(text.slice(node.name.start, node.name.end)) ? spoken(node.value) : [];
  if (node.type === 'JSXExpressionContainer') return parent.type === 'JSXAttribute' ? [] : spoken(node.expression);
  if (node.type === 'CallExpression' && SAYS.test(text.slice(node.callee.start, node.callee.end))) {
    return node.arguments.flatMap((argument) => spoken(argument));
  }
  if (node.type === 'NewExpression' && node.callee.name === 'ParleyError' && FOR_PERSONS.test(path)) {
    return spoken(node.arguments[1]);
  }
  if (node.type === 'Property' && FIELDS.has(node.key.name) && FOR_PERSONS.test(path)) return spoken(node.value);
  return [];
}

/** Possible texts of an expression. */
function spoken(node) {
  if (!node) return [];
  if (node.type === 'JSXExpressionContainer') return spoken(node.expression);
  if (node.type === 'ConditionalExpression') return [...spoken(node.consequent), ...spoken(node.alternate)];
  if (node.type === 'LogicalExpression') return [...spoken(node.left), ...spoken(node.right)];
  const said = node.type === 'TemplateLiteral' ? node.quasis.map((part) => part.value.cooked).join(' ') : literal(node);
  return said !== undefined && isSentence(said) ? [[node, said.trim()]] : [];
}

const isSentence = (text) =>
  /\p{L}{2}/u.test(text.replaceAll(/\$\([\w~-]+\)/g, '')) && !SAME_EVERYWHERE.has(text.trim());

function walk(node, visit, parent) {
  if (Array.isArray(node)) node.forEach((one) => walk(one, visit, parent));
  if (typeof node?.type !== 'string') return;
  visit(node, parent);
  for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit, node);
}

/** "{0}", "{1}" … of a message, in order of their numbers, each once. @param {string} message @returns {string[]} */
export function placeholders(message) {
  return [...new Set(message.match(/\{\d+\}/g) ?? [])].toSorted(byText);
}

/** The same order on every machine. */
export const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
