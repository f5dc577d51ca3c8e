import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '../../../src/shared/actions';
import { HistoryWriter, listTranscripts, readTranscript } from '../../../src/session/history';

describe('the transcript on disk', () => {
  let folder = '';
  const failures: unknown[] = [];
  const writer = (id = 'one'): HistoryWriter => new HistoryWriter(folder, id, (error) => failures.push(error));
  const said = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: 1 });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-history-'));
    failures.length = 0;
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  it('gives back what was appended, text merged, diffs in place', async () => {
    const history = writer();
    for (const text of ['a', 'b', 'c']) history.append(said(text));
    history.appendDiff('d1', { path: '/f', oldText: 'x', newText: 'y' });
    history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await history.close();
    const transcript = await readTranscript(folder, 'one');
    assert.deepEqual(transcript?.actions, [said('abc'), { type: 'turnEnded', stopReason: 'end_turn', at: 2 }]);
    assert.deepEqual(transcript?.diffs.get('d1'), { path: '/f', oldText: 'x', newText: 'y' });
  });

  it('leaves no file behind when nothing was appended', async () => {
    await writer().close();
    assert.deepEqual(await listTranscripts(folder), []);
  });

  it('is read without the line that a crash cut off, and goes on after it', async () => {
    const history = writer();
    history.append(said('first'));
    history.append({ type: 'turnEnded', stopReason: 'end_turn', at: 2 });
    await history.close();
    const file = join(folder, 'one.jsonl');
    await truncate(file, (await readFile(file)).length - 5);
    const again = writer();
    again.append(said('after the crash'));
    await again.close();
    const transcript = await readTranscript(folder, 'one');
    assert.deepEqual(transcript?.actions, [said('first'), said('after the crash')]);
    assert.equal(transcript?.damaged, 1);
  });

  it('is not written to any more once it is closed: a deleted session must not come back', async () => {
    const history = writer();
    history.append(said('first'));
    await history.close();
    await rm(join(folder, 'one.jsonl'));
    history.append({ type: 'terminalExited', terminalId: 't', code: 0, at: 2 });
    history.appendDiff('d', { path: '/a', oldText: '', newText: 'x' });
    await history.flush();
    assert.deepEqual(await listTranscripts(folder), []);
  });

  it('keeps a multi-byte character whole', async () => {
    const history = writer();
    history.append(said('日本🙂'));
    await history.close();
    assert.deepEqual((await readTranscript(folder, 'one'))?.actions, [said('日本🙂')]);
  });

  it('of another version, or a file that is none, is left alone', async () => {
    await writeFile(join(folder, 'two.jsonl'), '{"parley":99}\n{"action":{"type":"x"}}\n');
    await appendFile(join(folder, 'three.jsonl'), 'hello\n');
    assert.equal(await readTranscript(folder, 'two'), undefined);
    assert.equal(await readTranscript(folder, 'three'), undefined);
    assert.equal(await readTranscript(folder, 'missing'), undefined);
  });

  it('tells of a disk that takes no more, and loses nothing when it does again', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const history = new HistoryWriter(blocked, 'one', (error) => failures.push(error));
    history.append(said('first'));
    await history.flush();
    assert.equal(failures.length, 1);
    await rm(blocked);
    history.append(said('kept'));
    await history.close();
    assert.deepEqual((await readTranscript(blocked, 'one'))?.actions, [said('first'), said('kept')]);
  });
});
