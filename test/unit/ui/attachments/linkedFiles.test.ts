import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Uri } from 'vscode';
import { nullLogger } from '../../../../src/base/logger';
import type { ServerContent } from '../../../../src/session/serverContent';
import type { Session } from '../../../../src/session/session';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { Sessions } from '../../../../src/session/sessions';
import type { Attachment } from '../../../../src/shared/state/attachments';
import { AttachmentReader } from '../../../../src/ui/attachments/attachmentReader';
import { AttachmentService } from '../../../../src/ui/attachments/attachmentService';
import { ChosenFiles } from '../../../../src/ui/attachments/chosenFiles';
import { PromptFiles } from '../../../../src/ui/attachments/promptFileWatcher';
import type { WorkspaceFileIndex } from '../../../../src/ui/attachments/workspaceFileIndex';
import { addToChat } from '../../../../src/ui/editorActions/addToChat';
import { askAboutTest } from '../../../../src/ui/editorActions/askAboutTest';
import { explainLines, askAboutProblems } from '../../../../src/ui/editorActions/askAgent';
import type { ChatTarget } from '../../../../src/ui/editorActions/chatTarget';
import { UnsentMessages } from '../../../../src/ui/messages/unsentMessages';
import type { Chat } from '../../../../src/ui/window';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf, standIn } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

class FileUri {
  readonly scheme = 'file';
  readonly fsPath: string;
  constructor(fsPath: string) {
    this.fsPath = fsPath;
  }
  get path(): string {
    return this.fsPath;
  }
  static file(path: string): FileUri {
    return new FileUri(path);
  }
  static parse(text: string): FileUri {
    return new FileUri(text.replace('file://', ''));
  }
  toString(): string {
    return `file://${this.fsPath}`;
  }
}

