import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { Emitter } from '../../src/base/event';
import type { Logger } from '../../src/base/logger';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import { Configuration } from '../../src/configuration';
import { EditorContext } from '../../src/ui/attachments/activeEditorContext';
import { ChatNotices } from '../../src/ui/chat/chatNotices';
import type { PageServices } from '../../src/ui/chat/chatPage';
import { ChatTab } from '../../src/ui/chat/chatTab';
import { ChatView } from '../../src/ui/chat/chatView';
import { EmbeddedData } from '../../src/ui/chat/content/embeddedData';
import { openFile, openLink } from '../../src/ui/chat/content/openLink';
import { DiffDocuments } from '../../src/ui/chat/content/toolDiffDocuments';
import { DraftStore } from '../../src/ui/chat/draftStore';
import type { UserAction, ToolsPanelSource, FollowToggle } from '../../src/ui/window';
import { visibleEditor } from '../../src/workbench/activeEditor';
import { CHAT_EDITOR } from '../../src/workbench/activeEditor';
import { stubOf } from '../kit/stubOf';
import { temporaryFolder } from '../kit/temporaryFolder';
import { nextOf, untilEvent } from '../kit/waiting';
import { FakeSession, FakeSessions } from '../unit/ui/fakes';

const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
const from = { cwd: folders[0] ?? '', folders };

