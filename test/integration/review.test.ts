import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { ReviewResult, ReviewedFile } from '../../src/review/tracking/modifiedFiles';
import type { LiveSession } from '../../src/session/liveSession';
import { entryAt } from '../../src/shared/state/entryPages';
import { fakeAgent } from '../fakeAgent/definition';
import { runGit } from '../kit/runGit';
import { until } from '../kit/waiting';
import { makeInside, remove, workspaceFolder } from './clientHelp';

/** Review and checkpoints with the complete extension, an agent process that writes files directly, and VS Code's own buffers. */
describe('review in the extension host', () => {
  let api: TestApi;
  let folder: string;
  let session: LiveSession;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent();
    const agents = { Writer: { command, args, env } };
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    for (const item of api.catalog.items()) if (item.agent?.name === 'Writer') await api.catalog.remove(item.id);
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
  });

  beforeEach(async () => {
    folder = await makeInside('review');
    session = api.sessions.newChat();
    await session.chooseAgent('Writer');
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await api.reviewService.review.keepAll();
    await remove(folder);
    await api.reviewService.flush();
  });

  const path = (name: string): string => join(folder, name);
  const put = (name: string, text: string): Promise<void> => writeFile(path(name), text);
  const disk = (name: string): Promise<string> => readFile(path(name), 'utf8');
  const reviewed = (name: string): ReviewedFile | undefined => api.reviewService.review.file(path(name));
  const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');
  const escaped = (text: string): string => text.replaceAll('\n', '\\n');

  /** Titles of the notices in the chat. */
  const titles = (): string[] =>
    Array.from({ length: session.state.entries.count }, (_, at) => entryAt(session.state.entries, at)).flatMap(
      (entry) => (entry?.kind === 'notice' ? [entry.title] : []),
    );

  /** Sends a script and waits until the review has processed all its changes. */
  async function play(...script: string[]): Promise<void> {
    await session.send(script.join('\n'));
    await api.reviewService.flush();
  }

  async function open(name: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(path(name));
    await vscode.window.showTextDocument(document);
    return document;
  }

  async function type(document: vscode.TextDocument, line: number, text: string, until = line): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(line, 0, until, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  function allDone(result: ReviewResult): void {
    assert.deepEqual(result.problems, []);
  }

  it('finds files that the agent changed, created and deleted itself, and undoes them', async () => {
    await put('changed.txt', lines('a', 'b', 'c'));
    await put('gone.txt', 'bytes\r\nwithout end');
    await play(
      `disk ${path('changed.txt')} ${escaped(lines('a', 'B', 'c', 'd'))}`,
      `disk ${path('sub/new.txt')} new\\n`,
      `unlink ${path('gone.txt')}`,
    );
    const files = api.reviewService.review.files(session.id);
    assert.deepEqual(
      files.map(({ label, status, added, removed }) => [label.split('/').slice(1).join('/'), status, added, removed]),
      [
        ['changed.txt', 'changed', 2, 1],
        ['gone.txt', 'deleted', 0, 2],
        ['sub/new.txt', 'created', 1, 0],
      ],
    );
    await until(() => session.state.changes.length === 3, 'the page knows');
    allDone(await api.reviewService.review.undoAll(session.id));
    assert.equal(await disk('changed.txt'), lines('a', 'b', 'c'));
    assert.equal(await disk('gone.txt'), 'bytes\r\nwithout end');
    assert.equal(existsSync(path('sub/new.txt')), false);
    assert.deepEqual(api.reviewService.review.files(session.id), []);
    allDone(await api.reviewService.review.undoLast());
    assert.equal(await disk('changed.txt'), lines('a', 'B', 'c', 'd'));
    assert.equal(existsSync(path('gone.txt')), false);
    assert.equal(api.reviewService.review.files(session.id).length, 3);
  });

  it('shows changes while the agent still works', async () => {
    await put('a.txt', 'a\n');
    const turn = session.send([`disk ${path('a.txt')} b\\n`, `until-file ${path('go')}`].join('\n'));
    await until(() => reviewed('a.txt')?.hunks.length === 1, 'seen in the middle of the turn');
    await put('go', '');
    await turn;
    await api.reviewService.flush();
  });

  it('leaves the user what they create, rename, delete or save in VS Code while the agent writes', async () => {
    const notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 2 };
    await put('notes.ipynb', JSON.stringify(notebook));
    for (const name of ['old.txt', 'gone.txt', 'folder/a.txt']) {
      await mkdir(join(path(name), '..'), { recursive: true });
      await put(name, `${name}\n`);
    }
    // It writes all the time, so that each change could be its own.
    const busy = `until [ -e ${path('go')} ]; do echo busy >> ${path('log')}; done`;
    const turn = session.send([`run sh -c "${busy}"`, `disk ${path('agent.txt')} agent\\n`].join('\n'));
    await until(() => existsSync(path('log')), 'the agent writes');
    const [uri, edit] = [(name: string): vscode.Uri => vscode.Uri.file(path(name)), new vscode.WorkspaceEdit()];
    edit.createFile(uri('pasted.txt'), { contents: Buffer.from('pasted\n') });
    edit.renameFile(uri('old.txt'), uri('renamed.txt'));
    edit.deleteFile(uri('gone.txt'));
    edit.deleteFile(uri('folder'), { recursive: true });
    assert.ok(await vscode.workspace.applyEdit(edit));
    const opened = await vscode.workspace.openNotebookDocument(uri('notes.ipynb'));
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'typed', 'python');
    const cells = new vscode.WorkspaceEdit();
    cells.set(opened.uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
    assert.ok(await vscode.workspace.applyEdit(cells));
    assert.ok(await opened.save());
    await put('go', '');
    await turn;
    await api.reviewService.flush();
    const names = api.reviewService.review
      .files(session.id)
      .map(({ path: changed }) => changed.slice(folder.length + 1));
    assert.deepEqual(
      names.filter((name) => name !== 'go' && name !== 'log'),
      ['agent.txt'],
    );
    allDone(await api.reviewService.review.undoAll(session.id));
    assert.equal(await disk('pasted.txt'), 'pasted\n');
    assert.match(await disk('notes.ipynb'), /typed/);
  });

  it('undoes one of three hunks in the editor, which can redo it', async () => {
    await put('three.txt', lines('1', 'a', '2', 'b', '3', 'c', '4'));
    const document = await open('three.txt');
    await play(`write ${path('three.txt')} ${escaped(lines('1', 'A', '2', 'B', '3', 'C', '4'))}`);
    const hunks = reviewed('three.txt')?.hunks ?? [];
    assert.equal(hunks.length, 3);
    allDone(await api.reviewService.review.undoHunk(path('three.txt'), hunks[1]!.id));
    assert.equal(document.getText(), lines('1', 'A', '2', 'b', '3', 'C', '4'));
    assert.equal(document.isDirty, false);
    assert.equal(await disk('three.txt'), document.getText());
    assert.equal(reviewed('three.txt')?.hunks.length, 2);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), lines('1', 'A', '2', 'B', '3', 'C', '4'));
  });

  it('undoes in an open editor what the agent has just written on disk', async () => {
    await put('stale.txt', lines('1', 'a', '2'));
    const document = await open('stale.txt');
    await play(`disk ${path('stale.txt')} ${escaped(lines('1', 'A', '2'))}`);
    allDone(await api.reviewService.review.undoFile(path('stale.txt')));
    assert.equal(await disk('stale.txt'), lines('1', 'a', '2'));
    await until(() => document.getText() === lines('1', 'a', '2'), 'the editor shows it');
    assert.equal(document.isDirty, false);
  });

  it('keeps one hunk, and removes the file when all are kept', async () => {
    await put('keep.txt', lines('1', 'a', '2', 'b'));
    await play(`disk ${path('keep.txt')} ${escaped(lines('1', 'A', '2', 'B'))}`);
    const [first, second] = reviewed('keep.txt')?.hunks ?? [];
    allDone(await api.reviewService.review.keepHunk(path('keep.txt'), first!.id));
    assert.deepEqual(
      reviewed('keep.txt')?.hunks.map(({ id }) => id),
      [second!.id],
    );
    assert.equal(String(Buffer.from(api.reviewService.review.baseBytes(path('keep.txt'))!)), lines('1', 'A', '2', 'b'));
    allDone(await api.reviewService.review.keepFile(path('keep.txt')));
    assert.equal(reviewed('keep.txt'), undefined);
    assert.equal(await disk('keep.txt'), lines('1', 'A', '2', 'B'));
  });

  for (const [where, line, end] of [
    ['before', 0, 0],
    ['after', 5, 5],
  ] as const) {
    it(`does not include text that the user types ${where} a hunk during the turn`, async () => {
      await put('mine.txt', lines('1', '2', 'a', '3', '4'));
      const document = await open('mine.txt');
      const turn = session.send(
        [`write ${path('mine.txt')} ${escaped(lines('1', '2', 'A', '3', '4'))}`, `until-file ${path('go')}`].join('\n'),
      );
      await until(() => reviewed('mine.txt')?.hunks.length === 1, 'the hunk is there');
      await type(document, line, 'typed by me\n', end);
      await put('go', '');
      await turn;
      await api.reviewService.flush();
      const expected = document.getText().replace('A\n', 'a\n');
      assert.deepEqual(
        reviewed('mine.txt')?.hunks.map(({ after }) => after.lines),
        [1],
      );
      allDone(await api.reviewService.review.undoFile(path('mine.txt')));
      assert.equal(document.getText(), expected);
      assert.ok(document.getText().includes('typed by me\n'));
      assert.ok(document.isDirty, 'what is unsaved stays unsaved');
    });
  }

  it('shows a conflict if the user edits a hunk, which is not undone', async () => {
    await put('inside.txt', lines('1', 'a', 'b', 'c', '2'));
    const document = await open('inside.txt');
    await play(`write ${path('inside.txt')} ${escaped(lines('1', 'A', 'B', 'C', '2'))}`);
    await type(document, 2, 'B and mine\n', 3);
    await until(() => reviewed('inside.txt')?.conflict === 'edited', 'the conflict shows');
    const { problems } = await api.reviewService.review.undoFile(path('inside.txt'));
    assert.match(problems[0]?.message ?? '', /^You also changed these lines/);
    assert.equal(document.getText(), lines('1', 'A', 'B and mine', 'C', '2'));
  });

  it('does not include files that the user saves during the turn', async () => {
    await put('other.txt', lines('1', '2'));
    const document = await open('other.txt');
    const turn = session.send([`disk ${path('new.txt')} x\\n`, `until-file ${path('go')}`].join('\n'));
    await until(() => reviewed('new.txt') !== undefined, 'the turn runs');
    await type(document, 0, 'mine\n');
    await document.save();
    await put('go', '');
    await turn;
    await api.reviewService.flush();
    assert.equal(reviewed('other.txt'), undefined);
  });

  it('reports an edit on disk under unsaved text, and overwrites neither', async () => {
    await put('both.txt', lines('1', '2', '3'));
    const document = await open('both.txt');
    await type(document, 0, 'unsaved\n');
    await play(`disk ${path('both.txt')} ${escaped(lines('1', '2', 'agent'))}`);
    assert.equal(reviewed('both.txt')?.conflict, 'unsaved');
    const { problems } = await api.reviewService.review.undoFile(path('both.txt'));
    assert.match(problems[0]?.message ?? '', /unsaved changes/);
    assert.equal(document.getText(), lines('unsaved', '1', '2', '3'));
    assert.equal(await disk('both.txt'), lines('1', '2', 'agent'));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until(() => reviewed('both.txt')?.conflict === undefined, 'no conflict is left');
    allDone(await api.reviewService.review.undoFile(path('both.txt')));
    assert.equal(await disk('both.txt'), lines('1', '2', '3'));
  });

  it('keeps changes that the user commits', async () => {
    const git = (...args: string[]): void => {
      runGit(workspaceFolder(), ...args);
    };
    await put('commit.txt', 'a\n');
    await play(`disk ${path('commit.txt')} b\\n`, `disk ${path('not.txt')} c\\n`);
    git('add', path('commit.txt'));
    git('commit', '-qm', 'x', '--', path('commit.txt'));
    await until(() => reviewed('commit.txt') === undefined, 'the commit keeps it');
    assert.ok(reviewed('not.txt'));
  });

  it('keeps changes that the user commits right before the next prompt', async () => {
    await put('commit.txt', 'a\n');
    await play(`disk ${path('commit.txt')} b\\n`);
    runGit(folder, 'add', path('commit.txt'));
    runGit(folder, 'commit', '-qm', 'x', '--', path('commit.txt'));
    await play(`disk ${path('next.txt')} c\\n`);
    assert.deepEqual([reviewed('commit.txt'), reviewed('next.txt')?.status], [undefined, 'created']);
  });

  it('does not keep changes that the agent commits', async () => {
    await put('own.txt', 'a\n');
    await play(
      `disk ${path('own.txt')} b\\n`,
      `terminal git -C ${folder} add own.txt`,
      `terminal git -C ${folder} commit -qm agent -- own.txt`,
    );
    assert.match(runGit(folder, 'log', '-1', '--format=%s'), /agent/);
    assert.equal(reviewed('own.txt')?.hunks.length, 1);
  });

  it('does not include what a merge in the turn brings, and names it apart', async () => {
    const git = (...args: string[]): void => {
      runGit(folder, ...args);
    };
    await put('theirs.txt', 'old\n');
    git('add', 'theirs.txt');
    git('commit', '-qm', 'old', '--', 'theirs.txt');
    git('checkout', '-qb', 'colleague');
    await put('theirs.txt', 'new\n');
    git('commit', '-qm', 'new', '--', 'theirs.txt');
    git('checkout', '-q', '-');
    await play(`run git -C ${folder} merge -q --ff-only colleague`, `disk ${path('mine.txt')} mine\\n`);
    git('branch', '-qD', 'colleague');
    assert.deepEqual([reviewed('theirs.txt'), reviewed('mine.txt')?.status], [undefined, 'created']);
    assert.ok(titles().includes('Git: 1 file from colleague'));
    allDone(await api.reviewService.review.undoAll());
    assert.equal(await disk('theirs.txt'), 'new\n');
  });

  it('does not change the index and HEAD of the user', async () => {
    const git = join(workspaceFolder(), '.git');
    const state = async (): Promise<string[]> => {
      return Promise.all(['index', 'HEAD', 'config', 'logs/HEAD'].map((name) => readFile(join(git, name), 'latin1')));
    };
    await put('staged.txt', 'staged\n');
    runGit(workspaceFolder(), 'add', path('staged.txt'));
    const before = await state();
    await play(`disk ${path('staged.txt')} agent\\n`);
    allDone(await api.reviewService.review.undoAll(session.id));
    assert.deepEqual(await state(), before);
    runGit(workspaceFolder(), 'rm', '-q', '--cached', path('staged.txt'));
  });

  it('handles hundreds of changed files', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `many/${at}.txt`);
    await mkdir(path('many'));
    await Promise.all(names.map((name) => put(name, 'before\n')));
    await play(...names.map((name) => `disk ${path(name)} after\\n`));
    assert.equal(api.reviewService.review.files(session.id).length, names.length);
    allDone(await api.reviewService.review.undoAll(session.id));
    assert.equal(await disk('many/0.txt'), 'before\n');
    assert.equal(await disk('many/299.txt'), 'before\n');
    assert.equal(api.reviewService.review.files(session.id).length, 0);
  });

  it('undoes changes of an open file with one line of 1 MB', async () => {
    // Plain text: the language service of another file would be busy with it for the rest of the run.
    const words = (word: string): string => `${'const a=1;'.repeat(50_000)}${word}${'let b=2;'.repeat(60_000)}`;
    await put('line.txt', words('walnut'));
    await put('next.txt', words('hazel'));
    const document = await open('line.txt');
    await play(`run cp ${path('next.txt')} ${path('line.txt')}`);
    await until(() => document.getText().includes('hazel'), 'the editor shows the change');
    allDone(await api.reviewService.review.undoAll(session.id));
    assert.equal(await disk('line.txt'), words('walnut'));
    await until(() => !document.isDirty && document.getText() === words('walnut'), 'the editor shows the old text');
  });

  it('restores the files before a prompt, keeps unsaved text, and undoes the restore', async () => {
    await put('a.txt', 'one\n');
    await play(`disk ${path('a.txt')} two\\n`);
    const second = session.state.entries.count;
    await play(`disk ${path('a.txt')} three\\n`, `disk ${path('b.txt')} new\\n`);
    await put('person.txt', 'later, by the person\n');
    const document = await open('a.txt');
    await type(document, 0, 'unsaved\n');
    await until(() => session.state.checkpoints.length === 2, 'the page has both checkpoints');

    const preview = await api.reviewService.checkpoints.preview(session.id, second);
    assert.equal(preview.type, 'ready');
    assert.deepEqual(
      preview.type === 'ready' && preview.changes.map(({ path: at, status, isUnsaved }) => [at, status, isUnsaved]),
      [
        [path('a.txt'), 'changed', true],
        [path('b.txt'), 'deleted', false],
        [path('person.txt'), 'deleted', false],
      ],
    );
    const restored = await api.reviewService.checkpoints.restore(session.id, second);
    allDone(restored);
    assert.equal(await disk('a.txt'), 'two\n');
    assert.equal(document.getText(), 'two\n');
    assert.equal(existsSync(path('b.txt')), false);
    assert.equal(session.state.rewinds[0]?.from, second);
    assert.equal(reviewed('a.txt')?.hunks.length, 1, 'the first turn is still under review');
    assert.equal(reviewed('b.txt'), undefined);

    allDone(await api.reviewService.checkpoints.undoRestore(session.id, restored.undoId ?? ''));
    assert.equal(await disk('a.txt'), 'three\n');
    assert.equal(document.getText(), 'unsaved\nthree\n');
    assert.ok(document.isDirty);
    assert.equal(await disk('b.txt'), 'new\n');
    assert.equal(await disk('person.txt'), 'later, by the person\n');
    assert.deepEqual(session.state.rewinds, []);
  });

  it('includes without git files that the agent names or writes through Parley', async () => {
    const settings = vscode.workspace.getConfiguration('parley');
    await settings.update('checkpoints.enabled', false, vscode.ConfigurationTarget.Global);
    try {
      await put('named.txt', 'a\n');
      await put('written.txt', 'a\n');
      await put('silent.txt', 'a\n');
      const place = JSON.stringify({ locations: [{ path: path('named.txt') }] });
      const turn = play(
        'tool t1 edit Edit',
        `fields t1 ${place}`,
        `until-file ${path('copied.txt')}`,
        `disk ${path('named.txt')} b\\n`,
        `write ${path('written.txt')} b\\n`,
        `disk ${path('silent.txt')} b\\n`,
      );
      // The agent continues when the files it named have been copied.
      await until(
        () => api.reviewService.review.baseBytes(path('named.txt')) !== undefined,
        'the named file is copied',
      );
      await put('copied.txt', '');
      await turn;
      assert.equal(reviewed('named.txt')?.status, 'changed');
      assert.equal(reviewed('written.txt')?.status, 'changed');
      assert.equal(reviewed('silent.txt'), undefined);
      allDone(await api.reviewService.review.undoAll(session.id));
      assert.equal(await disk('named.txt'), 'a\n');
      assert.equal(await disk('written.txt'), 'a\n');
      await unlink(path('silent.txt'));
      await unlink(path('copied.txt'));
    } finally {
      await settings.update('checkpoints.enabled', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
