// node test/host/titles.mjs REVISION [REVISION]: test titles that exist in one revision but not in the other (or the working tree). Reads
// titles from the source, so that no build is needed; a title created in a loop counts once, as its template.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 30 });

/** @returns {{ part: string, titles: string[] }[]} One per test file; `revision` undefined: the working tree. */
function testFiles(revision) {
  const listed = revision
    ? git('ls-tree', '-r', '--name-only', revision, 'test')
    : git('ls-files', '--cached', '--others', '--exclude-standard', 'test');
  const files = [...new Set(listed.split('\n'))].filter((file) => /\.test\.tsx?$/.test(file));
  return files.map((file) => {
    const source = revision ? git('show', `${revision}:${file}`) : readFileSync(file, 'utf8');
    return { part: file.split('/').length > 2 ? file.split('/')[1] : 'unit', titles: readTitles(file, source) };
  });
}

/** Titles of all `it` calls, without those of their suites: suites are named after modules, which may move. */
function readTitles(file, source) {
  const found = [];
  const visit = (node) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((child) => visit(child));
    const [title] = node.arguments ?? [];
    if (node.type === 'CallExpression' && node.callee.name === 'it' && title) found.push(textOf(title, source));
    for (const key of Object.keys(node)) if (key !== 'parent') visit(node[key]);
  };
  visit(parseSync(file, source).program.body);
  return found;
}

function textOf(node, source) {
  return node.type === 'Literal' ? String(node.value) : source.slice(node.start, node.end);
}

/** @returns {Map<string, number>} title with its part → how often */
function count(files) {
  const counts = new Map();
  for (const { part, titles } of files)
    for (const title of titles) counts.set(`${part}: ${title}`, (counts.get(`${part}: ${title}`) ?? 0) + 1);
  return counts;
}

const [before, after] = process.argv.slice(2);
if (!before) {
  console.error('Usage: node test/host/titles.mjs REVISION [REVISION]');
  process.exit(2);
}
const [old, now] = [count(testFiles(before)), count(testFiles(after))];
const missing = (from, to) =>
  [...from]
    .filter(([title, times]) => (to.get(title) ?? 0) < times)
    .map(([title]) => title)
    .sort((a, b) => a.localeCompare(b));
const [gone, added] = [missing(old, now), missing(now, old)];
for (const title of gone) console.log(`- ${title}`);
for (const title of added) console.log(`+ ${title}`);
const sum = (counts) => [...counts.values()].reduce((total, times) => total + times, 0);
console.log(`${sum(old)} titles before, ${sum(now)} after; ${gone.length} gone, ${added.length} added`);
process.exitCode = gone.length > 0 ? 1 : 0;