describe('ui/attachments: links of a repository', () => {
  let top: string;
  let folder: string;
  let secret: string;
  let details: string[];
  let answer: string | undefined;

  beforeEach(() => {
    resetStub();
    top = temporaryFolder();
    folder = join(top, 'workspace');
    secret = join(top, 'secret.txt');
    mkdirSync(folder);
    writeFileSync(secret, 'private');
    details = [];
    answer = 'Attach';
    const nothing = (): { dispose(): void } => ({ dispose() {} });
    Object.assign(stub, { Uri: FileUri });
    Object.assign(stub.workspace, {
      workspaceFolders: [{ uri: FileUri.file(folder), name: 'workspace' }],
      getWorkspaceFolder: ({ fsPath }: FileUri) => (fsPath.startsWith(`${folder}/`) ? {} : undefined),
      textDocuments: [],
      fs: { stat: async () => ({ size: 7 }) },
      createFileSystemWatcher: () => ({
        onDidCreate: nothing,
        onDidChange: nothing,
        onDidDelete: nothing,
        dispose() {},
      }),
      onDidChangeWorkspaceFolders: nothing,
      onDidGrantWorkspaceTrust: nothing,
    });
    Object.assign(stub.window, {
      showWarningMessage: async (_message: string, { detail }: { detail: string }) => {
        details.push(detail);
        return answer;
      },
    });
  });

  const uriOf = (name: string): string => FileUri.file(join(folder, name)).toString();
  const makeReader = (counterpart?: string): AttachmentReader =>
    new AttachmentReader(
      stubOf<SessionCatalog>({ transcript: async () => undefined }),
      stubOf<Worktrees>({ counterpart: () => counterpart }),
      new ChosenFiles(),
    );
  /** @param worktree The session works in the git worktree. */
  const sessionIn = (worktree: boolean): Session =>
    stubOf<Session>({ cwd: folder, state: worktree ? { folder: join(top, 'tree') } : {} });
  const readFile = (reader: AttachmentReader, name: string, worktree = false): Promise<unknown> =>
    reader.read({ kind: 'file', uri: uriOf(name), label: name }, sessionIn(worktree));

  it('sends no problems of a linked file outside the workspace, whose messages may quote it', async () => {
    writeFileSync(join(folder, 'own.yaml'), '');
    symlinkSync(secret, join(folder, 'linked.yaml'));
    const problem = { severity: 0, message: 'Unexpected value', range: { start: { line: 0 } } };
    const uris = ['own.yaml', 'linked.yaml'].map((name) => FileUri.file(join(folder, name)));
    Object.assign(stub.languages, { getDiagnostics: () => uris.map((uri) => [uri, [problem]]) });
    const sent = await makeReader().read({ kind: 'problems', label: 'Problems' }, sessionIn(false));
    assert.match(JSON.stringify(sent), /own\.yaml:1: error/);
    assert.doesNotMatch(JSON.stringify(sent), /linked/);
  });

  for (const [what, sizes] of Object.entries({
    'before it is sent': [300_000],
    'while it is read': [7, 300_000],
  }))
    it(`sends a link to an open file that has grown ${what}`, async () => {
      const left = [...sizes];
      const uri = FileUri.file(join(folder, 'server.log'));
      writeFileSync(uri.fsPath, 'x'.repeat(300_000));
      Object.assign(stub.workspace, {
        textDocuments: [{ uri, isDirty: false, encoding: 'utf8', getText: () => 'x' }],
        fs: { stat: async () => ({ size: left.length > 1 ? left.shift() : left[0] }) },
        decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString(),
      });
      const sent = await readFile(makeReader(), 'server.log');
      assert.deepEqual(sent, { type: 'link', uri: uri.toString(), name: 'server.log', size: 300_000 });
    });

  it('asks before a linked file outside the workspace is sent, once for each target, and shows the real path', async () => {
    writeFileSync(join(top, 'other.txt'), 'other');
    symlinkSync(secret, join(folder, 'notes.txt'));
    const reader = makeReader();
    assert.deepEqual(await readFile(reader, 'notes.txt'), {
      type: 'resource',
      isFile: true,
      uri: uriOf('notes.txt'),
      text: 'private',
      mimeType: 'text/plain',
    });
    await readFile(reader, 'notes.txt');
    assert.deepEqual(details, [secret]);
    unlinkSync(join(folder, 'notes.txt'));
    symlinkSync(join(top, 'other.txt'), join(folder, 'notes.txt'));
    answer = undefined;
    await assert.rejects(readFile(reader, 'notes.txt'), /not attached/);
    assert.deepEqual(details, [secret, join(top, 'other.txt')]);
  });

  it('names the type of the text', async () => {
    for (const [name, mimeType] of [
      ['a.MD', 'text/markdown'],
      ['a.json', 'application/json'],
      ['Makefile', 'text/plain'],
    ] as const) {
      writeFileSync(join(folder, name), 'text');
      assert.deepEqual(await readFile(makeReader(), name), {
        type: 'resource',
        isFile: true,
        uri: uriOf(name),
        text: 'text',
        mimeType,
      });
    }
  });

  describe('opened in an editor', () => {
    const lines = { first: 1, last: 1 };
    let service: AttachmentService;
    let sent: readonly Attachment[];

    beforeEach(() => {
      sent = [];
      service = new AttachmentService(
        stubOf<Sessions>({}),
        stubOf<SessionCatalog>({ transcript: async () => undefined }),
        stubOf<Worktrees>({ counterpart: () => undefined }),
        stubOf<Chat>({ attach: async (all) => void (sent = all) }),
        stubOf<WorkspaceFileIndex>({}),
        stubOf<ServerContent>({ list: async () => undefined, prompts: () => [], resources: () => [] }),
        new UnsentMessages(new MemoryMemento()),
        nullLogger,
      );
      class Range {
        readonly start = { line: 0 };
        readonly end = { line: 0 };
      }
      Object.assign(stub, { Range });
      Object.assign(stub.workspace, {
        asRelativePath: ({ fsPath }: FileUri) => fsPath,
        decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString(),
        openTextDocument: async (uri: FileUri) => ({ uri, lineCount: 1 }),
      });
    });

    const target = (): ChatTarget => ({
      attachments: service,
      chat: stubOf<Chat>({
        attach: async (all) => void (sent = all),
        compose: async (_text, all) => void (sent = all),
      }),
    });
    const read = (): Promise<unknown> => service.read(sessionIn(false), sent);

    const range = { start: { line: 0 }, end: { line: 0 } };
    const COMMANDS: Readonly<Record<string, (uri: Uri) => Promise<void>>> = {
      'Explain with Agent': (uri) => explainLines(target(), uri, lines),
      'Fix with Agent': (uri) =>
        askAboutProblems(target(), 'fix', uri, [standIn({ range, severity: 0, message: 'wrong' })]),
      'Add to Chat with lines': (uri) => addToChat(target(), uri, new (stub as { Range: new () => unknown }).Range()),
      'Fix Test with Agent': (uri) => askAboutTest(target(), 'fix', standIn({ test: { label: 'a test', uri, range } })),
    };

    for (const [command, run] of Object.entries(COMMANDS))
      it(`are asked about when the message is sent, with the real path: ${command}`, async () => {
        symlinkSync(secret, join(folder, 'config.ts'));
        await run(standIn(FileUri.file(join(folder, 'config.ts'))));
        answer = undefined;
        await assert.rejects(read(), /not attached/);
        assert.deepEqual(details, [secret]);
        details = [];
        await run(standIn(FileUri.file(secret)));
        await read();
        assert.deepEqual(details, [], 'a file that the user has opened by its own name');
      });
  });

  it('asks for a file in a linked folder, and not for links inside the workspace', async () => {
    answer = undefined;
    symlinkSync(top, join(folder, 'docs'));
    writeFileSync(join(folder, 'a.txt'), 'own');
    symlinkSync('a.txt', join(folder, 'b.txt'));
    const reader = makeReader();
    await assert.rejects(readFile(reader, 'docs/secret.txt'), /not attached/);
    await readFile(reader, 'b.txt');
    assert.deepEqual(details, [secret]);
  });

  it('asks for a link that an agent put in the place of a file in its worktree', async () => {
    answer = undefined;
    mkdirSync(join(top, 'tree'));
    writeFileSync(join(folder, 'a.txt'), 'own');
    writeFileSync(join(top, 'tree', 'a.txt'), 'own');
    await readFile(makeReader(join(top, 'tree', 'a.txt')), 'a.txt', true);
    unlinkSync(join(top, 'tree', 'a.txt'));
    symlinkSync(secret, join(top, 'tree', 'a.txt'));
    await assert.rejects(readFile(makeReader(join(top, 'tree', 'a.txt')), 'a.txt', true), /not attached/);
    assert.deepEqual(details, [secret]);
  });

  /** An agent leads a name of the workspace to the private file. */
  function turnToSecret(name: string): void {
    unlinkSync(join(folder, name));
    symlinkSync(secret, join(folder, name));
  }

  it('sends the file that the user was asked about, and asks again about another one', async () => {
    const harmless = join(top, 'harmless.txt');
    writeFileSync(harmless, 'harmless');
    symlinkSync(harmless, join(folder, 'notes.txt'));
    const showWarningMessage = async (
      _message: string,
      { detail }: { detail: string },
    ): Promise<string | undefined> => {
      // While the user reads the first question.
      if (details.length === 0) turnToSecret('notes.txt');
      details.push(detail);
      return answer;
    };
    Object.assign(stub.window, { showWarningMessage });
    const reader = makeReader();
    const sent = { type: 'resource', uri: uriOf('notes.txt'), text: 'harmless', mimeType: 'text/plain', isFile: true };
    assert.deepEqual(await readFile(reader, 'notes.txt'), sent);
    answer = undefined;
    await assert.rejects(readFile(reader, 'notes.txt'), /not attached/);
    assert.deepEqual(details, [harmless, secret]);
  });

  it('sends nothing if a link replaces the file, or a folder above, after it was looked at', async () => {
    mkdirSync(join(folder, 'docs'));
    for (const name of ['a.txt', 'docs/secret.txt']) writeFileSync(join(folder, name), 'own');
    let turn = (): void => turnToSecret('a.txt');
    const turnOnce = async (): Promise<{ size: number }> => {
      turn();
      return { size: 3 };
    };
    Object.assign(stub.workspace, { fs: { stat: turnOnce } });
    await assert.rejects(readFile(makeReader(), 'a.txt'), /a link has replaced it/);
    turn = () => {
      rmSync(join(folder, 'docs'), { recursive: true });
      symlinkSync(top, join(folder, 'docs'));
    };
    await assert.rejects(readFile(makeReader(), 'docs/secret.txt'), /points to another location/);
    assert.deepEqual(details, []);
  });

  describe('an editor that VS Code filled while a link led to the private file', () => {
    const editor = { uri: '', encoding: 'utf8', isDirty: false, getText: () => 'private' };
    const lines = { first: 2, last: 3 };
    const readLines = (): Promise<unknown> =>
      makeReader().read({ kind: 'lines', uri: uriOf('a.txt'), label: 'a.txt:2', lines }, sessionIn(false));

    beforeEach(() => {
      writeFileSync(join(folder, 'a.txt'), 'one\r\ntwo\nthree');
      editor.uri = uriOf('a.txt');
      editor.isDirty = false;
      Object.assign(stub.workspace, {
        textDocuments: [editor],
        decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString(),
        // VS Code reads by name: the link is there only while it does.
        openTextDocument: async () => editor,
      });
    });

    it('sends the file, not what the editor has of it', async () => {
      const sent = {
        type: 'resource',
        uri: uriOf('a.txt'),
        text: 'one\r\ntwo\nthree',
        mimeType: 'text/plain',
        isFile: true,
      };
      assert.deepEqual(await readFile(makeReader(), 'a.txt'), sent);
      assert.deepEqual(details, []);
    });

    for (const state of ['open', 'closed'])
      it(`sends the lines of the file: ${state}`, async () => {
        if (state === 'closed') Object.assign(stub.workspace, { textDocuments: [] });
        assert.deepEqual(await readLines(), {
          type: 'resource',
          isFile: true,
          uri: `${uriOf('a.txt')}#L2-L3`,
          text: 'two\nthree',
          mimeType: 'text/plain',
        });
      });

    it('sends unsaved text, but none of another file', async () => {
      editor.isDirty = true;
      Object.assign(editor, { getText: () => 'one\ntyped\nthree\nfour\n' });
      assert.deepEqual(await readLines(), {
        type: 'resource',
        isFile: true,
        uri: `${uriOf('a.txt')}#L2-L3`,
        text: 'typed\nthree\n',
        mimeType: 'text/plain',
      });
      Object.assign(editor, { getText: () => 'private' });
      turnToSecret('a.txt');
      answer = undefined;
      await assert.rejects(readLines(), /not attached/);
      assert.deepEqual(details, [secret]);
    });
  });

  it('uses no prompt file that a link replaces after it was looked at', async () => {
    const prompts = new PromptFiles();
    const path = join(folder, 'y.prompt.md');
    writeFileSync(path, 'Do it.');
    Object.assign(stub.workspace, {
      getWorkspaceFolder: () => {
        unlinkSync(path);
        symlinkSync(secret, path);
        return {};
      },
    });
    await assert.rejects(prompts.read(path), /a link has replaced it/);
    prompts.dispose();
  });

  it('reads no device and no pipe', async () => {
    const reader = makeReader();
    symlinkSync('/dev/zero', join(folder, 'endless.txt'));
    await assert.rejects(readFile(reader, 'endless.txt'), /endless\.txt.*not a regular file/);
  });

  it('does not use a prompt file that leads out of the workspace', async () => {
    const prompts = new PromptFiles();
    symlinkSync(secret, join(folder, 'x.prompt.md'));
    await assert.rejects(prompts.read(join(folder, 'x.prompt.md')), /link to .*secret\.txt, outside the workspace/);
    writeFileSync(join(folder, 'y.prompt.md'), 'Do it.');
    assert.equal(await prompts.read(join(folder, 'y.prompt.md')), 'Do it.');
    prompts.dispose();
  });
});
