import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { systemClock } from '../../src/base/clock';
import { Emitter } from '../../src/base/event';
import { Follow } from '../../src/review/follow/followAgent';
import { FollowPreview } from '../../src/review/follow/followPreview';
import { EditorContext } from '../../src/ui/attachments/activeEditorContext';
import { fakeAgent } from '../fakeAgent/definition';
import { untilEvent } from '../kit/waiting';
import { FakeSession, FakeSessions } from '../unit/ui/fakes';
import { makeInside, makeOutside, remove, nullLogger, workspaceFolder } from './clientHelp';

const LINES = Array.from({ length: 500 }, (_, line) => `line ${line + 1}`).join('\n');

describe('follow in the editor', () => {
  let folder: string;
  let outside: string;
  let session: FakeSession;
  let editor: FollowPreview;
  let follow: Follow;
  let enabled: boolean;

  beforeEach(async () => {
    await closeAll();
    folder = await makeInside('follow');
    outside = await makeOutside('follow');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(folder, name), LINES);
    session = new FakeSession('one');
    Object.assign(session, { folders: [workspaceFolder()] });
    const settings = new Emitter<void>();
    enabled = true;
    editor = new FollowPreview(nullLogger);
    const setting = {
      isEnabled: () => enabled,
      setEnabled: async (value: boolean) => {
        enabled = value;
        settings.fire();
      },
      onDidChange: settings.event,
    };
    follow = new Follow(new FakeSessions([session]), editor, setting, new Emitter<void>().event, systemClock);
    session.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
  });

  afterEach(async () => {
    follow.dispose();
    await closeAll();
    await remove(folder);
    await remove(outside);
  });

  const at = (name: string): string => join(folder, name);
  /** The agent reports a tool call location. */
  const report = (path: string, line?: number): void => {
    const locations = [{ path, label: path, ...(line !== undefined && { line }) }];
    session.dispatch({ type: 'toolStarted', toolCallId: `${path}:${line}`, patch: { locations }, at: 1 });
  };
  const visible = (name: string): vscode.TextEditor | undefined =>
    vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === at(name));
  const shows = (name: string, line: number): boolean =>
    visible(name)?.visibleRanges.some(({ start, end }) => start.line < line && line <= end.line + 1) ?? false;
  /** Waits until a line is visible. */
  const untilVisible = async (name: string, line: number): Promise<void> => {
    await untilEvent(vscode.window.onDidChangeVisibleTextEditors, () => visible(name) !== undefined);
    await untilEvent(vscode.window.onDidChangeTextEditorVisibleRanges, () => shows(name, line));
  };
  const tabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const names = (): string[] => tabs().map(({ label }) => label);
  const open = (name: string, options: vscode.TextDocumentShowOptions = {}): Thenable<vscode.TextEditor> =>
    vscode.window.showTextDocument(vscode.Uri.file(at(name)), { preview: false, ...options });
  const paused = (): Promise<void> => untilEvent(follow.onDidChange, () => follow.status === 'paused');

  it('shows the line in a preview editor, and the next file in the same editor', async () => {
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    assert.deepEqual(
      tabs().map(({ label, isPreview }) => [label, isPreview]),
      [['a.txt', true]],
    );
    report(at('b.txt'), 200);
    await untilVisible('b.txt', 200);
    assert.deepEqual(names(), ['b.txt']);
    assert.equal(follow.status, 'following');
  });

  it('does not open a file about whose line terminators VS Code would ask', async () => {
    await writeFile(at('unusual.txt'), 'one\u2028two\n');
    const opened: unknown[] = [];
    const listener = vscode.workspace.onDidOpenTextDocument(({ uri }) => opened.push(uri.fsPath));
    const shown: string[] = [];
    const tabListener = vscode.window.tabGroups.onDidChangeTabs((event) =>
      shown.push(...[...event.opened, ...event.changed].map(({ label }) => label)),
    );
    try {
      report(at('unusual.txt'), 1);
      await untilEvent(vscode.workspace.onDidOpenTextDocument, () => opened.includes(at('unusual.txt')));
      report(at('b.txt'), 200);
      await untilVisible('b.txt', 200);
      assert.ok(shown.includes('b.txt') && !shown.includes('unusual.txt'), shown.join());
    } finally {
      listener.dispose();
      tabListener.dispose();
    }
  });

  it('does not move the cursor', async () => {
    const mine = await open('a.txt');
    mine.selection = new vscode.Selection(5, 2, 5, 2);
    report(at('a.txt'), 400);
    await untilVisible('a.txt', 400);
    assert.deepEqual(vscode.window.activeTextEditor?.selection.active, new vscode.Position(5, 2));
    assert.equal(follow.status, 'following');
  });

  it('does not cover unsaved text: uses another group, or does nothing', async () => {
    const mine = await open('a.txt');
    assert.ok(await mine.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine ')));
    assert.equal(await editor.reveal({ path: at('b.txt'), line: 9 }, session), false);
    assert.deepEqual(names(), ['a.txt']);
    await open('c.txt', { viewColumn: vscode.ViewColumn.Two });
    await open('a.txt', { viewColumn: vscode.ViewColumn.One });
    report(at('b.txt'), 9);
    await untilVisible('b.txt', 9);
    assert.equal(visible('b.txt')?.viewColumn, vscode.ViewColumn.Two);
    assert.equal(visible('a.txt')?.document.isDirty, true);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, at('a.txt'));
  });

  it('does not scroll unsaved text at the cursor', async () => {
    const mine = await open('a.txt');
    assert.ok(await mine.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine ')));
    assert.equal(await editor.reveal({ path: at('a.txt'), line: 400 }, session), false);
  });

  it('does not cover a pinned editor, a terminal or a diff', async () => {
    await open('a.txt');
    await vscode.commands.executeCommand('workbench.action.pinEditor');
    assert.equal(await editor.reveal({ path: at('b.txt') }, session), false);
    await closeAll();
    await vscode.commands.executeCommand('vscode.diff', vscode.Uri.file(at('a.txt')), vscode.Uri.file(at('b.txt')));
    await untilEvent(
      vscode.window.tabGroups.onDidChangeTabs,
      () => tabs()[0]?.input instanceof vscode.TabInputTextDiff,
    );
    assert.equal(await editor.reveal({ path: at('c.txt') }, session), false);
  });

  it('does not change the editor context of the next message until the user uses the editor', async () => {
    const mine = await open('c.txt');
    const context = new EditorContext(follow);
    assert.equal(context.current?.label, vscode.workspace.asRelativePath(mine.document.uri));
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    await untilEvent(context.onDidChange, () => context.current === undefined);
    await open('a.txt');
    await vscode.commands.executeCommand('cursorMove', { to: 'down' });
    await untilEvent(context.onDidChange, () => context.current?.label.endsWith('a.txt') ?? false);
    context.dispose();
  });

  it('does not add context from a multi-file diff until lines are selected', async () => {
    await open('c.txt');
    const context = new EditorContext(follow);
    const seenContexts: (string | undefined)[] = [];
    const subscription = context.onDidChange(() => seenContexts.push(context.current?.kind));
    const [label, before] = [vscode.Uri.file(at('a.txt')), vscode.Uri.file(at('b.txt'))];
    await vscode.commands.executeCommand('vscode.changes', 'All', [[label, before, label]]);
    const shown = (): vscode.TextEditor | undefined =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === at('a.txt'));
    await untilEvent(context.onDidChange, () => context.current === undefined && shown() !== undefined);
    const editor = shown();
    assert.ok(editor && editor === vscode.window.activeTextEditor);
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    await untilEvent(context.onDidChange, () => context.current !== undefined);
    assert.deepEqual(seenContexts, [undefined, 'lines']);
    subscription.dispose();
    context.dispose();
  });

  it('pauses when the cursor moves there, and resumes with the toggle', async () => {
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    await open('a.txt');
    await vscode.commands.executeCommand('cursorMove', { to: 'down' });
    await paused();
    report(at('b.txt'), 10);
    await follow.toggle();
    await untilVisible('b.txt', 10);
    assert.equal(follow.status, 'following');
  });

  it('pauses when the user scrolls there', async () => {
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    await open('a.txt');
    // Right after Parley's own scrolling the view may still move, so one line may not be enough.
    const moved = (): Thenable<unknown> => vscode.commands.executeCommand('editorScroll', { to: 'down', by: 'line' });
    const subscription = vscode.window.onDidChangeTextEditorVisibleRanges(() => void moved());
    await moved();
    await paused();
    subscription.dispose();
  });

  it('pauses when the user opens another file there', async () => {
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    await open('b.txt');
    await paused();
  });

  it('pauses when the user opens an editor without text there', async () => {
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    await vscode.commands.executeCommand('workbench.action.openSettings2');
    await paused();
  });

  it('continues while the agent changes the text', async () => {
    report(at('a.txt'), 300);
    await untilVisible('a.txt', 300);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(at('a.txt')), new vscode.Position(0, 0), 'new\n'.repeat(50));
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await visible('a.txt')?.document.save());
    report(at('a.txt'), 20);
    await untilVisible('a.txt', 20);
    assert.equal(follow.status, 'following');
  });

  it('shows nothing outside the workspace, no folders and no missing files', async () => {
    await writeFile(join(outside, 'secret.txt'), 'x');
    await symlink(outside, at('link'));
    await mkdir(at('sub'));
    await writeFile(at('picture.bin'), Buffer.from([0, 1, 2, 0, 255]));
    const paths = [join(outside, 'secret.txt'), at('link/secret.txt'), at('sub'), at('missing.txt'), '//host/share/a'];
    for (const path of paths) assert.equal(await editor.reveal({ path }, session), false, path);
    assert.deepEqual(names(), []);
  });

  it('shows a line beyond the end at the end', async () => {
    report(at('a.txt'), 100_000);
    await untilVisible('a.txt', 500);
  });

  it('leaves only one tab open if previews are disabled in VS Code', async () => {
    const settings = vscode.workspace.getConfiguration('workbench.editor');
    await settings.update('enablePreview', false, vscode.ConfigurationTarget.Global);
    try {
      for (const name of ['a.txt', 'b.txt', 'c.txt']) {
        assert.equal(await editor.reveal({ path: at(name), line: 5 }, session), true);
      }
      assert.deepEqual(names(), ['c.txt']);
    } finally {
      await settings.update('enablePreview', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  describe('in the whole extension', () => {
    let api: TestApi;

    before(async () => {
      const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
      assert.ok(extension);
      api = await extension.activate();
      const { command, args, env } = fakeAgent();
      const agents = { Follower: { command, args, env } };
      await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
    });

    after(async () => {
      for (const item of api.catalog.items()) if (item.agent?.name === 'Follower') await api.catalog.remove(item.id);
      await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
    });

    it('shows what an agent reads and writes only while the setting is enabled', async () => {
      const chat = api.sessions.newChat();
      await chat.chooseAgent('Follower');
      const told = chat.send(`read ${at('a.txt')} 250 3\nuntil-cancel`);
      await untilVisible('a.txt', 250);
      chat.turn.stop();
      await told;
      await vscode.commands.executeCommand('parley.toggleFollow');
      assert.equal(vscode.workspace.getConfiguration('parley').get('follow'), false);
      await chat.send(`write ${at('b.txt')} text`);
      assert.equal(visible('b.txt'), undefined);
      await vscode.commands.executeCommand('parley.toggleFollow');
      await chat.send(`write ${at('c.txt')} text`);
      await untilEvent(vscode.window.onDidChangeVisibleTextEditors, () => visible('c.txt') !== undefined);
    });
  });
});

async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  // "Close All Editors" does not close pinned editors.
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs));
}
