import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger';
import type { ReviewService } from '../../src/review/reviewService';
import { WindowReview } from '../../src/review/windowReview';
import type { Sessions } from '../../src/session/sessions';
import { entryAt } from '../../src/shared/state/entryPages';
import { settingsOf } from '../kit/settingsOf';
import { stubOf } from '../kit/stubOf';
import { FakeSession } from '../unit/ui/fakes';
import { makeInside, makeOutside, remove, workspaceFolder } from './clientHelp';

/** A session of a closed window; the test simulates its turns. */
class PlayedSession extends FakeSession {
  override readonly folders = [workspaceFolder()];

  constructor() {
    super('played');
  }
}

/** The review of a window, over storage that another window has written. */
describe('review across windows', () => {
  let storage: string;
  let folder: string;
  const mounted: WindowReview[] = [];

  beforeEach(async () => {
    storage = await makeOutside('review-storage');
    folder = await makeInside('windows');
  });

  afterEach(async () => {
    for (const engine of mounted.splice(0)) engine.dispose();
    await Promise.all([remove(storage), remove(folder)]);
  });

  async function window(session: PlayedSession): Promise<WindowReview> {
    const nothing = { dispose: () => undefined };
    const sessions = stubOf<Sessions>({
      allOpen: () => [session],
      getOpen: () => session,
      onDidChange: () => nothing,
      onDidChangeActive: () => nothing,
      onDidClose: () => nothing,
      flush: async () => undefined,
    });
    const settings = settingsOf({
      'checkpoints.enabled': true,
      'checkpoints.maxAgeDays': 30,
      'checkpoints.maxSizeMB': 1024,
    });
    const worktrees = { folders: () => [], around: () => undefined, onDidChange: () => nothing };
    const place = { folder: storage, isShared: false };
    const engine = new WindowReview(sessions, worktrees, settings, nullLogger, place, join(storage, 'work'));
    await engine.load();
    mounted.push(engine);
    return engine;
  }

  async function turn(engine: ReviewService, session: PlayedSession, work: () => Promise<void>): Promise<number> {
    const entry = session.state.entries.count;
    session.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    await engine.beforePrompt(session, entry);
    await work();
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await engine.flush();
    return entry;
  }

  it('continues with its checkpoints after a reload', async () => {
    const file = join(folder, 'a.txt');
    const bytes = (engine: ReviewService): string => String(Buffer.from(engine.review.baseBytes(file) ?? []));
    await writeFile(file, '1\n2\n3\n');
    const session = new PlayedSession();
    const first = await window(session);
    const entry = await turn(first, session, () => writeFile(file, '1\nagent\n3\n'));
    const [before] = first.review.files();
    first.dispose();

    const again = new PlayedSession();
    const second = await window(again);
    assert.deepEqual(second.review.files(), [before]);
    assert.equal(bytes(second), '1\n2\n3\n');
    const preview = await second.checkpoints.preview('played', entry);
    assert.equal(preview.type === 'ready' && preview.changes[0]?.path, file);
    assert.deepEqual((await second.review.undoFile(file)).problems, []);
    assert.equal(await readFile(file, 'utf8'), '1\n2\n3\n');
    await writeFile(file, 'later\n');
    const restored = await second.checkpoints.restore('played', entry);
    assert.deepEqual(restored.problems, []);
    assert.equal(await readFile(file, 'utf8'), '1\n2\n3\n');
    assert.ok((await second.checkpoints.size()).bytes > 0);
  });

  it('reports that git is missing, and restores files that the agent named', async () => {
    const git = vscode.workspace.getConfiguration('git');
    await git.update('path', join(storage, 'no-git'), vscode.ConfigurationTarget.Global);
    try {
      const file = join(folder, 'named.txt');
      await writeFile(file, 'before\n');
      const session = new PlayedSession();
      const engine = await window(session);
      const entry = await turn(engine, session, () =>
        engine.edit('played', file, async () => {
          await writeFile(file, 'agent\n');
        }),
      );
      const notice = entryAt(session.state.entries, entry + 1);
      assert.match(notice?.kind === 'notice' ? (notice.text ?? '') : '', /^Git was not found/);
      assert.equal(engine.review.file(file)?.status, 'changed');
      const restored = await engine.checkpoints.restore('played', entry);
      assert.deepEqual(restored.problems, []);
      assert.equal(await readFile(file, 'utf8'), 'before\n');
    } finally {
      await git.update('path', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
