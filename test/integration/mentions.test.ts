import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { nullLogger } from '../../src/base/logger';
import type { ServerContent } from '../../src/session/serverContent';
import type { SessionCatalog } from '../../src/session/sessionCatalog';
import type { Attachment, Mention } from '../../src/shared/state/attachments';
import { AttachmentReader } from '../../src/ui/attachments/attachmentReader';
import { AttachmentService } from '../../src/ui/attachments/attachmentService';
import { ChosenFiles } from '../../src/ui/attachments/chosenFiles';
import { activateRepositories } from '../../src/ui/attachments/gitChanges';
import { Mentions } from '../../src/ui/attachments/mentionSearch';
import { WorkspaceFileIndex } from '../../src/ui/attachments/workspaceFileIndex';
import { UnsentMessages } from '../../src/ui/messages/unsentMessages';
import type { Chat, IntentSource } from '../../src/ui/window';
import { createGit } from '../../src/workbench/createGit';
import { fakeAgent } from '../fakeAgent/definition';
import { runGit } from '../kit/runGit';
import { stubOf } from '../kit/stubOf';
import { temporaryFolder } from '../kit/temporaryFolder';
import { eventually, until } from '../kit/waiting';
import { workspaceFolder } from './clientHelp';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const AGENTS = { Seeing: { image: true, embeddedContext: true }, Blind: { embeddedContext: true } };

