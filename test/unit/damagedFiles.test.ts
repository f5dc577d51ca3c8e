import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import { DailyCost } from '../../src/history/dailyCost';
import { DeletedAgentSessions } from '../../src/history/deletedAgentSessions';
import { parseQuery } from '../../src/history/search/searchQuery';
import { SessionSearch } from '../../src/history/search/sessionSearch';
import { SessionStore, searchIndexPath } from '../../src/history/sessionStore';
import { readTranscript } from '../../src/history/transcriptFile';
import { TranscriptWriter } from '../../src/history/transcriptWriter';
import { KeyValueFiles } from '../../src/node/fs/keyValueFiles';
import { onDidLoseData } from '../../src/node/fs/storedFile';
import { WorkspaceStateFile } from '../../src/node/fs/workspaceStateFile';
import { AuditLog } from '../../src/permissions/auditLog';
import { CheckpointStore } from '../../src/review/checkpoints/checkpointStore';
import { BlobStore } from '../../src/review/storage/blobStore';
import { fileContentOf } from '../../src/review/storage/fileContent';
import { unchangedFile } from '../../src/review/tracking/fileAttribution';
import { ModifiedFiles } from '../../src/review/tracking/modifiedFiles';
import { ReviewFile } from '../../src/review/tracking/reviewFile';
import type { WorktreeRecord } from '../../src/worktrees/worktreeRecord';
import { WorktreeStore } from '../../src/worktrees/worktreeStore';
import { sessionItem } from '../kit/sessionItem';
import { temporaryFolder } from '../kit/temporaryFolder';
import { emptyCheckpoint } from './review/emptyCheckpoint';

