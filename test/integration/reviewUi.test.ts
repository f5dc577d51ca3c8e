import assert from 'node:assert/strict';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { SessionState } from '../../src/shared/state/sessionState';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes, eventually, untilEvent } from '../kit/waiting';
import { makeInside, remove } from './clientHelp';
import { replaceDialogs } from './replaceDialogs';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, line) => `line ${line + 1}`);
const BEFORE = numbered(30);
/** One line changed, one removed, two added. */
const AFTER = [
  ...BEFORE.slice(0, 2),
  'CHANGED',
  ...BEFORE.slice(3, 14),
  ...BEFORE.slice(15, 25),
  'NEW 1',
  'NEW 2',
].concat(BEFORE.slice(25));

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** The review UI: code lenses, commands, diffs, with the complete extension and an agent process. */
describe('review in the editor', () => {
  let api: TestApi;
  let folder: string;
  let session: LiveSession;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent();
    const agents = { Editor: { command, args, env } };
    await settings().update('agents', agents, vscode.ConfigurationTarget.Global);
    await settings().update('follow', false, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    for (const item of api.catalog.items()) if (item.agent?.name === 'Editor') await api.catalog.remove(item.id);
    await settings().update('agents', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('follow', undefined, vscode.ConfigurationTarget.Global);
  });

  beforeEach(async () => {
    await closeAll();
    await api.reviewService.review.keepAll();
    folder = await makeInside('reviewUi');
    await writeFile(at('a.txt'), text(BEFORE));
    session = api.sessions.newChat();
    await session.chooseAgent('Editor');
  });

  afterEach(async () => {
    await closeAll();
    await api.reviewService.review.keepAll();
    await remove(folder);
    await api.reviewService.flush();
  });

  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('parley');
  const at = (name: string): string => join(folder, name);
  const uri = (name: string): vscode.Uri => vscode.Uri.file(at(name));
  const disk = (name: string): Promise<string> => readFile(at(name), 'utf8');
  const run = (command: string, ...args: unknown[]): Thenable<unknown> =>
    vscode.commands.executeCommand(`parley.${command}`, ...args);
  const show = (name: string): Thenable<vscode.TextEditor> =>
    vscode.window.showTextDocument(uri(name), { preview: false });
  const write = (name: string, lines: readonly string[]): string =>
    `disk ${at(name)} ${text(lines).replaceAll('\n', '\\n')}`;

  async function play(...script: string[]): Promise<void> {
    await session.send(script.join('\n'));
    await api.reviewService.flush();
  }

  /** Waits until the page would show it. */
  const untilState = (holds: (state: SessionState) => boolean): Promise<void> =>
    untilEvent(session.onDidDispatch, () => holds(session.state));

  /** `line: title` of each code lens, in order, with its command. */
  async function lenses(name: string): Promise<{ at: string; lens: vscode.CodeLens }[]> {
    const command = 'vscode.executeCodeLensProvider';
    const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(command, uri(name));
    return all
      .filter(({ command }) => command && (command.command === '' || command.command.startsWith('parley.')))
      .map((lens) => ({ at: `${lens.range.start.line + 1}: ${lens.command?.title}`, lens }));
  }

  const titles = async (name: string): Promise<string[]> => (await lenses(name)).map(({ at: place }) => place);

  /** VS Code knows a document and its changes some time after the extension: waits for the lenses that a user then sees. */
  const titlesBecome = (name: string, wanted: readonly string[]): Promise<void> =>
    becomes(() => titles(name), [...wanted]);

  async function click(name: string, place: string): Promise<void> {
    const { command, arguments: args = [] } = await eventually(async () => {
      const all = await lenses(name);
      const found = all.find((each) => each.at === place)?.lens.command;
      assert.ok(found, `${place} in ${all.map((each) => each.at).join(', ')}`);
      return found;
    });
    await vscode.commands.executeCommand(command, ...(args as unknown[]));
  }

  const HUNKS = ['Keep', 'Undo', 'Comment'];
  const FILE = ['1: Keep File', '1: Undo File', '1: 3 changes by the agent'];
  const of = (...lines: number[]): string[] => lines.flatMap((line) => HUNKS.map((title) => `${line}: ${title}`));
  /** "1 of 3", and the removed line. */
  const PLACES = ['3: 1 of 3', '3: − line 3', '15: 2 of 3', '15: − line 15', '25: 3 of 3'];
  const sorted = (all: readonly string[]): string[] => all.toSorted();

  it('offers Keep and Undo at each change and for the file', async () => {
    await play(write('a.txt', AFTER));
    await show('a.txt');
    await becomes(async () => sorted(await titles('a.txt')), sorted([...FILE, ...of(3, 15, 25), ...PLACES]));
    await click('a.txt', '3: Undo');
    assert.equal(await disk('a.txt'), text([...BEFORE.slice(0, 3), ...AFTER.slice(3)]));
    await click('a.txt', '25: Keep');
    await titlesBecome('a.txt', [...of(15), '15: − line 15']);
    await run('undoFile', uri('a.txt'));
    assert.equal(await disk('a.txt'), text([...BEFORE.slice(0, 25), 'NEW 1', 'NEW 2', ...BEFORE.slice(25)]));
    await titlesBecome('a.txt', []);
    await untilState(({ changes }) => changes.length === 0);
  });

  it('offers Keep and Undo of many changes at the cursor, and in a hover at the others', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
    await writeFile(at('a.txt'), text(many));
    await play(
      write(
        'a.txt',
        many.map((line, index) => (index % 2 === 0 ? `changed ${index}` : line)),
      ),
    );
    const editor = await show('a.txt');
    const file = ['1: Keep File', '1: Undo File', '1: 30 changes by the agent'];
    const cursorAt = async (line: number, place: string): Promise<void> => {
      editor.selection = new vscode.Selection(line - 1, 0, line - 1, 0);
      const removed = `${line}: − line ${line}`;
      await becomes(
        async () => sorted(await titles('a.txt')),
        sorted([...file, ...of(line), `${line}: ${place}`, removed]),
      );
    };
    await cursorAt(3, '2 of 30');
    await cursorAt(15, '8 of 30');
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri('a.txt'),
      new vscode.Position(20, 0),
    );
    const shown = hovers
      .flatMap(({ contents }) => contents)
      .map((each) => (typeof each === 'string' ? each : each.value));
    const link = /\[Undo\]\(command:(parley\.undoHunk)\?(\S+) /.exec(shown.join());
    assert.match(shown.join(), /\[Keep\].* \| \[Undo\].* \| \[Comment\].* \| \[11 of 30\]/);
    await vscode.commands.executeCommand(
      link?.[1] ?? '',
      ...(JSON.parse(decodeURIComponent(link?.[2] ?? '')) as unknown[]),
    );
    assert.equal((await disk('a.txt')).split('\n')[20], 'line 21');
  });

  it('works at the cursor by command, and undoes its actions', async () => {
    await play(write('a.txt', AFTER));
    const editor = await show('a.txt');
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    await run('undoHunk');
    assert.equal(editor.document.lineAt(2).text, 'line 3');
    assert.equal(editor.document.isDirty, false);
    await run('undoLastReview');
    assert.equal(editor.document.lineAt(2).text, 'CHANGED');
    await run('keepHunk');
    assert.equal(api.reviewService.review.file(at('a.txt'))?.hunks.length, 2);
    await run('undoLastReview');
    assert.equal(api.reviewService.review.file(at('a.txt'))?.hunks.length, 3);
    // Without changes the command does nothing except show a message.
    editor.selection = new vscode.Selection(7, 0, 7, 0);
    await run('undoHunk');
    assert.equal(await disk('a.txt'), text(AFTER));
  });

  it('keeps what the user types while Undo saves the file', async () => {
    await play(write('a.txt', AFTER));
    const editor = await show('a.txt');
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    await undoHunkAnd(editor, () => vscode.commands.executeCommand('type', { text: 'typed' }));
    assert.match(editor.document.getText(), /typed/);
    assert.deepEqual([await disk('a.txt'), editor.document.isDirty], [editor.document.getText(), false]);
  });

  it('keeps what is inserted at the cursor without a key while Undo saves the file', async () => {
    await play(write('a.txt', AFTER));
    const editor = await show('a.txt');
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    const snippet = { snippet: 'inserted' };
    await undoHunkAnd(editor, () => vscode.commands.executeCommand('editor.action.insertSnippet', snippet));
    assert.match(editor.document.getText(), /inserted/);
    assert.deepEqual([await disk('a.txt'), editor.document.isDirty], [editor.document.getText(), false]);
  });

  it('restores the exact text although an arrow key is pressed while Undo saves and formats the file', async () => {
    await play(write('a.txt', BEFORE.with(2, 'changed')));
    const editor = await show('a.txt');
    editor.selection = new vscode.Selection(2, 0, 2, 0);
    await undoHunkAnd(editor, async () => {
      await vscode.commands.executeCommand('cursorRight');
      return [vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted ')];
    });
    assert.equal(await disk('a.txt'), text(BEFORE));
  });

  it('continues to the next change after Keep and Undo, and reports when all are reviewed', async () => {
    await writeFile(at('b.txt'), text(BEFORE));
    await writeFile(at('c.txt'), text(BEFORE));
    await play(
      write('a.txt', AFTER),
      write('b.txt', ['first', ...BEFORE]),
      write('c.txt', ['x', 'y', ...BEFORE.slice(3)]),
    );
    const editor = await show('a.txt');
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    // The focus may be elsewhere by now, for example in the palette.
    const restore = replaceDialogs({ showTextDocument: () => assert.fail('takes the focus') });
    await run('keepHunk');
    restore();
    assert.equal(cursor(), 'a.txt:15');
    await click('a.txt', '15: Undo');
    assert.equal(cursor(), 'a.txt:26');
    await click('a.txt', '26: Keep');
    assert.equal(cursor(), 'b.txt:1');
    await run('keepFile');
    assert.equal(cursor(), 'c.txt:1');
    await becomes(async () => (await titles('c.txt')).slice(-1), ['1: Comment']);
    const said: string[] = [];
    const restoreStatus = replaceDialogs({ setStatusBarMessage: (message: string) => void said.push(message) });
    try {
      await run('undoHunk');
    } finally {
      restoreStatus();
    }
    assert.deepEqual(said, ['$(pass) All changes reviewed']);
  });

  it('stays in a diff editor while it continues', async () => {
    await writeFile(at('b.txt'), text(BEFORE));
    await play(write('a.txt', AFTER), write('b.txt', ['first', ...BEFORE]));
    await run('openChange', uri('a.txt'));
    await diffOf('a.txt');
    await untilEvent(vscode.window.onDidChangeVisibleTextEditors, () => insideDiff('a.txt') !== undefined);
    const [first, second] = api.reviewService.review.file(at('a.txt'))?.hunks ?? [];
    await run('keepHunk', { path: at('a.txt'), hunkId: first?.id });
    assert.equal(insideDiff('a.txt')?.selection.active.line, second?.after.start);
    await run('keepFile', uri('a.txt'));
    await diffOf('b.txt');
  });

  it('keeps comments at their lines while the agent edits', async () => {
    const editor = await show('a.txt');
    editor.selection = new vscode.Selection(4, 0, 4, 0);
    const restore = replaceDialogs({ showInputBox: async () => 'Why?' });
    await run('commentToAgent');
    restore();
    await titlesBecome('a.txt', ['5: Send 1 comment']);
    const reloaded = untilEvent(vscode.workspace.onDidChangeTextDocument, () => editor.document.lineCount === 33);
    await play(write('a.txt', ['new', 'lines', ...BEFORE]));
    await reloaded;
    const isShown = async (): Promise<boolean> => (await titles('a.txt')).includes('7: Send 1 comment');
    await becomes(isShown, true);
    await run('sendComments');
    await becomes(isShown, false);
  });

  it('goes through all changes of all files, and wraps around', async () => {
    await writeFile(at('b.txt'), text(BEFORE));
    await play(write('a.txt', AFTER), write('b.txt', ['first', ...BEFORE]));
    const seen: string[] = [];
    for (let step = 0; step < 5; step++) {
      await run('nextChange');
      seen.push(cursor());
    }
    assert.deepEqual(seen, ['a.txt:3', 'a.txt:15', 'a.txt:25', 'b.txt:1', 'a.txt:3']);
    await run('previousChange');
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, at('b.txt'));
  });

  it('shows a diff of a file, updates it after Keep, and shows a deleted file too', async () => {
    await writeFile(at('gone.txt'), 'was here\n');
    await play(write('a.txt', AFTER), `unlink ${at('gone.txt')}`);
    await run('openChange', uri('a.txt'));
    const base = await diffOf('a.txt');
    assert.equal((await vscode.workspace.openTextDocument(base)).getText(), text(BEFORE));
    const renewed = untilEvent(vscode.workspace.onDidChangeTextDocument, () =>
      vscode.workspace.textDocuments.some(
        ({ uri: { scheme }, lineCount }) => scheme === base.scheme && lineCount === 33,
      ),
    );
    const [, , last] = api.reviewService.review.file(at('a.txt'))?.hunks ?? [];
    await api.reviewService.review.keepHunk(at('a.txt'), last?.id ?? '');
    await renewed;
    await run('openChange', { path: at('gone.txt') });
    assert.equal((await vscode.workspace.openTextDocument(await diffOf('gone.txt'))).getText(), 'was here\n');
  });

  it('shows the diff of a notebook as text, which runs no scripts of its outputs', async () => {
    const cells = (source: string): string =>
      JSON.stringify({
        cells: [{ cell_type: 'markdown', metadata: {}, source: [source] }],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 2,
      });
    await writeFile(at('a.ipynb'), cells('one'));
    await play(`disk ${at('a.ipynb')} ${cells('two')}`);
    await run('openChange', uri('a.ipynb'));
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
  });

  it('never writes the baseline through the diff editor', async () => {
    await play(write('a.txt', AFTER));
    const base = uri('a.txt').with({ scheme: 'parley-base' });
    assert.equal(vscode.workspace.fs.isWritableFileSystem('parley-base'), false);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(base, new Uint8Array()));
    await assert.rejects(async () => vscode.workspace.fs.delete(base));
  });

  it('shows all files in one diff editor, which closes when everything is reviewed', async () => {
    await play(write('a.txt', AFTER), write('new.txt', ['new']));
    const isOpen = (): boolean =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.startsWith('Agent Changes')));
    const opened = untilEvent(vscode.window.tabGroups.onDidChangeTabs, isOpen);
    await run('reviewChanges');
    await opened;
    const closed = untilEvent(vscode.window.tabGroups.onDidChangeTabs, () => !isOpen());
    await run('undoAllChanges');
    await closed;
  });

  it('keeps and undoes everything, including deleted and new files', async () => {
    await writeFile(at('gone.txt'), 'was here\n');
    await play(write('a.txt', AFTER), write('new.txt', ['new']), `unlink ${at('gone.txt')}`);
    await untilState(({ changes }) => changes.length === 3);
    await run('undoAllChanges');
    assert.equal(await disk('a.txt'), text(BEFORE));
    assert.equal(await disk('gone.txt'), 'was here\n');
    await assert.rejects(disk('new.txt'));
    await run('undoLastReview');
    assert.equal(await disk('a.txt'), text(AFTER));
    await run('keepAllChanges');
    assert.deepEqual(api.reviewService.review.files(), []);
    assert.equal(await disk('a.txt'), text(AFTER));
  });

  it('decorates nothing while the setting is disabled, but lists the files', async () => {
    await play(write('a.txt', AFTER));
    await show('a.txt');
    const count = async (): Promise<number> => (await titles('a.txt')).length;
    await becomes(count, 17);
    await settings().update('review.enabled', false, vscode.ConfigurationTarget.Global);
    try {
      await titlesBecome('a.txt', []);
      await untilState(({ changes }) => changes.length === 1);
    } finally {
      await settings().update('review.enabled', undefined, vscode.ConfigurationTarget.Global);
    }
    await becomes(count, 17);
  });

  it('keeps and undoes only the edit of a diff card in a file with more changes', async () => {
    const label = at('a.txt');
    await play(write('a.txt', AFTER), `diff ${label} | line 3 => CHANGED`, `diff ${label} | no => trace of this`);
    const ids = diffIds(session);
    const { review } = api.reviewService;
    await intent({ type: 'undoDiff', diffId: ids[0] ?? '' });
    assert.equal((await disk('a.txt')).split('\n')[2], 'line 3');
    assert.equal(review.file(label)?.hunks.length, 2);
    // Files unknown to the review are unchanged.
    await intent({ type: 'undoDiff', diffId: ids[1] ?? '' });
    assert.equal(review.file(label)?.hunks.length, 2);
  });

  it('uses no keys of VS Code', async () => {
    const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const all = (await vscode.workspace.openTextDocument(uri)).getText();
    const bindings = JSON.parse(all.replaceAll(/^\s*\/\/.*$/gm, '')) as {
      key: string;
      command: string;
      when?: string;
      args?: { commands?: string[] };
    }[];
    // In Parley's own view the usual keys of lists are free.
    const isOurs = (when = ''): boolean => /focusedView == '?parley\./.test(when);
    const own = bindings.filter(({ command, when }) => command.startsWith('parley.') && !isOurs(when));
    assert.ok(own.length >= 5, 'the list has the keys of extensions too');
    for (const { key, command } of own) {
      const others = bindings.filter(
        (each) =>
          each.key === key && ![each.command, ...(each.args?.commands ?? [])].some((id) => id.startsWith('parley.')),
      );
      assert.deepEqual(others, [], `${key} of ${command}`);
    }
  });

  describe('checkpoints', () => {
    it('report unsupported operations instead of failing', async () => {
      const said: string[] = [];
      // A visible chat shows these itself.
      await vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
      const restore = replaceDialogs({ showWarningMessage: async (message: string) => void said.push(message) });
      try {
        await run('restoreCheckpoint');
        await unlink(at('a.txt'));
        await intent({ type: 'restoreCheckpoint', entry: 4711 });
        await intent({ type: 'undoRestore', undoId: 'nothing' });
      } finally {
        restore();
      }
      const missing = 'The checkpoint of this message is no longer available. Checkpoints are deleted by age and size.';
      assert.deepEqual(said, [
        'This session has no checkpoints yet. A checkpoint is created before each message.',
        missing,
        missing,
      ]);
    });

    it('close the tabs of files that they delete when they are restored', async () => {
      await play(write('new.txt', BEFORE));
      await show('new.txt');
      const tabs = (): string[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs).map(({ label }) => label);
      await becomes(() => tabs().includes('new.txt'), true);
      const restore = replaceDialogs({ showWarningMessage: async () => 'Restore File' });
      await intent({ type: 'restoreCheckpoint', entry: 0 });
      restore();
      await assert.rejects(disk('new.txt'));
      assert.ok(!tabs().includes('new.txt'), tabs().join());
    });

    it('are taken before each message and listed in the state of the session', async () => {
      await play(write('a.txt', AFTER));
      await untilState(({ checkpoints }) => checkpoints.length === 1);
      const [mark] = session.state.checkpoints;
      assert.deepEqual([mark?.entry, mark?.coverage], [0, 'workspace']);
    });
  });

  function cursor(): string {
    const editor = vscode.window.activeTextEditor;
    return `${editor?.document.uri.path.slice(-5)}:${(editor?.selection.active.line ?? -1) + 1}`;
  }

  function insideDiff(name: string): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(
      ({ document, viewColumn }) => document.uri.toString() === uri(name).toString() && viewColumn === undefined,
    );
  }

  /** Sends an intent as the page does. */
  function intent(message: Parameters<TestApi['reviewEditor']['handle']>[1]): Promise<void> {
    return api.reviewEditor.handle(session, message);
  }

  /** Undoes the change at the cursor. @param whileSaving runs once, before VS Code saves the file; its edits are made */
  async function undoHunkAnd(editor: vscode.TextEditor, whileSaving: () => Thenable<unknown>): Promise<void> {
    let isSaving = false;
    const saving = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document !== editor.document || isSaving) return;
      isSaving = true;
      event.waitUntil(whileSaving());
    });
    await run('undoHunk');
    saving.dispose();
    assert.ok(isSaving);
  }

  /** The left side of the diff editor that shows a file. */
  async function diffOf(name: string): Promise<vscode.Uri> {
    const inputs = (): vscode.TabInputTextDiff[] =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input] : []));
    const mine = (): vscode.TabInputTextDiff | undefined =>
      inputs().find(({ original }) => original.path === uri(name).path);
    await untilEvent(vscode.window.tabGroups.onDidChangeTabs, () => mine() !== undefined);
    const original = mine()?.original;
    assert.ok(original);
    return original;
  }
});

function diffIds(session: LiveSession): string[] {
  return [...entriesFrom(session.state.entries)].flatMap(([, entry]) =>
    entry.kind === 'tool' ? entry.content.flatMap((content) => (content.type === 'diff' ? [content.diffId] : [])) : [],
  );
}

async function closeAll(): Promise<void> {
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs));
}
