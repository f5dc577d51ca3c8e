import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { nullLogger } from '../../src/base/logger';
import { parseQuery } from '../../src/history/search/searchQuery';
import { SessionSearch } from '../../src/history/search/sessionSearch';
import { searchIndexPath, SessionStore } from '../../src/history/sessionStore';
import type { SessionListItem } from '../../src/history/sessionSummary';
import { headerLine, transcriptFile } from '../../src/history/transcriptFile';
import type { SessionCapabilities } from '../../src/session/agents/sessionCapabilities';
import { ownSessionItem } from '../../src/session/sessionListItem';
import { groupSessions } from '../../src/ui/sessions/sessionGroups';
import { stubOf } from '../kit/stubOf';
import { recordGoal } from './goals';
import { against, ms, table } from './measure';

const SESSIONS = Number(process.env['BENCH_SESSIONS'] ?? 1_000);
const ENTRIES = 500;
/** Budgets: p95 milliseconds of work until the first results for a letter; and the longest uninterrupted run, less than a frame. */
const ANSWER = 100;
const BLOCKED = 16;
/** Budget in milliseconds for reading the session list. */
const OPEN = 500;
/** Milliseconds asked of a quiet machine, for docs/bench.md; the budgets also hold on a busy one. */
const GOAL = { open: 150, answer: 15, blocked: 10 };

const WORDS =
  'the agent reads a file and writes a test for parser lexer session index window button color error build run fix add remove rename function module import export type string number value list tree node edge graph path folder git commit branch merge'.split(
    ' ',
  );
const TYPED = ['parser', 'aubergine', 'session index', 'zzqy', 'agent:fake merge', 'e'];

/** Linux file with the CPU time of this thread in nanoseconds. */
const THREAD = `/proc/self/task/${process.pid}/schedstat`;

