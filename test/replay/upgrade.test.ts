import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTranscript } from '../../src/history/transcriptFile';
import { BlobStore } from '../../src/review/checkpoints/blobStore';
import { applyUserEdit, undoAll } from '../../src/review/tracking/fileAttribution';
import { readModifiedFiles } from '../../src/review/tracking/modifiedFilesStorage';
import { reduce } from '../../src/shared/state/sessionReducer';
import { emptySession } from '../../src/shared/state/sessionState';
import { render } from './render';

/** What the first 0.1.0 (commit 20e5eae) wrote: the transcripts of recorded traffic, and a review. */
const stored = join(process.cwd(), 'test/replay/stored');
const golden = join(process.cwd(), 'test/replay/golden');

describe('files of the first version', () => {
  it('gives the transcripts that it showed, line by line', async () => {
    const names = (await readdir(stored)).filter((file) => file.endsWith('.jsonl')).map((file) => file.slice(0, -6));
    assert.equal(names.length, 4);
    for (const name of names) {
      const transcript = await readTranscript(stored, name);
      assert.equal(transcript?.damaged, 0, name);
      const state = transcript.actions.reduce(reduce, emptySession(name));
      assert.equal(render(state).trim(), (await readFile(join(golden, `${name}.txt`), 'utf8')).trim(), name);
    }
  });

  it('goes on with the review: undo brings back what was there, with what the user typed', async () => {
    const kept = await readModifiedFiles(
      await readFile(join(stored, 'review.json'), 'utf8'),
      new BlobStore(join(stored, 'blobs')),
    );
    assert.deepEqual(kept?.lost, []);
    const item = (path: string): NonNullable<ReturnType<typeof kept.items.get>>['tracked'] => {
      const found = kept.items.get(path);
      assert.ok(found, path);
      return found.tracked;
    };
    const edited = applyUserEdit(item('/w/a'), { mode: '100644', bytes: 'mine\none\nagent\nthree\nmore\n' });
    assert.equal(undoAll(edited).tracked.text?.bytes, 'mine\none\ntwo\nthree\nmore\n');
    assert.equal(undoAll(item('/w/b')).tracked.text?.bytes, 'gone\n');
  });

  it('is refused in words where a newer version wrote the transcript, which stays as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-newer-'));
    try {
      const file = join(folder, 'claude-edit.jsonl');
      await copyFile(join(stored, 'claude-edit.jsonl'), file);
      const text = (await readFile(file, 'utf8')).replace('{"parley":1,', '{"parley":2,');
      await writeFile(file, text);
      await assert.rejects(readTranscript(folder, 'claude-edit'), /saved by a newer version of Parley \(format 2\)/);
      assert.equal(await readFile(file, 'utf8'), text);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
