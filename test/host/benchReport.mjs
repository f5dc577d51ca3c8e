// docs/bench.md from the tables and goals of the benchmarks.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/**
 * The first row of a table is its header; the picture is an SVG.
 * @typedef {{ title: string, rows: string[][], picture?: string }} Table
 * @typedef {{ row: string, what: string, figure: number | null, most: number, unit: string, floor?: number, where?: string }} Goal
 * @typedef {{ name: string, isKept: boolean, seconds: number, slower: number, tables: Table[], goals: Goal[] }} Part
 * `slower`: 2 on a machine that takes twice as long as that of the goals.
 */

/** Why a row takes what it takes, shown when it is over its goal. */
const REASONS = {
  '2,000 chunks, 200 a second':
    'Text is posted 25 times a second. The floor, plain text at the same rate, is paint, layers and messages of VS Code as well. The rest is Markdown: script, style and layout of what is new.',
  '20,000 chunks at once':
    'The page adds the text in slices of 12 ms, so that no key waits, and lays out the two screens of it near the view after every eighth.',
  '500 edits at once':
    'Half of the thread is not of the page: messages, and the editors that Follow opens, at most two a second. The first of them makes VS Code load its grammars, a task of 130 to 190 ms.',
  '5,000 lines in 250 snapshots':
    'Continued output is posted ten times a second, and each post is a frame in which the last 200 lines at most are styled, laid out and painted. Seven keys a second, which the floor lacks, each cause a frame too, and take about a third. The extension host of VS Code alone peaks at about 210 MiB.',
  '20,000 chunks':
    'Every frame draws five chunks, which no flood of a real agent does: Parley posts many at once (the rows of the window).',
  'load 2,000 updates':
    'One snapshot is applied in one task: its JSON, the state of all entries, then the last cards, as many as fill the view. The workbench takes more of the thread than the page.',
  'a table of 200,000 cells':
    'Half of it is the HTML of 200,000 cells, in slices of 12 ms. Rows are added in batches of 15,000 cells. The longest tasks are the frames after a batch: the browser styles, lays out and paints the 70 rows (800 elements) that are nearer to the view than the 1.5 screens for which it renders ahead.',
  'tools/call over ACP':
    'Half is the write to the pipe by Node, during which the agent already runs; then garbage collection, parsing and writing JSON, and the signals by which a call is canceled.',
};

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
    ({ name, isKept, seconds, slower, tables }) =>
      `## ${name}\n\n${seconds} s; machine x ${slower.toFixed(2)} slower than that of the goals.${isKept ? '' : ' A budget was not kept, or the program failed.'}\n${tables.map((each) => tableOf(each, name)).join('')}`,
  );
  return `# Measurements\n\n${head}\n\n${goalsOf(parts)}\n${sections.join('\n')}`;
}

function goalsOf(parts) {
  const goals = parts.flatMap(({ name, slower, goals: own }) => own.map((goal) => ({ part: name, slower, ...goal })));
  const rows = goals.map((goal) => {
    const { part, row, what, figure, most, unit, floor } = goal;
    const ratio = floor > 0 && figure !== null ? `x ${(figure / floor).toFixed(2)}` : '';
    const atSpeed = unit === 'ms' ? withUnit(figureAtSpeed(goal), unit) : '';
    return [
      part,
      row,
      what,
      withUnit(most, unit),
      withUnit(figure, unit),
      atSpeed,
      ratio,
      isMet(goal) ? 'yes' : '**no**',
    ];
  });
  const table = tableRows(
    ['part', 'row', 'what', 'at most', 'figure', "at the goals' speed", 'to the floor', 'met'],
    rows,
  );
  const missed = goals.filter((goal) => !isMet(goal));
  const missedRows = groupByRow(missed);
  const causes = Array.from(missedRows, ([name, [first, ...others]]) => {
    const goalNames = [first, ...others].map(({ what }) => what).join(', ');
    const costs = first.where ? ` Costs in milliseconds: ${first.where}.` : '';
    const reason = REASONS[first.row] ? ` ${REASONS[first.row]}` : '';
    return `- ${name} (${goalNames}).${costs}${reason}\n`;
  });
  const over = causes.length > 0 ? `\nOver the goal, with the largest costs:\n\n${causes.join('')}` : '';
  return `## Goals\n\n${goals.length - missed.length} of ${goals.length} are met.\n\n${table}\n${over}`;
}

function groupByRow(goals) {
  const groups = new Map();
  for (const goal of goals) {
    const name = `${goal.part}, ${goal.row}`;
    groups.set(name, [...(groups.get(name) ?? []), goal]);
  }
  return groups;
}

/** Timers and frames are as long on every machine: a figure in milliseconds is work and some of these, so this is the least that it would be. */
const figureAtSpeed = ({ figure, unit, slower }) => (figure === null || unit !== 'ms' ? figure : figure / slower);

const isMet = (goal) => goal.figure !== null && figureAtSpeed(goal) <= goal.most;

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