describe('view in the extension host', () => {
  before(async () => {
    assert.ok(extension, 'the extension is installed');
    await extension.activate();
  });

  it('registers every command that package.json contributes', async () => {
    const manifest = extension?.packageJSON as { contributes: { commands: { command: string }[] } };
    const registered = new Set(await vscode.commands.getCommands(true));
    const contributed = manifest.contributes.commands.map(({ command }) => command);
    assert.ok(contributed.length > 0);
    assert.deepEqual(
      contributed.filter((id) => !registered.has(id)),
      [],
    );
  });

  it('can focus the chat view', async () => {
    assert.ok(extension);
    const { sessions }: TestApi = await extension.activate();
    const focus = (): Thenable<void> => vscode.commands.executeCommand('parley.focusChat');
    const hide = (): Thenable<void> => vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
    const told = new Emitter<boolean>();
    const becomes = (wanted: boolean): Promise<void> =>
      new Promise((resolve) => told.event((visible) => visible === wanted && resolve()));
    const original = sessions.setViewVisible.bind(sessions);
    sessions.setViewVisible = (visible) => {
      original(visible);
      told.fire(visible);
    };
    try {
      // Until it is shown for the first time VS Code has no view that could be hidden.
      const made = becomes(true);
      await hide();
      await focus();
      await made;
      const hidden = becomes(false);
      await hide();
      await hidden;
      const shown = becomes(true);
      await focus();
      await shown;
    } finally {
      sessions.setViewVisible = original;
    }
  });

  describe('page', () => {
    it('follows the content security policy, gets a snapshot and updates, and is restored after it was hidden', async () => {
      const page = await openPage();
      try {
        await page.received((message) => message['type'] === 'ack' && message['seq'] === page.session.seq);
        for (let i = 0; i < 500; i++) {
          page.session.dispatch({ type: 'textAppended', role: 'agent', text: `word${i} `, at: i });
        }
        await page.received((message) => message['type'] === 'ack' && message['seq'] === 500);

        await page.hide();
        page.messages.length = 0;
        page.session.dispatch({ type: 'textAppended', role: 'agent', text: 'unseen', at: 1 });
        page.show();
        await page.received((message) => message['type'] === 'ready');
        await page.received((message) => message['type'] === 'ack' && message['seq'] === 501);
        assert.deepEqual(page.problems, []);
      } finally {
        page.dispose();
      }
    });
  });

  describe('tabs', () => {
    it('updates two sessions side by side independently, with title and icon', async () => {
      const [one, two] = [new FakeSession('one'), new FakeSession('two')];
      const problems: unknown[] = [];
      const log = { ...nullLogger, warn: (...args: unknown[]) => void problems.push(args) };
      const sessions = new FakeSessions([one, two]);
      const parts = partsOf(sessions, log);
      const left = openTab(parts, one, vscode.ViewColumn.One);
      const right = openTab(parts, two, vscode.ViewColumn.Two);
      try {
        for (const { received } of [left, right]) await received(({ type }) => type === 'ack');
        for (let i = 0; i < 200; i++) one.dispatch({ type: 'textAppended', role: 'agent', text: `${i} `, at: i });
        two.dispatch({ type: 'titleChanged', title: 'On the right' });
        sessions.fireChange(two);
        await left.received(({ type, seq, session }) => type === 'ack' && seq === one.seq && session === 'one');
        await right.received(({ type, seq, session }) => type === 'ack' && seq === two.seq && session === 'two');
        assert.equal(right.panel.title, 'On the right');
        const { iconPath } = right.panel;
        assert.ok(iconPath && 'dark' in iconPath && iconPath.dark instanceof vscode.Uri);
        await vscode.workspace.fs.stat(iconPath.dark);
        assert.deepEqual(problems, []);
      } finally {
        left.dispose();
        right.dispose();
      }
    });
  });

  describe('settings', () => {
    const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('parley');

    afterEach(async () => {
      await settings().update('agents', undefined, vscode.ConfigurationTarget.Global);
      await settings().update('permissions.notify', undefined, vscode.ConfigurationTarget.Global);
    });

    it('reads the user’s agents, reports invalid ones, and keeps the demo agent', async () => {
      const redactor = new Redactor();
      const config = new Configuration(nullLogger, redactor, extension?.extensionPath ?? '');
      try {
        assert.deepEqual(
          config.agents().map(({ name }) => name),
          ['Demo agent'],
        );
        const changed = nextOf(config.onDidChange);
        const agents = { mine: { command: 'x', env: { KEY: 'hunter2hunter2' } }, wrong: { command: 'x', args: [1] } };
        await settings().update('agents', agents, vscode.ConfigurationTarget.Global);
        await changed;
        assert.deepEqual(
          config.agents().map(({ name }) => name),
          ['mine', 'Demo agent'],
        );
        assert.match(
          config.problems.map(({ path, message }) => `${path}: ${message}`).join(),
          /\["wrong"\]\.args\[0\]: expected/,
        );
        assert.equal(redactor.redact('hunter2hunter2'), '[redacted]');
      } finally {
        config.dispose();
      }
    });

    it('gives workspace agents their own names, and requires approval for them', async () => {
      const agents = { evil: { command: 'evil' } };
      // VS Code itself refuses to write a machine setting there; a cloned repository contains the file.
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      assert.ok(folder);
      const file = vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json');
      const before = await vscode.workspace.fs.readFile(file).then(
        (bytes) => bytes,
        () => undefined,
      );
      const config = new Configuration(nullLogger, new Redactor(), '/');
      try {
        const changed = nextOf(config.onDidChange);
        const text = JSON.stringify({ 'parley.agents': agents, 'parley.thoughts': 'collapsed' });
        await vscode.workspace.fs.writeFile(file, Buffer.from(text));
        await changed;
        assert.equal(config.get('thoughts'), 'collapsed', 'the file was read');
        assert.deepEqual(
          config.agents().map(({ name, workspace }) => [name, workspace !== undefined]),
          [
            ['evil (workspace)', true],
            ['Demo agent', false],
          ],
        );
      } finally {
        config.dispose();
        if (before) await vscode.workspace.fs.writeFile(file, before);
        else await vscode.workspace.fs.delete(file);
      }
    });
  });

  describe('a chat in a tab', () => {
    afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

    const active = (): vscode.TextEditor | undefined => vscode.window.activeTextEditor;

    it('tracks the editor beside it, and opens files there', async () => {
      const [file, other] = await vscode.workspace.findFiles('**/*.ts', '**/node_modules/**', 2);
      assert.ok(file && other);
      await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.One });
      const changed = nextOf(vscode.window.tabGroups.onDidChangeTabs);
      const panel = vscode.window.createWebviewPanel(CHAT_EDITOR, 'Chat', vscode.ViewColumn.Two, {});
      await changed;
      try {
        await untilEvent(vscode.window.onDidChangeActiveTextEditor, () => !active());
        assert.equal(visibleEditor()?.document.uri.fsPath, file.fsPath);
        const onDidChange = new Emitter<void>().event;
        const context = new EditorContext(stubOf<FollowToggle>({ isOnlyPreviewed: () => false, onDidChange }));
        assert.equal(context.current?.label, vscode.workspace.asRelativePath(file));
        context.dispose();
        await openLink(vscode.workspace.asRelativePath(other, false), from);
        assert.equal(active()?.viewColumn, vscode.ViewColumn.One);
        assert.equal(panel.visible, true);
      } finally {
        panel.dispose();
      }
    });
  });

  describe('links', () => {
    const outside: string[] = [];

    afterEach(async () => {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      for (const folder of outside.splice(0)) await rm(folder, { recursive: true, force: true });
    });

    it('opens a file of the workspace at its line', async () => {
      const [file] = await vscode.workspace.findFiles('**/*.ts', '**/node_modules/**', 1);
      assert.ok(file);
      await openLink(`${vscode.workspace.asRelativePath(file, false)}:2:3`, from);
      const editor = vscode.window.activeTextEditor;
      assert.equal(editor?.document.uri.fsPath, file.fsPath);
      assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [1, 2]);
    });

    it('resolves a relative path against the folder of the session', async () => {
      const inner = join(from.cwd, 'parley-inner');
      outside.push(inner);
      await mkdir(inner);
      await writeFile(join(inner, 'only-here.txt'), 'inner');
      await openLink('only-here.txt', { ...from, cwd: inner });
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, join(inner, 'only-here.txt'));
    });

    it('opens nothing outside the workspace without confirmation, even through a link inside', async () => {
      const folder = temporaryFolder();
      outside.push(folder);
      await writeFile(join(folder, 'secret.txt'), 'secret');
      const link = join(from.cwd, 'linked.txt');
      await symlink(join(folder, 'secret.txt'), link);
      try {
        // In a test run VS Code answers modal dialogs with "no".
        await openFile(join(folder, 'secret.txt'), from).catch(() => undefined);
        await openFile('linked.txt', from).catch(() => undefined);
        const open = vscode.window.visibleTextEditors.map(({ document }) => document.uri.fsPath);
        assert.deepEqual(open, []);
      } finally {
        await rm(link);
      }
    });

    it('runs no command', async () => {
      const before = vscode.window.terminals.length;
      void openLink('command:workbench.action.terminal.new', from);
      await openLink('https://user@example.test/', from).catch(() => undefined);
      assert.equal(vscode.window.terminals.length, before);
    });
  });

  it('shows a diff of a tool call in the diff editor', async () => {
    const session = new FakeSession('diffs');
    const texts = { path: join(tmpdir(), 'a b.ts'), oldText: 'one\n', newText: 'two\n' };
    Object.assign(session, { diff: (id: string) => (id === 'd' ? texts : undefined) });
    const documents = new DiffDocuments(new FakeSessions([session]));
    try {
      await documents.open(session, 'd');
      const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
      assert.ok(tab?.input instanceof vscode.TabInputTextDiff);
      const [before, after] = await Promise.all(
        [tab.input.original, tab.input.modified].map(async (uri) => vscode.workspace.openTextDocument(uri)),
      );
      assert.deepEqual([before?.getText(), after?.getText()], ['one\n', 'two\n']);
      assert.equal(after?.languageId, 'typescript');
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      documents.dispose();
    }
  });

  it('shows notebooks of agents as text, which runs no scripts of their outputs', async () => {
    const notebook = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 2 });
    const session = new FakeSession('notebooks');
    Object.assign(session, { diff: () => ({ path: join(tmpdir(), 'a.ipynb'), oldText: notebook, newText: notebook }) });
    const documents = new DiffDocuments(new FakeSessions([session]));
    const data = new EmbeddedData();
    try {
      await documents.open(session, 'd');
      assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
      await data.open(Buffer.from(notebook).toString('base64'), 'application/ipynb');
      assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputText);
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      documents.dispose();
      data.dispose();
    }
  });
});