/** The same corpus in every run: a seeded random generator. */
function generator(): (below: number) => number {
  let seed = 11;
  return (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
}

async function writeCorpus(folder: string): Promise<number> {
  const next = generator();
  const sentence = (length: number): string =>
    Array.from({ length }, () => WORDS[next(WORDS.length)] + (next(30) === 0 ? String(next(900)) : '')).join(' ');
  // Agents write dashes and backticks: such texts take twice the memory and much longer to fold.
  const answer = (): string => `${sentence(30)} — ${sentence(30)} ✓`;
  await mkdir(folder, { recursive: true });
  let size = 0;
  for (let at = 0; at < SESSIONS; at++) {
    const id = `session-${at}`;
    const lines = [headerLine(id).trim()];
    for (let entry = 0; entry < ENTRIES / 4; entry++) {
      // A rare word, once in an old session.
      const rare = at === SESSIONS - 5 && entry === 40 ? ' aubergine' : '';
      const actions = [
        { type: 'promptSent', text: sentence(12), blocks: [], at: entry },
        {
          type: 'toolStarted',
          toolCallId: `${entry}`,
          patch: { title: sentence(4), status: 'done', rawInput: { path: sentence(3) } },
          at: entry,
        },
        { type: 'textAppended', role: 'thought', text: sentence(25), at: entry },
        { type: 'textAppended', role: 'agent', text: answer() + rare, at: entry },
        { type: 'turnEnded', stopReason: 'end_turn', at: entry },
      ];
      for (const action of actions) lines.push(JSON.stringify({ action }));
    }
    const text = `${lines.join('\n')}\n`;
    size += text.length;
    await writeFile(transcriptFile(folder, id), text);
    const summary = {
      id,
      title: sentence(5),
      updatedAt: Date.now() - at * 3_600_000,
      agent: { name: 'fake', title: 'Fake' },
    };
    await writeFile(join(folder, `${id}.summary.json`), JSON.stringify(summary));
  }
  return size;
}

function itemsOf(shelf: SessionStore): SessionListItem[] {
  const capabilities = stubOf<SessionCapabilities>({ fork: false, title: false, archive: false, delete: false });
  const facts = {
    state: undefined,
    lines: undefined,
    isActive: false,
    capabilities,
    isAgentRunning: false,
    listed: undefined,
  };
  return shelf.list().map((summary) => ownSessionItem(summary, facts));
}

interface Answered {
  /** Milliseconds until the first results were reported and until the search ended. */
  readonly first: number;
  readonly all: number;
}

/** CPU milliseconds of the process since `started`; waiting for a busy machine is excluded. */
function work(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

async function ask(search: SessionSearch, text: string): Promise<Answered> {
  const started = process.cpuUsage();
  let first: number | undefined;
  await search.search(parseQuery(text, Date.now()), new AbortController().signal, ({ found }) => {
    if (found.some(({ hits }) => hits.length > 0)) first ??= work(started);
  });
  const all = work(started);
  return { first: first ?? all, all };
}

async function typed(search: SessionSearch): Promise<Answered[]> {
  const times: Answered[] = [];
  for (const text of TYPED) {
    for (let end = 1; end <= text.length; end++) {
      times.push(await ask(search, text.slice(0, end)));
      // Letters are typed one at a time.
      await turn();
    }
  }
  return times;
}

/** Runs `job` and returns the CPU milliseconds of the process. */
async function worked<T>(job: () => Promise<T>): Promise<{ result: T; took: number }> {
  const started = process.cpuUsage();
  const result = await job();
  return { result, took: work(started) };
}

/**
 * Runs `job` and returns the longest uninterrupted run in milliseconds. Sampling costs time too: the total time of the job is
 * measured separately.
 */
async function blockedBy(job: () => Promise<unknown>): Promise<number> {
  let before = threadWork();
  let blocked = 0;
  let isOver = false;
  const look = (): void => {
    blocked = Math.max(blocked, threadWork() - before);
    before = threadWork();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await job();
  isOver = true;
  return blocked;
}

/** CPU milliseconds of this thread where the system reports them; else those of the process. */
function threadWork(): number {
  try {
    return Number(readFileSync(THREAD, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return work({ user: 0, system: 0 });
  }
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? NaN;
}

/** Resets the search to its state before the first query. */
async function forgotten(folder: string, items: readonly SessionListItem[]): Promise<void> {
  await Promise.all(items.map(({ id }) => rm(searchIndexPath(folder, id))));
}

/** Cost of the list and of the search with many long sessions. */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  try {
    const size = await writeCorpus(folder);
    const list = (): Promise<SessionStore> => SessionStore.open(folder, nullLogger);
    const opened = await worked(list);
    const items = itemsOf(opened.result);
    const grouped = await worked(async () => groupSessions(itemsOf(opened.result), Date.now()));
    const before = process.memoryUsage().rss;
    const newSearch = (): SessionSearch =>
      new SessionSearch(
        () => items,
        () => undefined,
        folder,
        nullLogger,
      );
    const first = (): Promise<Answered> => ask(newSearch(), 'aubergine');
    const reading = await worked(first);
    const search = newSearch();
    const cold = await worked(() => ask(search, 'aubergine'));
    const typing = await typed(search);
    const firsts = typing.map(({ first }) => first);
    const sets = `${(search.gramBytes / 1e6).toFixed(1)} MB of letter triples, ${((process.memoryUsage().rss - before) / 1e6).toFixed(0)} MB more in all`;
    const blocked = {
      list: await blockedBy(list),
      cold: await blockedBy(first),
      typing: await blockedBy(() => typed(search)),
      reading: await forgotten(folder, items).then(() => blockedBy(first)),
    };
    const p95 = percentile(firsts, 0.95);
    table(`Sessions: ${items.length} of ${ENTRIES} entries, ${(size / 1e6).toFixed(0)} MB; ${sets}`, [
      ['what', 'work', '', 'most in one go', ''],
      ['read the list', ms(opened.took), against(opened.took, OPEN), ms(blocked.list), ''],
      ['group the list', ms(grouped.took), '', '', ''],
      ['first search ever: reads all', ms(reading.took), '', ms(blocked.reading), against(blocked.reading, BLOCKED)],
      ['first search of a window', ms(cold.took), '', ms(blocked.cold), against(blocked.cold, BLOCKED)],
      ['a letter: first lines, median', ms(percentile(firsts, 0.5)), '', '', ''],
      [
        'a letter: first lines, p95',
        ms(p95),
        against(p95, ANSWER),
        ms(blocked.typing),
        against(blocked.typing, BLOCKED),
      ],
      [
        'a letter: all lines, p95',
        ms(
          percentile(
            typing.map(({ all }) => all),
            0.95,
          ),
        ),
        '',
        '',
        '',
      ],
    ]);
    const most = Math.max(blocked.reading, blocked.cold, blocked.typing);
    recordGoal({ row: 'the list', what: 'read', figure: opened.took, most: GOAL.open, unit: 'ms' });
    recordGoal({ row: 'search', what: 'first lines, p95', figure: p95, most: GOAL.answer, unit: 'ms' });
    recordGoal({ row: 'search', what: 'most in one go', figure: most, most: GOAL.blocked, unit: 'ms' });
    if (p95 > ANSWER || most > BLOCKED || opened.took > OPEN) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

void main();
