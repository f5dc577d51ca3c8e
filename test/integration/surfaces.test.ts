import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import type { Attachment } from '../../src/shared/state/attachments';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { UserEntry } from '../../src/shared/state/sessionState';
import type { Repository } from '../../src/ui/attachments/gitChanges';
import { activateRepositories } from '../../src/ui/attachments/gitChanges';
import { addChanges, addToChat } from '../../src/ui/editorActions/addToChat';
import { askAgent } from '../../src/ui/editorActions/askAgent';
import type { ChatTarget } from '../../src/ui/editorActions/chatTarget';
import type { Chat, MessageAttachments } from '../../src/ui/window';
import { fakeAgent } from '../fakeAgent/definition';
import { runGit } from '../kit/runGit';
import { stubOf } from '../kit/stubOf';
import { becomes, eventually, until, untilEvent } from '../kit/waiting';
import { workspaceFolder } from './clientHelp';

/** Records what editor actions would put into the message box. */
class RecordingChat implements ChatTarget {
  readonly chat = stubOf<Chat>({
    compose: (...message) => this.compose(...message),
    attach: (...all) => this.attach(...all),
  });
  readonly attachments = stubOf<MessageAttachments>({
    attachChosen: (uris) => this.attachChosen(uris),
    allow: (uri) => this.allow(uri),
  });
  readonly composed: { text: string; attachments: readonly Attachment[] }[] = [];
  readonly attached: Attachment[] = [];
  readonly remarks: string[] = [];
  readonly files: string[] = [];
  readonly allowed: string[] = [];
  async compose(text: string, attachments: readonly Attachment[]): Promise<void> {
    this.composed.push({ text, attachments });
  }
  async attach(attachments: readonly Attachment[], remarks: readonly string[]): Promise<void> {
    this.attached.push(...attachments);
    this.remarks.push(...remarks);
  }
  async attachChosen(uris: readonly vscode.Uri[]): Promise<void> {
    this.files.push(...uris.map(({ path }) => path));
  }
  allow(uri: vscode.Uri): void {
    this.allowed.push(uri.path);
  }
}

