import assert from 'node:assert/strict';
import { readFile, readdir, realpath, rm, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installBinary } from '../../../src/agent/registry/installBinary';
import { restoreReplaced } from '../../../src/agent/registry/interruptedInstall';
import { nullLogger } from '../../../src/base/logger';
import { createFile } from '../../../src/client/fs/diskFiles';
import { resolveInside } from '../../../src/client/fs/resolvePath';
import { SessionStore } from '../../../src/history/sessionStore';
import { readTranscript } from '../../../src/history/transcriptFile';
import { TranscriptWriter } from '../../../src/history/transcriptWriter';
import { recordTemporaryFiles } from '../../../src/node/fs/temporaryFiles';
import type { Action } from '../../../src/shared/state/sessionActions';
import { WebServer } from '../../unit/agent/registry/installsBench';
import { takeAll, openReview } from '../../unit/ui/worktrees/takeBench';
import { NOTHING_LEFT, WorktreeBench } from '../../unit/worktrees/worktreeBench';
import type { KillOutcome, KillRow } from './killRow';

const said = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: 1 });
const ACTIONS = [said('one'), { ...said('two'), role: 'thought' } as Action];

async function transcriptOf(folder: string): Promise<readonly Action[]> {
  return (await readTranscript(folder, 'one'))?.actions ?? [];
}

/** A transcript that is written as a turn goes on: a start of what was said. */
const TRANSCRIPT: KillRow = {
  told: 'The transcript has what was written until then.',
  prepare: async (base) => {
    const writer = new TranscriptWriter(base, 'one', fail);
    writer.append(said('before'));
    await writer.close();
  },
  run: async (base, start) => {
    await start();
    const writer = new TranscriptWriter(base, 'one', fail);
    for (const action of ACTIONS) {
      writer.append(action);
      await writer.flush();
    }
    await writer.close();
  },
  check: async (base) => {
    const found = await transcriptOf(base);
    const whole = [said('before'), ...ACTIONS];
    assert.deepEqual(found, whole.slice(0, found.length));
    assert.ok(found.length > 0);
    // A half-written line does not spoil the next one.
    const writer = new TranscriptWriter(base, 'one', fail);
    writer.append(said('later'));
    await writer.close();
    assert.deepEqual(await transcriptOf(base), [...found, said('later')]);
    return found.length === 1 ? 'before' : found.length === whole.length ? 'after' : 'told';
  },
};

const IMPORT: KillRow = {
  prepare: async (base) => void (await SessionStore.open(base, nullLogger)),
  run: async (base, start) => {
    const store = await SessionStore.open(base, nullLogger);
    await start();
    await store.add(
      { id: 'one', title: 'Imported', renamed: false, updatedAt: 1, archived: false },
      ACTIONS,
      new Map(),
    );
    await store.flush();
  },
  check: async (base) => {
    const store = await SessionStore.open(base, nullLogger);
    if (!store.get('one')) return 'before';
    assert.deepEqual(await transcriptOf(base), ACTIONS);
    return 'after';
  },
};

const INSTALL: KillRow = {
  prepare: async (base) => {
    await mkdir(join(base, 'agent', '1'), { recursive: true });
    await writeFile(join(base, 'agent', '1', 'agent'), 'version 1');
  },
  run: async (base, start) => {
    const server = await WebServer.start();
    const archive = server.file('/agent', 'version 2');
    const options = { home: join(base, 'agent'), version: '2', previous: '1', log: nullLogger };
    await start();
    await installBinary({ archive, cmd: './agent', args: [], env: {} }, options);
  },
  check: async (base) => {
    const home = join(base, 'agent');
    assert.equal(await readFile(join(home, '1', 'agent'), 'utf8'), 'version 1');
    if (!(await readdir(home)).includes('2')) return 'before';
    assert.equal(await readFile(join(home, '2', 'agent'), 'utf8'), 'version 2');
    return 'after';
  },
};

const REINSTALL: KillRow = {
  prepare: INSTALL.prepare,
  run: async (base, start) => {
    const server = await WebServer.start();
    const archive = server.file('/agent', 'version 2');
    await start();
    const options = { home: join(base, 'agent'), version: '1', log: nullLogger };
    await installBinary({ archive, cmd: './agent', args: [], env: {} }, options);
  },
  check: async (base) => {
    const home = join(base, 'agent');
    restoreReplaced(home, '1');
    const text = await readFile(join(home, '1', 'agent'), 'utf8');
    assert.match(text, /^version [12]$/);
    return text === 'version 1' ? 'before' : 'after';
  },
};

/** As an agent asks for it with `fs/write_text_file`. */
const NEW_FILE: KillRow = {
  prepare: (base) => mkdir(join(base, 'work')),
  run: async (base, start) => {
    await recordTemporaryFiles(join(base, 'temporary'));
    const folders = [join(await realpath(base), 'work')];
    const path = await resolveInside(folders, join(base, 'work/new/a.txt'));
    await start();
    await createFile(folders, path, Buffer.from('new\n'.repeat(1000)));
  },
  check: async (base) => {
    await recordTemporaryFiles(join(base, 'temporary'));
    const found = await readdir(join(base, 'work'), { recursive: true, withFileTypes: true });
    const files = found.filter((each) => each.isFile()).map(({ name }) => name);
    if (files.length === 0) return 'before';
    assert.deepEqual(files, ['a.txt']);
    assert.equal(await readFile(join(base, 'work/new/a.txt'), 'utf8'), 'new\n'.repeat(1000));
    return 'after';
  },
};