/** Completions of `@` in a real editor, and the content blocks that the agent receives. */
describe('mentions in the extension host', () => {
  const file = (name: string): string => join(workspaceFolder(), name);
  const uri = (name: string): vscode.Uri => vscode.Uri.file(file(name));
  const problems = vscode.languages.createDiagnosticCollection('mentions');
  const made = ['mentioned.txt', 'mentioned.png', 'created.txt', 'Thumbs.db'];
  const owned: vscode.Disposable[] = [problems];
  let api: TestApi;
  let logs: string;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    logs = temporaryFolder();
    const agents = Object.entries(AGENTS).map(([name, promptCapabilities]) => {
      const log = { FAKE_LOG: join(logs, name), FAKE_CAPABILITIES: JSON.stringify({ promptCapabilities }) };
      const { command, args, env } = fakeAgent(log);
      return [name, { command, args, env }];
    });
    const settings = vscode.workspace.getConfiguration('parley');
    await settings.update('agents', Object.fromEntries(agents), vscode.ConfigurationTarget.Global);
    await writeFile(file('mentioned.txt'), 'one\ntwo\nthree\n');
    await writeFile(file('mentioned.png'), Buffer.from(PNG, 'base64'));
    problems.set(uri('mentioned.txt'), [
      new vscode.Diagnostic(new vscode.Range(1, 0, 1, 3), 'two is too many', vscode.DiagnosticSeverity.Error),
    ]);
    owned.push(
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: (query) =>
          'mentionedSymbol'.includes(query)
            ? [new vscode.SymbolInformation('mentionedSymbol', vscode.SymbolKind.Function, '', twoAndThree())]
            : [],
      }),
    );
  });

  after(async () => {
    git('reset', '--quiet', '--', 'mentioned.txt');
    for (const one of owned) one.dispose();
    for (const { id, agent } of api.catalog.items()) if (agent && agent.name in AGENTS) await api.catalog.remove(id);
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
    await Promise.all([...made.map(file), logs].map((path) => rm(path, { recursive: true, force: true })));
  });

  const git = (...args: readonly string[]): string => runGit(workspaceFolder(), ...args);
  const twoAndThree = (): vscode.Location => new vscode.Location(uri('mentioned.txt'), new vscode.Range(1, 0, 2, 5));

  const content = stubOf<ServerContent>({ list: async () => undefined, prompts: () => [], resources: () => [] });

  /** The first completion with this name for these words. */
  async function offered(query: string, label: string): Promise<Exclude<Attachment, { kind: 'resource' }>> {
    const paths = new WorkspaceFileIndex(nullLogger, createGit(logs));
    const all: Mention[] = [];
    const sessions = (): { id: string; title: string }[] => [{ id: 'earlier', title: 'An earlier talk' }];
    await new Mentions(paths, content, sessions, () => [], nullLogger).find({
      query,
      session: api.sessions.newChat(),
      post: (found) => void all.push(...found),
    });
    paths.dispose();
    const gives = all.find((one) => one.label === label)?.gives;
    assert.ok(
      typeof gives === 'object' && gives.kind !== 'resource',
      `${label} is not among ${all.map((one) => one.label).join(', ')}`,
    );
    return gives;
  }

  /** The content blocks that the agent receives, without the message text. */
  async function got(
    agent: keyof typeof AGENTS,
    attachment: Exclude<Attachment, { kind: 'resource' }>,
  ): Promise<unknown> {
    const session = api.sessions.newChat();
    const reader = new AttachmentReader(
      stubOf<SessionCatalog>({
        transcript: async (id) => (id === 'earlier' ? { ...session.state, title: 'An earlier talk' } : undefined),
      }),
      api.worktrees,
      new ChosenFiles(),
    );
    await session.chooseAgent(agent);
    await session.send('text Thanks', [await reader.read(attachment, session)]);
    const lines = (await readFile(join(logs, agent), 'utf8')).trim().split('\n');
    const prompts = lines
      .map((line) => JSON.parse(line) as { method?: string; params?: { prompt: unknown[] } })
      .filter(({ method }) => method === 'session/prompt');
    return prompts.at(-1)?.params?.prompt[1];
  }

  const textOf = (block: unknown): string => (block as { resource: { text: string } }).resource.text;

  it('give the agent the problems that the editor shows', async () => {
    const text = textOf(await got('Seeing', await offered('prob', 'Problems')));
    assert.match(text, /^mentioned\.txt:2: error: two is too many$/m);
  });

  it('give the agent the lines of a symbol', async () => {
    const block = await got('Seeing', await offered('mentionedSymbol', 'mentionedSymbol'));
    assert.deepEqual(block, {
      type: 'resource',
      resource: { uri: `${uri('mentioned.txt').toString()}#L2-L3`, text: 'two\nthree\n', mimeType: 'text/plain' },
    });
  });

  it('give the agent the changes of the repository', async () => {
    const repository = await eventually(async () => {
      const [first] = await activateRepositories();
      assert.ok(first, 'the repository is open');
      return first;
    });
    git('add', 'mentioned.txt');
    await repository.status();
    const text = textOf(await got('Seeing', await offered('chang', 'Git changes')));
    assert.match(text, /mentioned\.txt[^]*\+three/);
  });

  it('give the agent an earlier session', async () => {
    const block = (await got('Seeing', await offered('earlier', 'An earlier talk'))) as { resource: { uri: string } };
    assert.equal(block.resource.uri, 'parley:session/An%20earlier%20talk');
  });

  it('list a created file, but none that the settings exclude', async () => {
    const paths = new WorkspaceFileIndex(nullLogger, createGit(logs));
    const listed = async (name: string): Promise<boolean> =>
      (await paths.index()).search(name, 10).some(({ label }) => label.endsWith(name));
    assert.equal(await listed('mentioned.txt'), true);
    // Excluded by default.
    await writeFile(file('Thumbs.db'), '');
    await writeFile(file('created.txt'), '');
    await until(() => listed('created.txt'), 'the created file is listed');
    assert.equal(await listed('Thumbs.db'), false);
    paths.dispose();
  });

  it('attach files dropped from the Explorer, without confirmation in the workspace', async () => {
    const session = api.sessions.newChat();
    const told: unknown[] = [];
    const page = { reveal: async () => undefined, post: (message: unknown) => void told.push(message) };
    const service = new AttachmentService(
      api.sessions,
      stubOf<SessionCatalog>({ items: () => [], transcript: async () => undefined }),
      api.worktrees,
      stubOf<Chat>({}),
      new WorkspaceFileIndex(nullLogger, createGit(logs)),
      content,
      new UnsentMessages({ keys: () => [], get: () => undefined, update: async () => undefined }),
      nullLogger,
    );
    // The URI as VS Code's page writes it, with the authority of the extension host.
    const { remoteName } = vscode.env;
    const dropped =
      remoteName === undefined
        ? uri('mentioned.txt')
        : uri('mentioned.txt').with({ scheme: 'vscode-remote', authority: remoteName });
    await service.attachUris(stubOf<IntentSource>({ session, page }), [dropped.toString()], 0);
    const attached = { kind: 'file', uri: uri('mentioned.txt').toString(), label: 'mentioned.txt' };
    assert.deepEqual(told, [{ type: 'attach', attachments: [attached], remarks: [] }]);
  });

  it('give the agent an image, or a link if it does not support images', async () => {
    const picture = await offered('mentioned.png', 'mentioned.png');
    const address = uri('mentioned.png').toString();
    assert.deepEqual(await got('Seeing', picture), { type: 'image', data: PNG, mimeType: 'image/png', uri: address });
    const link = { type: 'resource_link', uri: address, name: 'mentioned.png', mimeType: 'image/png' };
    assert.deepEqual(await got('Blind', picture), link);
  });
});