describe('editor actions', () => {
  const diagnostics = vscode.languages.createDiagnosticCollection('checker');
  const made: string[] = [];
  let api: TestApi;
  let uri: vscode.Uri;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent();
    const settings = vscode.workspace.getConfiguration('parley');
    await settings.update('agents', { Helper: { command, args, env } }, vscode.ConfigurationTarget.Global);
    await settings.update('defaultAgent', 'Helper', vscode.ConfigurationTarget.Global);
    uri = await make('surface.txt', Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join('\n'));
  });

  after(async () => {
    diagnostics.dispose();
    const settings = vscode.workspace.getConfiguration('parley');
    for (const key of ['agents', 'defaultAgent', 'codeLens']) {
      await settings.update(key, undefined, vscode.ConfigurationTarget.Global);
    }
    git('reset', '--quiet');
    for (const file of made) await rm(file, { force: true });
  });

  afterEach(async () => {
    diagnostics.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  async function make(name: string, text: string): Promise<vscode.Uri> {
    const file = join(workspaceFolder(), name);
    await writeFile(file, text);
    made.push(file);
    return vscode.Uri.file(file);
  }

  function git(...args: string[]): void {
    runGit(workspaceFolder(), ...args);
  }

  function problem(line: number, message: string): vscode.Diagnostic {
    const found = new vscode.Diagnostic(new vscode.Range(line, 0, line, 4), message, vscode.DiagnosticSeverity.Error);
    found.source = 'checker';
    found.code = 'E7';
    return found;
  }

  /** The first message of a session, once it exists. */
  async function message(session: LiveSession): Promise<UserEntry> {
    const find = (): UserEntry | undefined =>
      Array.from(entriesFrom(session.state.entries), ([, entry]) => entry).find((entry) => entry.kind === 'user');
    await untilEvent(session.onDidDispatch, () => find() !== undefined);
    return find() ?? assert.fail();
  }

  describe('problems', () => {
    /** VS Code learns of the problems of an extension a moment later. */
    async function ownActions(line: number, character: number): Promise<vscode.CodeAction[]> {
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri,
        new vscode.Range(line, character, line, character),
      );
      return actions.filter(({ command }) => command?.command.startsWith('parley.'));
    }

    it('have quick fixes that ask the agent, are never preferred, and send the problem with its lines', async () => {
      diagnostics.set(uri, [problem(9, 'Not like this')]);
      const described = async (): Promise<unknown[]> =>
        (await ownActions(9, 1)).map(({ title, kind, isPreferred }) => [title, kind?.value, isPreferred ?? false]);
      await becomes(described, [
        ['Fix with Agent', 'quickfix', false],
        ['Explain with Agent', 'quickfix', false],
      ]);
      const session = api.sessions.newChat();
      await session.chooseAgent('Helper');
      const [fix] = await ownActions(9, 1);
      await vscode.commands.executeCommand(fix?.command?.command ?? '', ...(fix?.command?.arguments ?? []));
      const { text, blocks } = await message(session);
      assert.equal(text, 'Fix this problem in surface.txt:\n\n- line 10: error: Not like this (checker E7)');
      const [block] = blocks;
      assert.equal(block?.type === 'resource' && block.uri, `${uri.toString()}#L7-L13`);
      assert.match(block?.type === 'resource' ? (block.text ?? '') : '', /^line 7\n[^]*line 13\n$/);
    });

    it('have no quick fixes if there are none', async () => {
      diagnostics.set(uri, [problem(9, 'Not like this')]);
      await becomes(async () => (await ownActions(9, 0)).length, 2);
      assert.deepEqual(await ownActions(3, 0), []);
    });

    it('are those at the cursor, else of the line, else of the file', async () => {
      diagnostics.set(uri, [problem(2, 'first'), problem(12, 'second')]);
      const editor = await vscode.window.showTextDocument(uri);
      const asked = async (line: number, character: number): Promise<string> => {
        const chat = new RecordingChat();
        editor.selection = new vscode.Selection(line, character, line, character);
        await askAgent(chat, 'fix', undefined, undefined);
        return chat.composed[0]?.text.replace(/^[^]*?\n\n/, '') ?? '';
      };
      assert.equal(await asked(2, 1), '- line 3: error: first (checker E7)');
      assert.equal(await asked(12, 6), '- line 13: error: second (checker E7)');
      assert.match(await asked(5, 0), /first[^]*second/);
    });

    it('explain the selection, else the problem, else the file', async () => {
      const editor = await vscode.window.showTextDocument(uri);
      const chat = new RecordingChat();
      editor.selection = new vscode.Selection(1, 0, 4, 0);
      await askAgent(chat, 'explain', uri, undefined);
      editor.selection = new vscode.Selection(0, 0, 0, 0);
      await askAgent(chat, 'explain', undefined, undefined);
      diagnostics.set(uri, [problem(0, 'odd')]);
      await askAgent(chat, 'explain', undefined, undefined);
      assert.deepEqual(
        chat.composed.map(({ text }) => text.split('\n')[0]),
        [
          'Explain surface.txt:2-4.',
          'Explain surface.txt:1-20.',
          'Explain this problem in surface.txt and how to fix it. Do not change anything yet.',
        ],
      );
    });
  });

  it('attach a failing test with its message, location and stack', async () => {
    const controller = vscode.tests.createTestController('surfaces', 'Surfaces');
    try {
      const suite = controller.createTestItem('suite', 'adding', uri);
      const test = controller.createTestItem('test', 'adds one', uri);
      suite.children.add(test);
      controller.items.add(suite);
      const failed = new vscode.TestMessage('2 is not 3');
      failed.expectedOutput = '3';
      failed.actualOutput = '2';
      failed.location = new vscode.Location(uri, new vscode.Position(11, 0));
      failed.stackTrace = [new vscode.TestMessageStackFrame('add', uri, new vscode.Position(1, 0))];
      const chat = new RecordingChat();
      await askAgent(chat, 'fix', { test, message: failed }, undefined);
      test.range = new vscode.Range(4, 0, 6, 1);
      await askAgent(chat, 'fix', test, undefined);
      const [withMessage, alone] = chat.composed;
      assert.equal(
        withMessage?.text,
        'The test “adding › adds one” fails. Find the cause and fix it, then run it again.',
      );
      const [text, ...places] = withMessage?.attachments ?? [];
      assert.match(
        text?.kind === 'text' ? text.text : '',
        /Failed at: surface\.txt:12\n\nMessage:\n2 is not 3\n\nExpected:\n3\n\nActual:\n2\n\nStack:\n {2}at add \(surface\.txt:2\)/,
      );
      assert.deepEqual(
        places.map(({ label }) => label),
        ['surface.txt:7-17', 'surface.txt:1-7'],
      );
      assert.match(alone?.text ?? '', /^Run the test “adding › adds one”/);
      assert.deepEqual(
        alone?.attachments.map(({ label }) => label),
        ['surface.txt:5-7'],
      );
    } finally {
      controller.dispose();
    }
  });

  it('attach files and folders selected in the Explorer', async () => {
    const chat = new RecordingChat();
    const folder = vscode.Uri.file(join(workspaceFolder(), 'src'));
    await addToChat(chat, uri, [uri, folder]);
    await addToChat(chat, folder, undefined);
    assert.deepEqual(chat.files, [uri.path, folder.path, folder.path]);
  });

  it('show code lenses above functions while enabled', async () => {
    const provider = vscode.languages.registerDocumentSymbolProvider({ pattern: '**/surface.txt' }, {
      provideDocumentSymbols: () => {
        const range = new vscode.Range(3, 0, 8, 0);
        return [new vscode.DocumentSymbol('run', '', vscode.SymbolKind.Function, range, new vscode.Range(3, 0, 3, 3))];
      },
    } satisfies vscode.DocumentSymbolProvider);
    const lenses = async (): Promise<string[]> => {
      const all = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
      return all
        .filter(({ command }) => command?.command.startsWith('parley.'))
        .map(({ command }) => command?.title ?? '');
    };
    try {
      await vscode.window.showTextDocument(uri);
      assert.deepEqual(await lenses(), []);
      await vscode.workspace.getConfiguration('parley').update('codeLens', true, vscode.ConfigurationTarget.Global);
      await becomes(lenses, ['Ask Agent', 'Explain with Agent']);
      await vscode.workspace
        .getConfiguration('parley')
        .update('codeLens', undefined, vscode.ConfigurationTarget.Global);
      await becomes(lenses, []);
    } finally {
      provider.dispose();
    }
  });

  describe('source control', () => {
    let repository: Repository;

    before(async () => {
      repository = await eventually(async () => {
        const [first] = await activateRepositories();
        assert.ok(first, 'the repository is open');
        return first;
      });
    });

    afterEach(() => {
      repository.inputBox.value = '';
    });

    it('attaches the changes of a file, staged or not, and the whole text of a new file', async () => {
      const readme = join(workspaceFolder(), 'README.md');
      git('add', 'surface.txt');
      git('checkout', '--quiet', 'README.md');
      try {
        await writeFile(readme, 'Other words\n');
        const chat = new RecordingChat();
        const resource = (path: string, resourceGroupType: number): unknown => ({
          resourceUri: vscode.Uri.file(path),
          resourceGroupType,
        });
        await addChanges(chat, [resource(readme, 2)]);
        await addChanges(chat, [{ resourceStates: [resource(uri.fsPath, 1), resource(readme, 2)] }]);
        await addChanges(chat, []);
        assert.deepEqual(
          chat.attached.map(({ label }) => label),
          ['Changes: README.md', 'Changes: 2 files'],
        );
        const [one, two] = chat.attached.map((attachment) => (attachment.kind === 'text' ? attachment.text : ''));
        assert.match(one ?? '', /\+Other words/);
        assert.match(two ?? '', /\+line 20[^]*\+Other words/);
        assert.deepEqual(chat.remarks, ['There are no changes to add.']);
      } finally {
        git('checkout', '--quiet', 'README.md');
      }
    });

    it('generates a commit message for staged changes, without a listed session or a commit', async () => {
      git('add', 'surface.txt');
      const sessions = api.sessions.allOpen().length;
      const head = (): string => runGit(workspaceFolder(), 'rev-parse', 'HEAD');
      const before = head();
      // The typed beginning is sent to the agent.
      repository.inputBox.value = '# script\npermission p1 allow_once:Yes reject_once:No\ntext fix: the loop\n# end';
      await vscode.commands.executeCommand('parley.writeCommitMessage', { rootUri: repository.rootUri });
      assert.equal(repository.inputBox.value, '[permission p1: reject_once]\nfix: the loop');
      assert.equal(api.sessions.allOpen().length, sessions);
      assert.equal(
        api.catalog.items().some(({ title }) => /commit/i.test(title ?? '')),
        false,
      );
      assert.equal(head(), before);
    });

    it('keeps text that the user typed meanwhile', async () => {
      git('add', 'surface.txt');
      const [started, release] = ['started', 'released'].map((name) => join(workspaceFolder(), name)) as [
        string,
        string,
      ];
      made.push(started, release);
      repository.inputBox.value = '# script\ndisk started yes\nuntil-file released\ntext fix: late\n# end';
      const writing = vscode.commands.executeCommand('parley.writeCommitMessage', { rootUri: repository.rootUri });
      await until(() => existsSync(started), 'the agent writes');
      repository.inputBox.value = 'mine';
      await writeFile(release, '');
      await writing;
      assert.equal(repository.inputBox.value, 'mine');
    });
  });
});