/** The dependencies of pages, with stubs for their intents. */
function partsOf(sessions: FakeSessions, log: Logger, userActions = new Emitter<UserAction>()): PageServices {
  const onDidChange = new Emitter<void>().event;
  return {
    extensionUri: extension?.extensionUri ?? vscode.Uri.file('/'),
    sessions,
    tools: stubOf<ToolsPanelSource>({ onDidChange }),
    drafts: new DraftStore({ keys: () => [], get: () => undefined, update: async () => undefined }),
    notices: new ChatNotices(() => []),
    environment: { environment: () => ({ agents: [], trusted: true, mac: false }), onDidChange },
    userActions,
    usedNotifications: new Emitter(),
    log,
  };
}

/** A session in a real tab, and the messages of its page. */
function openTab(parts: PageServices, session: FakeSession, column: vscode.ViewColumn) {
  const messages: Record<string, unknown>[] = [];
  const arrived = new Emitter<void>();
  const panel = vscode.window.createWebviewPanel('parley.test', 'Tab', { viewColumn: column, preserveFocus: true }, {});
  const recording = panel.webview.onDidReceiveMessage((message: Record<string, unknown>) => {
    messages.push(message);
    arrived.fire();
  });
  const owner = { newChat: () => undefined, onDidEnter: () => undefined, onDidClose: () => undefined };
  const showChat = (): Promise<never> => Promise.reject(new Error('not asked for'));
  const tab = new ChatTab(panel, session, parts, { ...owner, showChat });
  const received = async (check: (message: Record<string, unknown>) => boolean): Promise<void> => {
    await untilEvent(arrived.event, () => messages.some(check));
  };
  const dispose = (): void => {
    for (const part of [recording, tab, panel]) part.dispose();
  };
  return { panel, messages, received, dispose };
}

