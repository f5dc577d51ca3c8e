// Imported first: later imports get this stub of `vscode`.
import { moments, open, OpenBuffer } from './bufferStub';
import assert from 'node:assert/strict';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { FileSystemFeature } from '../../../../src/client/fs/fileSystemFeature';
import { readContent, unknownBecause, writeContent } from '../../../../src/review/storage/fileContent';
import { TrackedReview } from '../../../../src/review/trackedReview';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { encode } from '../../../../src/review/tracking/userSaves';
import type { WorkingFiles } from '../../../../src/review/tracking/workingFiles';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import { stubOf, standIn } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { byAgent } from '../../review/otherWork';

describe('what the user types while an agent writes a file', () => {
  let folder: string;
  let path: string;
  let document: OpenBuffer;
  let feature: FileSystemFeature;
  let modifiedFiles: ModifiedFiles;
  let review: TrackedReview;

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'a.txt');
    writeFileSync(path, '1\n2\n3\n4\n5\n');
    document = new OpenBuffer(path);
    open.push(document);
    modifiedFiles = new ModifiedFiles((name) => name);
    const files: WorkingFiles = {
      readUnsaved: async () => (document.isDirty ? encode(standIn(document)) : undefined),
      saved: async () => undefined,
      disk: readContent,
      unknownBecause,
      write: async (name, next) => {
        await writeContent(name, next);
        document.replace(0, document.getText().length, next?.bytes ?? '');
        document.isDirty = false;
      },
      writeUnsaved: () => Promise.reject(new Error('not used')),
      unsavedPaths: () => [],
    };
    const baseline = { lookUp: async () => new Map(), changedPaths: async () => [] };
    const tracker = new ChangeTracker(modifiedFiles, files, baseline, byAgent(), nullLogger);
    review = new TrackedReview(modifiedFiles, tracker, files);
    const session = stubOf<SessionHandle>({
      id: 's',
      folders: [folder],
      userRequests: { authorize: async () => ({ allowed: true, reason: 'a test', by: 'builtIn' }) },
      dispatch: () => undefined,
    });
    feature = new FileSystemFeature({ find: () => session }, nullLogger, {
      edit: (id, name, write) =>
        tracker.runAgentEdit(id, name, (note) =>
          write((by, buffer, text) => note(name, { by, content: encode(buffer, text) })),
        ),
    });
  });

  afterEach(() => {
    for (const moment of Object.keys(moments)) delete moments[moment as keyof typeof moments];
    feature.dispose();
    review.dispose();
    modifiedFiles.dispose();
    open.length = 0;
  });

  async function request(method: string, params: object): Promise<unknown> {
    const handler = feature.handlers?.find((each) => each.method === method);
    const parsed = handler?.parse({ sessionId: 's', path, ...params });
    return handler?.handle(parsed, { signal: new AbortController().signal });
  }

  const write = (content: string): Promise<unknown> => request('fs/write_text_file', { content });
  const onDisk = (): string => readFileSync(path, 'utf8');
  const types = (): void => document.type('mine\n');

  for (const read of [false, true]) {
    describe(read ? 'that it has read' : 'that it has not read', () => {
      beforeEach(async () => {
        if (read) await request('fs/read_text_file', {});
      });

      for (const moment of ['beforeApply', 'afterApply'] as const) {
        it(`is saved with the edit, and stays when that is undone (${moment})`, async () => {
          moments[moment] = types;
          await write('1\nagent\n3\n4\n5\n');
          assert.equal(onDisk(), '1\nagent\n3\n4\n5\nmine\n');
          await review.undoAll();
          assert.equal(onDisk(), '1\n2\n3\n4\n5\nmine\n');
        });

        it(`is merged with the next write (${moment})`, async () => {
          moments[moment] = types;
          await write('1\nagent\n3\n4\n5\n');
          await write('1\nagent again\n3\n4\n5\n');
          assert.equal(onDisk(), '1\nagent again\n3\n4\n5\nmine\n');
        });
      }

      it('stays when the edit is undone, also if it is typed during the save', async () => {
        moments.duringSave = types;
        await write('1\nagent\n3\n4\n5\n');
        assert.equal(onDisk(), '1\nagent\n3\n4\n5\nmine\n');
        await review.undoAll();
        assert.equal(onDisk(), '1\n2\n3\n4\n5\nmine\n');
      });
    });
  }

  it('is nothing if the agent writes half of a surrogate pair, which is saved as U+FFFD', async () => {
    await write('1\n\ud800agent\n3\n4\n5\n');
    assert.equal(onDisk(), '1\n\ufffdagent\n3\n4\n5\n');
    await review.undoAll();
    assert.equal(onDisk(), '1\n2\n3\n4\n5\n');
  });

  it('is not written over if it was saved before the edit was refused', async () => {
    moments.beforeApply = () => {
      types();
      void document.save();
    };
    await write('1\nagent\n3\n4\n5\n');
    assert.equal(onDisk(), '1\nagent\n3\n4\n5\nmine\n');
  });

  it('is nothing if VS Code read the time of the file before another program had written all of it', async () => {
    document.known = { mtimeMs: document.known.mtimeMs - 1, size: 0 };
    await write('1\nagent\n3\n4\n5\n');
    assert.equal(onDisk(), '1\nagent\n3\n4\n5\n');
    assert.equal(document.getText(), onDisk());
    assert(!document.isDirty);
  });

  it('is nothing if another program changes the file during the edit, which is then refused', async () => {
    moments.afterApply = () => {
      writeFileSync(path, 'by another program\n');
      const later = document.known.mtimeMs / 1000 + 1;
      utimesSync(path, later, later);
    };
    await assert.rejects(write('1\nagent\n3\n4\n5\n'), /could not be saved/);
    assert.equal(onDisk(), 'by another program\n');
    assert.equal(document.getText(), onDisk());
  });

  it('stays when a later edit of the same lines is refused', async () => {
    moments.afterApply = () => document.replace(2, 3, 'mine');
    await write('1\nagent\n3\n4\n5\n');
    const mine = document.getText();
    assert.match(mine, /mine/);
    await assert.rejects(write('1\nagent again\n3\n4\n5\n'), /overlap/);
    assert.equal(document.getText(), mine);
  });
});
