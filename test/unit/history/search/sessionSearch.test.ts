import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { appendFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { nullLogger } from '../../../../src/base/logger';
import { foldCaseKeepingLength } from '../../../../src/base/text';
import { asWord, parseQuery, titleScore } from '../../../../src/history/search/searchQuery';
import type { SearchResult, SearchProgress } from '../../../../src/history/search/sessionSearch';
import { SessionSearch } from '../../../../src/history/search/sessionSearch';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { anyText } from '../../../fuzz/anyText';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { item, said, writeTranscript } from './sample';

const NOW = new Date(2026, 10, 21, 15).getTime();
const day = (year: number, month: number, date: number): number => new Date(year, month - 1, date).getTime();

describe('queries of Search Sessions', function () {
  it('consist of words and filters in any order; quotation marks make one word', () => {
    const query = parseQuery('Red agent:Claude "two  Words" folder:"my app" is:unread', NOW);
    assert.deepEqual(query.words, ['red', 'two  words']);
    assert.deepEqual(query.agents, ['claude']);
    assert.deepEqual(query.folders, ['my app']);
    assert.deepEqual(query.marks, ['unread']);
    assert.deepEqual(query.problems, []);
  });

  it('accept any name of an agent or folder in a filter', () => {
    const name = fc.string({ unit: fc.constantFrom('"', ' ', 'a', ':', '\\', '\n'), minLength: 1 });
    fc.assert(
      fc.property(name, (text) => {
        const query = parseQuery(`before agent:${asWord(text)} after`, NOW);
        assert.deepEqual([query.words, query.agents], [['before', 'after'], [foldCaseKeepingLength(text)]]);
      }),
    );
  });

  it('accept days as dates, months and words; after includes the day, before does not', () => {
    assert.equal(parseQuery('after:2026-11-01', NOW).from, day(2026, 11, 1));
    assert.equal(parseQuery('before:2026-11', NOW).to, day(2026, 11, 1));
    assert.equal(parseQuery('after:today', NOW).from, day(2026, 11, 21));
    assert.equal(parseQuery('after:yesterday', NOW).from, day(2026, 11, 20));
    assert.equal(parseQuery('after:30d', NOW).from, day(2026, 10, 22));
  });

  it('report an invalid filter, and use the rest', () => {
    const query = parseQuery('pear after:2026-13-40 is:red', NOW);
    assert.deepEqual(query.words, ['pear']);
    assert.deepEqual(query.problems, [
      '“after:2026-13-40” is not a valid date. Use after:2026-11-30, after:yesterday or after:7d.',
      'Unknown filter “is:red”. Use is:unread, is:waiting, is:running, is:archived, is:imported.',
    ]);
  });

  it('read unknown and unfinished filters as words', () => {
    assert.deepEqual(parseQuery('http://localhost:80 note:x', NOW).words, ['http://localhost:80', 'note:x']);
    const open = parseQuery('agent: "unclosed words', NOW);
    assert.deepEqual(open.problems, []);
    assert.deepEqual(parseQuery('"unclosed words', NOW).words, ['unclosed words']);
  });

  it('never fail, and case folding keeps all positions', () => {
    fc.assert(fc.property(anyText(), (text) => void parseQuery(text, NOW)));
    fc.assert(fc.property(anyText(), (text) => foldCaseKeepingLength(text).length === text.length));
    assert.equal(foldCaseKeepingLength('İstanbul ÄÖ'), 'İstanbul äö');
  });

  it('find titles by words, word beginnings first, and by letters in order', () => {
    assert.ok(titleScore('Fix the login test', ['login']) > titleScore('Fix the xlogin test', ['login']));
    assert.ok(titleScore('Fix the login test', ['lgn']) > 0);
    assert.equal(titleScore('Fix the login test', ['ogn']), 0);
    assert.equal(titleScore('Fix the login test', ['login', 'pear']), 0);
  });
});

describe('searching all sessions', function () {
  let folder = '';
  const items: SessionListItem[] = [];
  const open = new Map<string, SessionState>();

  beforeEach(() => {
    folder = temporaryFolder();
    items.length = 0;
    open.clear();
  });

  const newSearch = (): SessionSearch =>
    new SessionSearch(
      () => items,
      (id) => open.get(id),
      folder,
      nullLogger,
    );

  async function add(id: string, actions: readonly Action[], more: Partial<SessionListItem> = {}): Promise<void> {
    await writeTranscript(folder, id, actions);
    items.push(item(id, more));
  }

  function find(text: string, search = newSearch()): Promise<readonly SearchResult[]> {
    return search.search(parseQuery(text, NOW), new AbortController().signal, () => {});
  }

  const ids = (found: readonly SearchResult[]): string[] => found.map(({ item: { id } }) => id);

  it('finds a word in an old session, with its line and its entry', async () => {
    await add('old', said('hello', 'The aubergine is a fruit.\nSo they say.'), { updatedAt: 1 });
    await add('new', said('hello', 'Nothing here.'), { updatedAt: 2 });
    const found = await find('AUBERGINE');
    assert.deepEqual(ids(found), ['old']);
    assert.deepEqual(found[0]?.hits, [{ entry: 1, kind: 'agent', line: 'The aubergine is a fruit.' }]);
  });

  it('stores its index beside the transcript, and uses it only while it matches', async () => {
    await add('one', said('first pear'));
    await find('pear');
    assert.ok((await readdir(folder)).includes('one.search'));
    await writeTranscript(folder, 'one', said('second plum'));
    assert.deepEqual(ids(await find('plum')), ['one']);
    assert.deepEqual(ids(await find('pear')), ['one']);
    await writeFile(join(folder, 'one.search'), 'rubbish');
    assert.deepEqual(ids(await find('plum')), ['one']);
    assert.match(await readFile(join(folder, 'one.search'), 'utf8'), /^\{"search":3/);
  });

  it('indexes new transcripts before the first query', async () => {
    await add('one', said('first pear'));
    const reports: SearchProgress[] = [];
    const found = await newSearch().search(parseQuery('', NOW), new AbortController().signal, (progress) =>
      reports.push(progress),
    );
    assert.deepEqual(ids(found), ['one']);
    assert.deepEqual(found[0]?.hits, []);
    assert.ok((await readdir(folder)).includes('one.search'));
    assert.equal(reports[0]?.found.length, 1);
  });

  it('finds text in a long session beyond the first piece', async () => {
    const texts = Array.from({ length: 400 }, (_, at) => `${'— word '.repeat(300)}${at === 390 ? 'aubergine' : ''}`);
    await add('long', said(...texts));
    const search = newSearch();
    for (const one of [search, search, newSearch()]) {
      const [found] = await find('aubergine', one);
      assert.equal(found?.hits[0]?.entry, 390);
      search.rest();
    }
  });

  it('reads the index beside the transcript, not the transcript', async () => {
    await add('one', said('first pear'));
    await find('pear');
    const text = await readFile(join(folder, 'one.search'), 'utf8');
    await writeFile(join(folder, 'one.search'), text.replace('first pear', 'other pear'));
    assert.equal((await find('pear'))[0]?.hits[0]?.line, 'other pear');
  });

  it('finds text after the stored index was deleted', async () => {
    await add('one', said('first pear'));
    const search = newSearch();
    for (let time = 0; time < 3; time++) {
      assert.deepEqual(ids(await find('pear', search)), ['one']);
      search.rest();
      await rm(join(folder, 'one.search'));
    }
  });

  it('searches an open session in memory', async () => {
    await add('one', said('on disk'));
    open.set('one', said('in memory').reduce(reduce, emptySession('one')));
    assert.deepEqual(ids(await find('memory')), ['one']);
    assert.deepEqual(ids(await find('disk')), []);
  });

  it('finds tool inputs and outputs, diffs, terminal output without colors, and child sessions', async () => {
    await add('tools', [
      { type: 'promptSent', text: 'go', blocks: [], at: 1 },
      { type: 'terminalCreated', terminalId: 't', command: 'make world', at: 1 },
      { type: 'terminalOutput', terminalId: 't', data: '\u001b[31mex\u001b[1mplosion\u001b[0m' },
      {
        type: 'toolStarted',
        toolCallId: 'a',
        patch: {
          title: 'Run',
          rawInput: { deep: { argument: 'cucumber' } },
          content: [
            { type: 'terminal', terminalId: 't' },
            {
              type: 'diff',
              diffId: 'd',
              path: '/w/radish.ts',
              label: 'radish.ts',
              isNew: false,
              added: 1,
              removed: 0,
              hunks: [{ oldStart: 1, newStart: 1, lines: [{ type: 'added', text: 'const turnip = 1;' }] }],
            },
          ],
        },
        at: 2,
      },
      { type: 'subagentStarted', sessionId: 'c', patch: { title: 'Child' }, at: 3 },
      {
        type: 'subagentActed',
        entry: 2,
        action: { type: 'textAppended', role: 'agent', text: 'asparagus', at: 3 },
      },
    ]);
    for (const word of ['explosion', '"make world"', 'cucumber', 'turnip', 'radish.ts'])
      assert.equal((await find(word))[0]?.hits[0]?.entry, 1, word);
    assert.equal((await find('asparagus'))[0]?.hits[0]?.entry, 2);
  });

  it('filters by agent, folder and day, also without words', async () => {
    const agent = { name: 'claude-code', title: 'Claude' };
    const agentSession = { id: 'x', cwd: '/home/me/Shop' };
    await add('one', said('pear'), { agent, updatedAt: day(2026, 11, 2) });
    await add('two', said('pear'), { agentSession, updatedAt: day(2026, 10, 2) });
    assert.deepEqual(ids(await find('agent:claude pear')), ['one']);
    assert.deepEqual(ids(await find('folder:shop pear')), ['two']);
    assert.deepEqual(ids(await find('after:2026-11-01 pear')), ['one']);
    assert.deepEqual(ids(await find('before:2026-11-01')), ['two']);
  });

  it('ranks titles before messages, and lists a session once', async () => {
    await add('said', said('the word is pear'), { updatedAt: 5 });
    await add('titled', said('about a pear'), { title: 'Pear tree', updatedAt: 1 });
    const found = await find('pear');
    assert.deepEqual(ids(found), ['titled', 'said']);
    assert.equal(found[0]?.hits.length, 1);
  });

  it('skips a damaged transcript and one of a newer version', async () => {
    await add('good', said('pear'));
    await writeFile(join(folder, 'bad.jsonl'), '{"parley":1}\nrubbish\n{"action":{"type":"toolChanged"}}\n');
    await writeFile(join(folder, 'newer.jsonl'), '{"parley":7}\n{"action":{"type":"promptSent","text":"pear"}}\n');
    items.push(item('bad'), item('newer'));
    assert.deepEqual(ids(await find('pear')), ['good']);
    await appendFile(join(folder, 'bad.jsonl'), `${JSON.stringify({ action: said('pear')[0] })}\n`);
    assert.equal((await find('pear')).length, 2);
  });

  it('finds text around an action of another version', async () => {
    await writeTranscript(folder, 'odd', said('apple'));
    await appendFile(join(folder, 'odd.jsonl'), '{"action":{"type":"ofAnotherVersion"}}\n');
    await appendFile(join(folder, 'odd.jsonl'), `${JSON.stringify({ action: said('pear')[0] })}\n`);
    items.push(item('odd'));
    assert.deepEqual(ids(await find('pear')), ['odd']);
  });

  it('leaves no index of a transcript that is deleted during indexing', async () => {
    await add('gone', said('pear'));
    const deleted = (): undefined => rmSync(join(folder, 'gone.jsonl'), { force: true }) as undefined;
    await find('pear', new SessionSearch(() => items, deleted, folder, nullLogger));
    assert.deepEqual(await readdir(folder), []);
  });

  it('stops when it is canceled, and reports its progress', async () => {
    for (let at = 0; at < 40; at++) await add(String(at), said(`pear ${at}`), { updatedAt: -at });
    const abort = new AbortController();
    abort.abort();
    assert.deepEqual(await newSearch().search(parseQuery('pear', NOW), abort.signal, () => {}), []);
    assert.equal((await find('pear')).length, 40);
  });

  it('finds every match that a linear scan of all entries finds', async () => {
    const word = fc.constantFrom('pear', 'plum', 'Apple', 'red', 'öl', 'x');
    const texts = fc.array(fc.array(word, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { maxLength: 5 }),
        fc.array(word, { minLength: 1, maxLength: 2 }),
        async (all, words) => {
          await rm(folder, { recursive: true, force: true });
          items.length = 0;
          const lines = all.map((session) => session.map((one) => one.join(' ') || 'nothing'));
          for (const [at, session] of lines.entries()) await add(`s${at}`, said(...session), { title: '-' });
          const wanted = lines.flatMap((session, at) =>
            session.some((line) =>
              words.every((one) => foldCaseKeepingLength(line).includes(foldCaseKeepingLength(one))),
            )
              ? [`s${at}`]
              : [],
          );
          assert.deepEqual(ids(await find(words.join(' '))).toSorted(), wanted);
        },
      ),
      { numRuns: 40 },
    );
  });
});