/** The real page in a real webview. A panel replaces the view: the page behaves the same in both, and a test can hide a panel. */
async function openPage() {
  const messages: Record<string, unknown>[] = [];
  const problems: unknown[] = [];
  const arrived = new Emitter<void>();
  const session = new FakeSession('page');
  const sessions = new FakeSessions([session]);
  const log = {
    ...nullLogger,
    warn: (...args: unknown[]) => void problems.push(args),
    error: (...args: unknown[]) => void problems.push(args),
  };
  const chat = new ChatView(partsOf(sessions, log), () => undefined);
  const panel = vscode.window.createWebviewPanel('parley.test', 'Page', vscode.ViewColumn.One, {});
  const recording = panel.webview.onDidReceiveMessage((message: Record<string, unknown>) => {
    messages.push(message);
    arrived.fire();
  });
  const visibility = new vscode.EventEmitter<void>();
  let visible = panel.visible;
  const following = panel.onDidChangeViewState(() => {
    if (panel.visible === visible) return;
    visible = panel.visible;
    visibility.fire();
  });
  chat.resolveWebviewView({
    viewType: 'parley.chat',
    webview: panel.webview,
    show: () => panel.reveal(),
    get visible() {
      return panel.visible;
    },
    onDidDispose: panel.onDidDispose,
    onDidChangeVisibility: visibility.event,
  });
  const received = async (check: (message: Record<string, unknown>) => boolean): Promise<void> => {
    await untilEvent(arrived.event, () => messages.some(check));
  };
  const hide = async (): Promise<void> => {
    const hidden = nextOf(visibility.event);
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: 'in front' }),
      vscode.ViewColumn.One,
    );
    await hidden;
  };
  const dispose = (): void => {
    for (const part of [recording, following, chat, panel]) part.dispose();
  };
  return { session, messages, problems, received, hide, show: () => panel.reveal(), dispose };
}
