import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../src/base/logger';
import type { SessionStore } from '../../../src/history/sessionStore';
import type { SessionSummary } from '../../../src/history/sessionSummary';
import type { TranscriptContent } from '../../../src/history/transcriptFile';
import { onDidLoseData } from '../../../src/node/fs/storedFile';
import { WorkspaceStateFile } from '../../../src/node/fs/workspaceStateFile';
import { initialSession, readLastViewed } from '../../../src/session/lastViewedSession';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';

describe('node/fs/workspaceStateFile', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'state', 'state.json');
  });

  it('is on disk immediately, and is read in the next window', async () => {
    const state = await WorkspaceStateFile.open(file, nullLogger);
    assert.equal(state.get('a'), undefined);
    await Promise.all([state.update('a', 1), state.update('a', 2), state.update('b', { c: [3] })]);
    const again = await WorkspaceStateFile.open(file, nullLogger);
    assert.deepEqual([again.get('a'), again.get('b')], [2, { c: [3] }]);
  });

  it('starts empty if the file is damaged, and reports it', async () => {
    const losses: string[] = [];
    const subscription = onDidLoseData((loss) => losses.push(loss.file));
    const log = nullLogger;
    const first = await WorkspaceStateFile.open(file, log);
    await first.update('a', 1);
    await writeFile(file, '{"a":');
    const again = await WorkspaceStateFile.open(file, log);
    assert.equal(again.get('a'), undefined);
    subscription.dispose();
    assert.deepEqual(losses, [file]);
    await again.update('b', 2);
    assert.equal(await readFile(file, 'utf8'), '{"b":2}');
  });

  it('does not throw if it cannot be written', async () => {
    const warnings: string[] = [];
    const log = { ...nullLogger, warn: (_tag: string, message: string) => void warnings.push(message) };
    await writeFile(join(folder, 'state'), 'a file stands where the folder belongs');
    const state = await WorkspaceStateFile.open(file, log);
    await state.update('a', 1);
    assert.equal(state.get('a'), 1);
    assert.match(warnings[0] ?? '', /Failed to write/);
  });
});

describe('session/lastViewedSession', () => {
  const summaries = ['newest', 'shown', 'aside'].map((id): SessionSummary => {
    return { id, title: '', renamed: false, updatedAt: 0, archived: id === 'aside' };
  });
  const shown: TranscriptContent = { id: 'shown', actions: [], diffs: new Map(), damaged: 0 };
  const shelf = stubOf<SessionStore>({
    list: () => summaries,
    get: (id: string) => summaries.find((one) => one.id === id),
    readToOpen: async (id: string) => {
      if (id === 'newest') throw new Error('of a newer version');
      return { ...shown, id };
    },
  });
  const first = (last: ReturnType<typeof readLastViewed>, taken: readonly string[] = []) =>
    initialSession(shelf, last, (id) => !taken.includes(id));

  it('opens the session that the view showed, also an empty chat', async () => {
    assert.deepEqual(await first({ id: 'shown', blank: false }), shown);
    assert.equal(await first({ id: 'empty', blank: true }), 'empty');
  });

  it('opens no session that another window owns, or that cannot be read', async () => {
    assert.equal(await first({ id: 'shown', blank: false }, ['shown']), undefined);
    assert.equal(await first({ id: 'empty', blank: true }, ['empty', 'newest']), undefined);
    assert.equal(await first(undefined), undefined);
  });

  it('does not treat a chat as empty after another window has written to it', async () => {
    assert.deepEqual(await first({ id: 'shown', blank: true }), shown);
  });

  it('accepts only valid stored values', () => {
    assert.deepEqual(readLastViewed({ id: 'x', blank: 1, preset: 7 }), { id: 'x', blank: false });
    const blank = { id: 'x', blank: true, preset: 'Deep' };
    assert.deepEqual(readLastViewed(blank), blank);
    for (const wrong of [undefined, 'x', {}, { id: 7 }]) assert.equal(readLastViewed(wrong), undefined);
  });
});
