import assert from 'node:assert/strict';
import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import { SessionStore } from '../../src/history/sessionStore';
import { readTranscript } from '../../src/history/transcriptFile';
import { WorkspaceStateFile } from '../../src/node/fs/workspaceStateFile';
import { RememberedRules } from '../../src/permissions/rememberedRules';
import type { Checkpoint } from '../../src/review/checkpoints/checkpoint';
import { CheckpointStore } from '../../src/review/checkpoints/checkpointStore';
import { BlobStore } from '../../src/review/storage/blobStore';
import { applyUserEdit } from '../../src/review/tracking/fileAttribution';
import { undoAll } from '../../src/review/tracking/hunks';
import { isNewerReview, readContentRef, readModifiedFiles } from '../../src/review/tracking/storedReview';
import { reduce } from '../../src/shared/state/sessionReducer';
import { emptySession } from '../../src/shared/state/sessionState';
import { DraftStore } from '../../src/ui/chat/draftStore';
import { temporaryFolder } from '../kit/temporaryFolder';
import { render } from './render';

/**
 * Files written by the first 0.1.0 (commit 20e5eae): transcripts of recorded traffic, a summary, a review, checkpoints, and the
 * state of a workspace with a draft and rules.
 */
const stored = join(process.cwd(), 'test/replay/stored');
const golden = join(process.cwd(), 'test/replay/golden');
const WRITTEN_AT = 1_700_000_000_000;

async function inCopy(job: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  try {
    await cp(stored, folder, { recursive: true });
    await job(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('files of the first version', () => {
  it('produce the transcripts that the first version showed, line by line', async () => {
    const names = (await readdir(stored)).filter((file) => file.endsWith('.jsonl')).map((file) => file.slice(0, -6));
    assert.equal(names.length, 4);
    for (const name of names) {
      const transcript = await readTranscript(stored, name);
      assert.equal(transcript?.damaged, 0, name);
      const state = transcript.actions.reduce(reduce, emptySession(name));
      assert.equal(render(state).trim(), (await readFile(join(golden, `${name}.txt`), 'utf8')).trim(), name);
    }
  });

  it('restore the review: undo works, and keeps text that the user typed', async () => {
    const kept = await readModifiedFiles(
      await readFile(join(stored, 'review.json'), 'utf8'),
      new BlobStore(join(stored, 'blobs')),
    );
    assert.deepEqual(kept?.lost, []);
    const item = (path: string): NonNullable<ReturnType<typeof kept.items.get>>['attribution'] => {
      const found = kept.items.get(path);
      assert.ok(found, path);
      return found.attribution;
    };
    const edited = applyUserEdit(item('/w/a'), { mode: '100644', bytes: 'mine\none\nagent\nthree\nmore\n' });
    assert.equal(undoAll(edited).attribution.text?.bytes, 'mine\none\ntwo\nthree\nmore\n');
    assert.equal(undoAll(item('/w/b')).attribution.text?.bytes, 'gone\n');
  });

  it('list a session with its title and agent, archived and unread as before', async () => {
    await inCopy(async (folder) => {
      const store = await SessionStore.open(folder, nullLogger);
      assert.deepEqual(store.get('claude-edit'), {
        id: 'claude-edit',
        title: 'Renamed by me',
        renamed: true,
        agent: { name: 'claude', title: 'Claude' },
        agentSession: { id: 'abc', cwd: '/w', canFork: true },
        updatedAt: WRITTEN_AT,
        archived: true,
        unread: true,
      });
      await store.flush();
    });
  });

  it('keep the draft and rules of a workspace, and unknown fields', async () => {
    await inCopy(async (folder) => {
      const file = join(folder, 'state.json');
      const values = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
      await writeFile(file, JSON.stringify({ ...values, 'parley.ofAnotherVersion': 1 }));
      const state = await WorkspaceStateFile.open(file, nullLogger);
      const drafts = new DraftStore(state);
      assert.deepEqual(drafts.get('claude-edit'), {
        text: 'What I was writing',
        at: WRITTEN_AT,
        attached: [{ kind: 'file', uri: 'file:///w/a', label: 'a' }],
      });
      const everywhere = { get: () => undefined, update: async () => undefined };
      const rules = new RememberedRules({ workspace: state, everywhere, now: () => 0 });
      const kept = rules.list().map(({ rule, scope, at }) => ({ rule, scope, at }));
      assert.deepEqual(kept, [
        { rule: { decision: 'allow', command: 'npm test' }, scope: 'workspace', at: WRITTEN_AT },
        { rule: { decision: 'deny', tool: 'editor__*' }, scope: 'workspace', at: WRITTEN_AT },
      ]);
      drafts.set('claude-edit', { text: 'Now', at: WRITTEN_AT + 1 }, undefined);
      await state.flush();
      assert.match(await readFile(file, 'utf8'), /"Now".*"parley.ofAnotherVersion":1/);
    });
  });

  it('restore checkpoints with their copies and their review', async () => {
    await inCopy(async (folder) => {
      const store = new CheckpointStore(join(folder, 'checkpoints.json'));
      await store.load();
      const blobs = new BlobStore(join(folder, 'blobs'));
      assert.deepEqual(
        store.all().map(({ id, sessionId, entry, leftOut }) => ({ id, sessionId, entry, leftOut })),
        [
          { id: 'c0', sessionId: 'claude-edit', entry: 0, leftOut: 1 },
          { id: 'c1', sessionId: 'claude-edit', entry: undefined, leftOut: 0 },
        ],
      );
      const [first, second] = store.all();
      assert.deepEqual(first?.roots, [{ folder: '/w', tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' }]);
      assert.equal(first.copies['/w/new'], null);
      const copy = await readContentRef(first.copies['/w/a'], blobs);
      assert.equal(copy?.content?.bytes, 'mine\none\ntwo\nthree\n');
      assert.ok(await readContentRef(second?.unsaved['/w/b'], blobs));
      const review = (await blobs.get(first.ledger))?.toString() ?? '';
      assert.deepEqual((await readModifiedFiles(review, blobs))?.lost, []);
    });
  });

  it('detect and keep checkpoints and a review of a newer version', async () => {
    await inCopy(async (folder) => {
      const file = join(folder, 'checkpoints.json');
      const text = (await readFile(file, 'utf8')).replace(/"parley": ?1/, '"parley":2');
      await writeFile(file, text);
      const store = new CheckpointStore(file);
      await store.load();
      assert.equal(store.isNewer, true);
      const [old] = JSON.parse(text).checkpoints as Checkpoint[];
      assert.ok(old);
      await store.add(old);
      assert.equal(await readFile(file, 'utf8'), text);
      const review = (await readFile(join(folder, 'review.json'), 'utf8')).replace(/"parley": ?1/, '"parley":2');
      assert.equal(isNewerReview(review), true);
    });
  });

  it('explain that a transcript of a newer version cannot be read, and do not change it', async () => {
    await inCopy(async (folder) => {
      const file = join(folder, 'claude-edit.jsonl');
      const text = (await readFile(file, 'utf8')).replace('{"parley":1,', '{"parley":2,');
      await writeFile(file, text);
      await assert.rejects(readTranscript(folder, 'claude-edit'), /saved by a newer version of Parley \(format 2\)/);
      assert.equal(await readFile(file, 'utf8'), text);
    });
  });
});
