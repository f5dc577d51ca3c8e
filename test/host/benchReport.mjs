// docs/bench.md from the tables and goals of the benchmarks.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/**
 * The first row of a table is its header; the picture is an SVG.
 * @typedef {{ title: string, rows: string[][], picture?: string }} Table
 * @typedef {{ row: string, what: string, figure: number | null, most: number, unit: string, floor?: number, where?: string }} Goal
 * @typedef {{ name: string, isKept: boolean, seconds: number, tables: Table[], goals: Goal[] }} Part
 */

/** @param {Part[]} parts */
export function writePictures(parts) {
  for (const { name, tables } of parts) {
    for (const { picture } of tables)
      if (picture) writeFileSync(join(root, 'docs', 'pictures', pictureOf(name)), picture);
  }
}

/**
 * @param {string} head
 * @param {Part[]} parts
 */
export function toMarkdown(head, parts) {
  const sections = parts.map(
    ({ name, isKept, seconds, tables }) =>
      `## ${name}\n\n${seconds} s.${isKept ? '' : ' A budget was not kept, or the program failed.'}\n${tables.map((each) => tableOf(each, name)).join('')}`,
  );
  return `# Measurements\n\n${head}\n\n${goalsOf(parts)}\n${sections.join('\n')}`;
}

function goalsOf(parts) {
  const goals = parts.flatMap(({ name, goals: own }) => own.map((goal) => ({ part: name, ...goal })));
  const rows = goals.map((goal) => {
    const { part, row, what, figure, most, unit, floor } = goal;
    const ratio = floor > 0 && figure !== null ? `x ${(figure / floor).toFixed(2)}` : '';
    return [part, row, what, withUnit(most, unit), withUnit(figure, unit), ratio, isMet(goal) ? 'yes' : '**no**'];
  });
  const table = tableRows(['part', 'row', 'what', 'at most', 'figure', 'to the floor', 'met'], rows);
  const missed = goals.filter((goal) => !isMet(goal));
  const causes = missed.map(({ part, row, what, where }) => {
    const costs = where ? `: ${where}` : '';
    return `- ${part}, ${row}, ${what}${costs}\n`;
  });
  const over =
    causes.length > 0 ? `\nOver the goal, with the largest costs in milliseconds:\n\n${causes.join('')}` : '';
  return `## Goals\n\n${goals.length - missed.length} of ${goals.length} are met.\n\n${table}\n${over}`;
}

const isMet = ({ figure, most }) => figure !== null && figure <= most;

function withUnit(value, unit) {
  if (value === null) return 'not shown';
  const text = value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toFixed(2)));
  return unit === 'x' ? `x ${text}` : `${text} ${unit}`;
}

function tableOf({ title, rows: [head = [], ...rows], picture }, name) {
  const shown = picture ? `\n![${title}](pictures/${pictureOf(name)})\n` : '';
  return `\n${title}\n\n${tableRows(head, rows)}\n${shown}`;
}

function tableRows(head, rows) {
  const line = (cells) => `| ${head.map((_, at) => (cells[at] ?? '').replaceAll('|', '\\|').trim()).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function pictureOf(name) {
  return `bench-${name}.svg`;
}