/** What a window does with a stored file. Values are words; `put` adds one, and settles when the word is stored. */
interface Window {
  put(word: string): Promise<void>;
  words(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Row {
  /** The file that is damaged. */
  readonly file: (folder: string) => string;
  readonly open: (folder: string) => Promise<Window>;
}

const nothing = async (): Promise<void> => undefined;
const said = (text: string) => ({ type: 'promptSent', text, blocks: [], at: 1 }) as const;

async function openTranscript(folder: string): Promise<Window> {
  const store = await SessionStore.open(folder, nullLogger);
  if (store.get('one')) await store.readToOpen('one');
  const failures: unknown[] = [];
  const writer = new TranscriptWriter(folder, 'one', (error) => failures.push(error));
  return {
    put: async (word) => {
      writer.append(said(word));
      await writer.flush();
      store.saveSummary({ id: 'one', title: 'One', renamed: false, updatedAt: 1, archived: false });
      await store.flush();
      assert.deepEqual(failures, []);
    },
    words: async () => {
      const transcript = await readTranscript(folder, 'one').catch(() => undefined);
      const actions = transcript?.actions ?? [];
      return actions.flatMap((action) => (action.type === 'promptSent' ? [action.text] : []));
    },
    close: () => writer.close(),
  };
}

async function openReview(folder: string): Promise<Window> {
  const modifiedFiles = new ModifiedFiles((path) => path);
  const review = new ReviewFile(
    join(folder, 'review.json'),
    modifiedFiles,
    new BlobStore(join(folder, 'blobs')),
    nullLogger,
  );
  await review.load('');
  return {
    put: async (word) => {
      const [base, text] = ['base', 'text'].map((side) => fileContentOf('100644', Buffer.from(`${side} of ${word}`)));
      modifiedFiles.set(word, { attribution: { ...unchangedFile(base), text }, sessions: ['s'], disk: text });
      await review.write();
    },
    words: async () => modifiedFiles.paths(),
    close: nothing,
  };
}

const ROWS: Readonly<Record<string, Row>> = {
  'state of a workspace (state.json)': {
    file: (folder) => join(folder, 'state.json'),
    open: async (folder) => {
      const state = await WorkspaceStateFile.open(join(folder, 'state.json'), nullLogger);
      return { put: (word) => state.update(word, word), words: async () => state.keys(), close: () => state.flush() };
    },
  },
  'cost of the day (cost.json)': {
    file: (folder) => join(folder, 'cost.json'),
    open: async (folder) => {
      const cost = new DailyCost(join(folder, 'cost.json'), () => 1);
      return {
        put: async (currency) => void (await cost.add({ amount: 1, currency })),
        words: async () => (await cost.sums()).map(({ currency }) => currency),
        close: nothing,
      };
    },
  },
  'deleted sessions of agents (deleted.json)': {
    file: (folder) => join(folder, 'deleted.json'),
    open: async (folder) => {
      const deleted = new DeletedAgentSessions(join(folder, 'deleted.json'));
      await deleted.read();
      return {
        put: async (word) => {
          deleted.add('agent', word);
          await deleted.write();
        },
        words: async () => ['before', 'after'].filter((word) => deleted.has('agent', word)),
        close: nothing,
      };
    },
  },
  'changes under review (review.json)': { file: (folder) => join(folder, 'review.json'), open: openReview },
  'copy of a file under review (blobs)': {
    file: (folder) => {
      const blobs = join(folder, 'blobs');
      const files = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).map((name) => join(blobs, name));
      return (
        files.find((file) => file.length > blobs.length + 60 && readFileSync(file, 'utf8') === 'base of before') ?? ''
      );
    },
    open: openReview,
  },
  'list of checkpoints (checkpoints.json)': {
    file: (folder) => join(folder, 'checkpoints.json'),
    open: async (folder) => {
      const store = new CheckpointStore(join(folder, 'checkpoints.json'));
      await store.load();
      return {
        put: (id) => store.add({ ...emptyCheckpoint, id }),
        words: async () => store.all().map(({ id }) => id),
        close: nothing,
      };
    },
  },
  'transcript of a session': { file: (folder) => join(folder, 'one.jsonl'), open: openTranscript },
  'summary of a session': {
    file: (folder) => join(folder, 'one.summary.json'),
    open: async (folder) => {
      const store = await SessionStore.open(folder, nullLogger);
      const words = (): string[] => (store.get('one')?.title ?? '').split(' ').filter((word) => word !== '');
      return {
        put: async (word) => {
          const title = [...words(), word].join(' ');
          const summary = { id: 'one', title, renamed: true, updatedAt: 1, archived: true };
          if (existsSync(join(folder, 'one.jsonl'))) store.saveSummary(summary);
          else await store.add(summary, [said('x')], new Map());
          await store.flush();
        },
        words: async () => words(),
        close: () => store.flush(),
      };
    },
  },
  'search index of a session': {
    file: (folder) => searchIndexPath(folder, 'one'),
    open: async (folder) => {
      const session = await openTranscript(folder);
      const item = sessionItem('one');
      const isFound = async (word: string): Promise<boolean> => {
        const search = new SessionSearch(
          () => [item],
          () => undefined,
          folder,
          nullLogger,
        );
        return (await search.search(parseQuery(word, 0), new AbortController().signal, () => undefined)).length > 0;
      };
      return {
        put: async (word) => {
          await session.put(word);
          assert.ok(await isFound(word));
        },
        words: async () => {
          const found = await Promise.all(
            ['before', 'after'].map(async (word) => ((await isFound(word)) ? [word] : [])),
          );
          return found.flat();
        },
        close: () => session.close(),
      };
    },
  },
  'audit log': {
    file: (folder) => join(folder, 'audit.jsonl'),
    open: async (folder) => {
      const audit = new AuditLog(folder, new Redactor(), nullLogger);
      const record = {
        time: 't',
        session: 's',
        agent: 'a',
        kind: 'edit',
        decision: 'allowed',
        by: 'person',
        ms: 0,
      } as const;
      return {
        put: (title) => {
          audit.append({ ...record, title });
          return audit.flush();
        },
        words: async () => (await audit.entries()).map(({ title }) => title),
        close: () => audit.flush(),
      };
    },
  },
  'record of a worktree': {
    file: (folder) => join(folder, 'one', 'worktree.json'),
    open: async (folder) => {
      const store = new WorktreeStore(folder, nullLogger);
      let known = new Map<string, WorktreeRecord>();
      const read = async (): Promise<void> => {
        known = new Map((await store.read(known)).map((record) => [record.id, record]));
      };
      await read();
      const words = (): string[] => (known.get('one')?.branch ?? '').split(' ').filter((word) => word !== '');
      return {
        put: async (word) => {
          await read();
          const branch = [...words(), word].join(' ');
          const own = {
            id: 'one',
            path: join(store.folderOf('one'), 'files'),
            branch,
            isReady: true,
            isDiscarded: false,
          };
          await mkdir(own.path, { recursive: true });
          await store.write({ ...own, repository: '/r', prefix: '', head: '0'.repeat(40), createdAt: 1 });
          await read();
        },
        words: async () => words(),
        close: async () => store.dispose(),
      };
    },
  },
  'accepted tools of an MCP server': {
    file: (folder) => join(folder, readdirSync(folder).find((name) => name.endsWith('.json')) ?? ''),
    open: async (folder) => {
      const files = new KeyValueFiles(folder, nullLogger);
      await files.load('key');
      const words = (): string[] => Object.keys(files.get('key') ?? {});
      return {
        put: (word) => files.update('key', Object.fromEntries([...words(), word].map((each) => [each, true]))),
        words: async () => words(),
        close: nothing,
      };
    },
  },
};

interface Damage {
  readonly isOpen: boolean;
  readonly apply: (file: string) => Promise<void>;
}

const DAMAGES: Readonly<Record<string, Damage>> = {
  truncated: { isOpen: false, apply: async (file) => truncate(file, Math.floor((await readFile(file)).length / 2)) },
  emptied: { isOpen: false, apply: (file) => truncate(file) },
  'NUL bytes': { isOpen: false, apply: async (file) => writeFile(file, Buffer.alloc((await readFile(file)).length)) },
  'other JSON': {
    isOpen: false,
    apply: async (file) => writeFile(file, (await readFile(file, 'utf8')).startsWith('[') ? '{}' : '[]'),
  },
  // Root may write such a file, other users may not.
  'read-only': { isOpen: false, apply: (file) => chmod(file, 0o400) },
  'a folder': { isOpen: false, apply: putFolder },
  'truncated while open': { isOpen: true, apply: (file) => truncate(file, 3) },
  'deleted while open': { isOpen: true, apply: (file) => rm(file) },
  'a folder while open': { isOpen: true, apply: putFolder },
  'replaced while open': {
    isOpen: true,
    apply: async (file) => {
      await writeFile(`${file}.other`, 'replaced');
      await rename(`${file}.other`, file);
    },
  },
};

async function putFolder(file: string): Promise<void> {
  await rm(file);
  await mkdir(file);
  await writeFile(join(file, 'inner'), 'x');
}

const MEANINGS = {
  continues: 'nothing is lost',
  told: 'the damaged file is kept as `.damaged`, a message names what is lost, and the store continues without it',
} as const;

async function play(row: Row, damage: Damage, folder: string): Promise<keyof typeof MEANINGS> {
  const losses: string[] = [];
  const subscription = onDidLoseData(({ lost }) => losses.push(lost));
  try {
    let window = await row.open(folder);
    await window.put('before');
    if (!damage.isOpen) await window.close();
    const file = row.file(folder);
    assert.ok(existsSync(file), `${file} is there`);
    await damage.apply(file);
    const isLeft = existsSync(file);
    if (!damage.isOpen) window = await row.open(folder);
    await window.words();
    await window.put('after');
    await window.close();
    const next = await row.open(folder);
    const words = await next.words();
    await next.close();
    assert.ok(words.includes('after'), `the store continues: ${words.join()}`);
    if (words.includes('before')) {
      assert.deepEqual(losses, [], 'nothing is lost');
      return 'continues';
    }
    assert.equal(losses.length, 1, `told once: ${losses.join('; ')}`);
    assert.equal(existsSync(`${file}.damaged`), isLeft, 'kept');
    return 'told';
  } finally {
    subscription.dispose();
  }
}

const PAGE = 'docs/faults.md';

function tableOf(outcomes: ReadonlyMap<string, readonly string[]>): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    '## Damaged files',
    '',
    'What happens when another program or a bad disk damages a file of Parley. `npm test unit` plays all cells; with `UPDATE_GOLDEN=1` it writes',
    'this table.',
    '',
    row(['file', ...Object.keys(DAMAGES)]),
    `|${' --- |'.repeat(Object.keys(DAMAGES).length + 1)}`,
    ...Array.from(outcomes, ([name, cells]) => row([name, ...cells])),
    '',
    ...Object.entries(MEANINGS).map(([label, meaning]) => `- *${label}*: ${meaning}.`),
    '',
  ].join('\n');
}

describe('a damaged file', function () {
  let folder: string;
  const outcomes = new Map<string, string[]>();

  beforeEach(() => (folder = temporaryFolder()));

  for (const [name, row] of Object.entries(ROWS)) {
    for (const [damageName, damage] of Object.entries(DAMAGES)) {
      it(`is kept once, its loss is reported, and the store continues: ${name}, ${damageName}`, async () => {
        const outcome = await play(row, damage, folder);
        outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
      });
    }
  }

  it('docs/faults.md has a row for each file', function () {
    if ([...outcomes.values()].flat().length < Object.keys(ROWS).length * Object.keys(DAMAGES).length) this.skip();
    const page = readFileSync(PAGE, 'utf8');
    const [agents = ''] = page.split('\n## Damaged files');
    const expected = `${agents.trimEnd()}\n\n${tableOf(outcomes)}`;
    if (process.env['UPDATE_GOLDEN']) writeFileSync(PAGE, expected);
    else assert.equal(page, expected);
  });
});