const OLD: Readonly<Record<string, string>> = { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'gone\n' };
const NEW: Readonly<Record<string, string>> = { 'a.txt': 'one\nTWO\nthree\n', 'new/b.bin': '\0new' };

async function prepareWorktree(base: string): Promise<void> {
  const bench = await WorktreeBench.open(base);
  await bench.write('gone.txt', OLD['gone.txt'] ?? '');
  bench.commit('files');
  const { id, path } = await bench.create();
  for (const [name, text] of Object.entries(NEW)) await bench.write(name, text, path);
  await rm(join(path, 'gone.txt'));
  await writeFile(join(base, 'id'), id);
  bench.worktrees.dispose();
}

const idOf = (base: string): Promise<string> => readFile(join(base, 'id'), 'utf8');

const CREATE: KillRow = {
  told: 'The next window removes the rest.',
  prepare: async (base) => {
    const bench = await WorktreeBench.open(base);
    for (const [name, text] of Object.entries(NEW)) await bench.write(name, text);
    bench.worktrees.dispose();
  },
  run: async (base, start) => {
    const bench = WorktreeBench.of(base);
    const worktrees = await bench.window();
    await start();
    await worktrees.create({ folder: bench.folder, text: 'Fix the login', include: [] });
    worktrees.dispose();
  },
  check: async (base) => {
    const bench = WorktreeBench.of(base);
    const next = await bench.window();
    const work = async (folder: string): Promise<void> => {
      for (const [name, text] of Object.entries(NEW)) assert.equal(await readFile(join(folder, name), 'utf8'), text);
    };
    await work(bench.folder);
    const [created] = next.usable();
    if (created) {
      await work(created.path);
      await next.discard(created.id);
    }
    const isClean = JSON.stringify(bench.left()) === JSON.stringify(NOTHING_LEFT);
    await next.cleanUp(() => true);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    next.dispose();
    return created ? 'after' : isClean ? 'before' : 'told';
  },
};

const TAKE: KillRow = {
  told: 'The next window offers *Undo*, which asks first: what you change after the kill is undone, too.',
  prepare: prepareWorktree,
  run: async (base, start) => {
    const bench = WorktreeBench.of(base);
    const worktrees = await bench.window();
    const record = worktrees.get(await idOf(base));
    assert.ok(record);
    await start();
    assert.deepEqual(await takeAll({ program: 'git', bench, worktrees }, record), []);
    worktrees.dispose();
  },
  check: async (base) => {
    const bench = WorktreeBench.of(base);
    const content = (name: string): Promise<string | undefined> =>
      readFile(join(bench.folder, name), 'utf8').catch(() => undefined);
    let [old, fresh] = [0, 0];
    for (const name of new Set([...Object.keys(OLD), ...Object.keys(NEW)])) {
      const [now, before, after] = [await content(name), OLD[name], NEW[name]];
      assert.ok(now === before || now === after, `${name} is ${now}`);
      if (now === before) old++;
      else fresh++;
    }
    const { checkpoints } = await openReview('git', bench);
    const [interrupted] = await checkpoints.endInterrupted();
    if (fresh === 0) return 'before';
    if (!interrupted) {
      assert.equal(old, 0, 'a part was taken, and nothing is said');
      return 'after';
    }
    const { sessionId, undoId } = interrupted;
    const preview = await checkpoints.previewUndo(sessionId, undoId);
    const seen = preview.type === 'ready' ? preview.changes : [];
    assert.deepEqual((await checkpoints.undoRestore(sessionId, undoId, seen)).problems, []);
    assert.deepEqual([await content('a.txt'), await content('gone.txt')], Object.values(OLD));
    return 'told';
  },
};

const DISCARD: KillRow = {
  told: 'The worktree is gone from the list; the next window removes the rest.',
  prepare: prepareWorktree,
  run: async (base, start) => {
    const worktrees = await WorktreeBench.of(base).window();
    const id = await idOf(base);
    await start();
    await worktrees.discard(id);
    worktrees.dispose();
  },
  check: async (base): Promise<KillOutcome> => {
    const bench = WorktreeBench.of(base);
    const next = await bench.window();
    const record = next.get(await idOf(base));
    const isUsable = next.usable().some(({ id }) => id === record?.id);
    if (record && isUsable) {
      for (const [name, text] of Object.entries(NEW))
        assert.equal(await readFile(join(record.path, name), 'utf8'), text);
      await next.discard(record.id);
    }
    const isClean = JSON.stringify(bench.left()) === JSON.stringify(NOTHING_LEFT);
    await next.cleanUp(() => true);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    next.dispose();
    return isUsable ? 'before' : isClean ? 'after' : 'told';
  },
};

function fail(error: unknown): void {
  throw error;
}

export const STORE_KILLS: Readonly<Record<string, KillRow>> = {
  'a transcript': TRANSCRIPT,
  'an import': IMPORT,
  'an installation': INSTALL,
  'the same installation again': REINSTALL,
  'New Chat in Worktree': CREATE,
  'Take All': TAKE,
  'Discard Worktree': DISCARD,
  'a new file of an agent': NEW_FILE,
};
