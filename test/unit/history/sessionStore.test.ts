import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import files, {
  appendFile,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../src/base/logger';
import { SessionStore } from '../../../src/history/sessionStore';
import type { SessionSummary } from '../../../src/history/sessionSummary';
import { listTranscripts, readTranscript } from '../../../src/history/transcriptFile';
import { TranscriptWriter } from '../../../src/history/transcriptWriter';
import { readConversation } from '../../../src/session/readConversation';
import type { Sessions } from '../../../src/session/sessions';
import type { Action } from '../../../src/shared/state/sessionActions';
import { reduce } from '../../../src/shared/state/sessionReducer';
import { emptySession } from '../../../src/shared/state/sessionState';
import { MAX_TERMINAL_TAIL_CHARS } from '../../../src/shared/state/terminalState';
import { hostile } from '../../kit/hostile';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { settled } from '../../kit/waiting';

describe('the transcript on disk', () => {
  let folder = '';
  const failures: unknown[] = [];
  const writer = (id = 'one'): TranscriptWriter => new TranscriptWriter(folder, id, (error) => failures.push(error));
  const agentText = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: 1 });

  beforeEach(() => {
    folder = temporaryFolder();
    failures.length = 0;
  });

  it('returns the appended actions, with merged text and inline diffs', async () => {
    const history = writer();
    for (const text of ['a', 'b', 'c']) history.append(agentText(text));
    history.appendDiff('d1', { path: '/f', oldText: 'x', newText: 'y' });
    history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await history.close();
    const transcript = await readTranscript(folder, 'one');
    assert.deepEqual(transcript?.actions, [agentText('abc'), { type: 'turnEnded', stopReason: 'end_turn', at: 2 }]);
    assert.deepEqual(transcript?.diffs.get('d1'), { path: '/f', oldText: 'x', newText: 'y' });
  });

  it('leaves no file behind when nothing was appended', async () => {
    await writer().close();
    assert.deepEqual(await listTranscripts(folder), []);
  });

  it('is read without the line that a crash cut off, and is continued after it', async () => {
    const history = writer();
    history.append(agentText('first'));
    history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await history.close();
    const file = join(folder, 'one.jsonl');
    await truncate(file, (await readFile(file)).length - 5);
    const again = writer();
    again.append(agentText('after the crash'));
    await again.close();
    const transcript = await readTranscript(folder, 'one');
    assert.deepEqual(transcript?.actions, [agentText('first'), agentText('after the crash')]);
    assert.equal(transcript?.damaged, 1);
  });

  it('is not written after it is closed, so that a deleted session does not come back', async () => {
    const history = writer();
    history.append(agentText('first'));
    await history.close();
    await rm(join(folder, 'one.jsonl'));
    history.append({ type: 'terminalExited', terminalId: 't', code: 0, at: 2 });
    history.appendDiff('d', { path: '/a', oldText: '', newText: 'x' });
    await history.flush();
    assert.deepEqual(await listTranscripts(folder), []);
  });

  for (const [damage, harm, isKept] of [
    ['deleted', async (file: string) => rm(file), false],
    ['deleted with its folder', async () => rm(folder, { recursive: true }), false],
    [
      'replaced by another file',
      async (file: string) => {
        await rm(file);
        await writeFile(file, 'other');
      },
      true,
    ],
    [
      'replaced by a folder',
      async (file: string) => {
        await rm(file);
        await mkdir(file);
      },
      true,
    ],
  ] as const) {
    it(`is written whole again when it is ${damage} while it is open`, async () => {
      const history = writer();
      history.append(agentText('before'));
      await history.flush();
      await harm(join(folder, 'one.jsonl'));
      history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
      await history.flush();
      history.append(agentText('after'));
      await history.close();
      const transcript = await readTranscript(folder, 'one');
      const turnEnd = { type: 'turnEnded', stopReason: 'end_turn', at: 2 };
      assert.deepEqual(transcript?.actions, [agentText('before'), turnEnd, agentText('after')]);
      assert.deepEqual(failures, []);
      const kept = isKept ? ['one.jsonl', 'one.jsonl.damaged'] : ['one.jsonl'];
      assert.deepEqual((await readdir(folder)).sort(), kept);
      await writeFile(join(folder, 'one.jsonl.2.damaged'), 'damaged twice');
      await (await SessionStore.open(folder, nullLogger)).remove('one');
      assert.deepEqual(await readdir(folder), []);
    });
  }

  it('gets a header again when it is emptied while it is open', async () => {
    const history = writer();
    history.append(agentText('before'));
    await history.flush();
    await truncate(join(folder, 'one.jsonl'));
    history.append(agentText('after'));
    await history.close();
    assert.deepEqual((await readTranscript(folder, 'one'))?.actions, [agentText('after')]);
  });

  it('can be exported although it contains an action of another version', async () => {
    const history = writer();
    history.append(agentText('before'));
    history.append(hostile({ type: 'ofAnotherVersion' }));
    history.append({ type: 'promptSent', text: 'after', blocks: [], at: 2 });
    await history.close();
    const shelf = await SessionStore.open(folder, nullLogger);
    const conversation = await readConversation(stubOf<Sessions>({ getOpen: () => undefined, store: shelf }), 'one');
    assert.equal(conversation?.state.entries.count, 2);
    await shelf.flush();
    shelf.dispose();
  });

  it('keeps a multi-byte character at the end of a chunk', async () => {
    const history = writer();
    history.append(agentText('日本🙂'));
    await history.close();
    assert.deepEqual((await readTranscript(folder, 'one'))?.actions, [agentText('日本🙂')]);
  });

  it('of a newer version is reported, and neither read nor changed', async () => {
    const text = '{"parley":99}\n{"action":{"type":"x"}}';
    await writeFile(join(folder, 'two.jsonl'), text);
    await assert.rejects(readTranscript(folder, 'two'), /saved by a newer version of Parley \(format 99\)/);
    const history = writer('two');
    history.append(agentText('never'));
    await history.close();
    assert.match(String(failures[0]), /newer version/);
    assert.equal(await readFile(join(folder, 'two.jsonl'), 'utf8'), text);
  });

  it('is rejected if the file contains no transcript', async () => {
    await appendFile(join(folder, 'three.jsonl'), 'hello\n');
    assert.equal(await readTranscript(folder, 'three'), undefined);
    assert.equal(await readTranscript(folder, 'missing'), undefined);
  });

  it('is read if a crash cut off its first line', async () => {
    await writeFile(join(folder, 'four.jsonl'), '{"parley":1,"i\n');
    await appendFile(join(folder, 'four.jsonl'), `${JSON.stringify({ action: agentText('still here') })}\n`);
    const transcript = await readTranscript(folder, 'four');
    assert.deepEqual(transcript?.actions, [agentText('still here')]);
    assert.equal(transcript?.damaged, 1);
  });

  it('is read in chunks without splitting lines or characters', async () => {
    const texts = ['日本'.repeat(100_000), '🙂'.repeat(70_000), 'short'];
    const history = writer();
    for (const text of texts) {
      history.append(agentText(text));
      history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    }
    await history.close();
    const read = (await readTranscript(folder, 'one'))?.actions.flatMap((one) => ('text' in one ? [one.text] : []));
    assert.deepEqual(read, texts);
  });

  it('stores only the visible output of a command that writes endlessly', async () => {
    const history = writer();
    const lines = Array.from({ length: 400 }, (_, at) => `${String(at).padEnd(10_000, '.')}\n`);
    const actions: Action[] = [
      { type: 'terminalCreated', terminalId: 't', command: 'yes', at: 1 },
      ...lines.map((data) => ({ type: 'terminalOutput', terminalId: 't', data }) as const),
      { type: 'terminalExited', terminalId: 't', code: 0, at: 2 },
    ];
    for (const action of actions) {
      history.append(action);
      await settled();
    }
    await history.close();
    assert.ok((await stat(join(folder, 'one.jsonl'))).size < 1_800_000, 'the file is bounded');
    const shown = (all: readonly Action[]): string =>
      all.reduce(reduce, emptySession('one')).terminals['t']?.output ?? '';
    const read = await readTranscript(folder, 'one');
    assert.equal(
      shown(read?.actions ?? []).slice(-MAX_TERMINAL_TAIL_CHARS),
      shown(actions).slice(-MAX_TERMINAL_TAIL_CHARS),
    );
  });

  it('reports a full disk, and loses nothing once there is room again', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const history = new TranscriptWriter(blocked, 'one', (error) => failures.push(error));
    history.append(agentText('first'));
    await history.flush();
    assert.equal(failures.length, 1);
    await rm(blocked);
    history.append(agentText('kept'));
    await history.close();
    assert.deepEqual((await readTranscript(blocked, 'one'))?.actions, [agentText('first'), agentText('kept')]);
  });

  it('closes the file after each failed write of the first line', async function () {
    if (process.platform !== 'linux') this.skip();
    const full = '/dev/full';
    await symlink(full, join(folder, 'one.jsonl'));
    const open = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`) === full;
        } catch {
          return false;
        }
      }).length;
    const history = writer();
    for (let time = 1; time <= 5; time++) {
      history.append(agentText('x'));
      // One attempt after the other.
      await history.flush();
      assert.equal(failures.length, time);
    }
    assert.equal(open(), 0);
    await history.close();
  });
});

describe('the sessions on disk', () => {
  let folder = '';

  beforeEach(() => (folder = temporaryFolder()));

  const summary = (id: string): SessionSummary => ({
    id,
    title: `Title of ${id}`,
    renamed: true,
    updatedAt: 1,
    archived: true,
  });

  async function stored(ids: readonly string[]): Promise<void> {
    const store = await SessionStore.open(folder, nullLogger);
    for (const id of ids)
      await store.add(summary(id), [{ type: 'promptSent', text: 'hi', blocks: [], at: 1 }], new Map());
    await store.flush();
  }

  it('are read with few open files, since other extensions need some too', async () => {
    await stored(Array.from({ length: 150 }, (_, at) => `s${at}`));
    const { readFile: read } = files;
    let [open, most] = [0, 0];
    files.readFile = (async (...given: Parameters<typeof read>) => {
      most = Math.max(most, ++open);
      return read(...given).finally(() => open--);
    }) as typeof read;
    try {
      const store = await SessionStore.open(folder, nullLogger);
      await store.rescan(() => false);
      assert.equal(store.list().length, 150);
    } finally {
      files.readFile = read;
    }
    assert.ok(most > 0 && most <= 64, `${most} files at once`);
  });

  it('stay if they were stored while the clock was not set', async () => {
    await stored(['one', 'two']);
    await utimes(join(folder, 'one.jsonl'), 5, 5);
    const store = await SessionStore.open(folder, nullLogger);
    const all = { isAvailable: () => true, reserve: () => ({ dispose: () => undefined }) };
    assert.deepEqual(await store.prune({ maxAgeDays: 30, maxSizeMB: 100 }, all, Date.now()), []);
    await utimes(join(folder, 'two.jsonl'), 1e9, 1e9);
    assert.deepEqual(await store.prune({ maxAgeDays: 30, maxSizeMB: 100 }, all, Date.now()), ['Title of two']);
  });

  it('have the changes of two windows that know the same summary, field by field', async () => {
    await stored(['one']);
    const [first, second] = [
      await SessionStore.open(folder, nullLogger),
      await SessionStore.open(folder, nullLogger),
    ] as const;
    const change = (store: SessionStore, fields: Partial<SessionSummary>): void =>
      store.saveSummary({ ...summary('one'), ...store.get('one'), ...fields });
    change(first, { title: 'Renamed' });
    await first.flush();
    change(second, { archived: false, deletedAt: 7 });
    await second.flush();
    assert.equal(second.listDeleted()[0]?.title, 'Renamed');
    // Two changes of one window while the first is written.
    change(first, { branch: 'b' });
    const written = first.flush();
    change(first, { lastPrompt: 'p' });
    await written;
    await first.flush();
    const third = await SessionStore.open(folder, nullLogger);
    assert.deepEqual(third.get('one'), {
      ...summary('one'),
      title: 'Renamed',
      archived: false,
      deletedAt: 7,
      branch: 'b',
      lastPrompt: 'p',
    });
    const { deletedAt: _deletedAt, ...restored } = third.get('one') ?? summary('one');
    third.saveSummary(restored);
    await third.flush();
    assert.equal((await SessionStore.open(folder, nullLogger)).get('one')?.deletedAt, undefined);
  });

  it('keep a summary that cannot be read', async function () {
    // Windows reserves links for administrators.
    if (process.platform === 'win32') this.skip();
    await stored(['one']);
    const path = join(folder, 'one.summary.json');
    await rename(path, `${path}.aside`);
    // A link to itself cannot be opened by any user.
    await symlink(path, path);
    const log = {
      ...nullLogger,
      lines: [] as string[],
      warn: (_tag: unknown, line: string) => void log.lines.push(line),
    };
    const store = await SessionStore.open(folder, log);
    await store.flush();
    assert.equal(store.list().length, 1);
    assert.match(log.lines.join('\n'), /Failed to write .*one\.summary\.json: ELOOP/);
    await rename(`${path}.aside`, path);
    assert.deepEqual((await SessionStore.open(folder, nullLogger)).list(), [summary('one')]);
  });

  const outOfFiles = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
  /** Runs a job while calls of the file system fail. */
  async function whileFailing<T>(
    calls: readonly ('open' | 'readFile' | 'readdir')[],
    job: () => Promise<T>,
  ): Promise<T> {
    const real = { ...files };
    for (const call of calls) Object.assign(files, { [call]: outOfFiles });
    try {
      return await job();
    } finally {
      Object.assign(files, real);
    }
  }

  it('stay in the list while their folder cannot be read', async () => {
    await stored(['one', 'two']);
    const store = await SessionStore.open(folder, nullLogger);
    await whileFailing(['readdir'], () =>
      assert.rejects(
        store.rescan(() => false),
        { code: 'EMFILE' },
      ),
    );
    assert.equal(store.list().length, 2);
  });

  for (const calls of [['readdir'], ['open', 'readFile']] as const) {
    it(`are in the list again after they could not be read at the start: ${calls.join(' and ')}`, async () => {
      await stored(['one', 'two']);
      const store = await whileFailing(calls, () => SessionStore.open(folder, nullLogger));
      assert.deepEqual([store.list(), store.problem], [[], 'too many open files']);
      await store.rescan(() => false);
      assert.deepEqual([store.list().length, store.problem], [2, undefined]);
    });
  }

  it('report a transcript that cannot be read, and do not treat it as missing', async function () {
    // Windows reserves links for administrators.
    if (process.platform === 'win32') this.skip();
    await stored(['one']);
    const path = join(folder, 'one.jsonl');
    await rm(path);
    await symlink(path, path);
    const store = await SessionStore.open(folder, nullLogger);
    await assert.rejects(store.readTranscript('one'), { code: 'ELOOP' });
    assert.equal(await store.readTranscript('two'), undefined);
  });
});
