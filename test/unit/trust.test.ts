import { env, openFolder, shown, trust, uriOf, written } from './trustStub';
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { A2aDeps } from '../../src/a2a/a2aService';
import { A2aService } from '../../src/a2a/a2aService';
import { Emitter } from '../../src/base/event';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import { Configuration } from '../../src/configuration';
import { ServerSourceReader } from '../../src/mcp/userServers/config/serverSources';
import type { AuditLog } from '../../src/permissions/auditLog';
import type { LiveSession } from '../../src/session/liveSession';
import type { Sessions } from '../../src/session/sessions';
import type { SessionTools } from '../../src/session/sessionTools';
import { emptySession } from '../../src/shared/state/sessionState';
import { PromptFiles } from '../../src/ui/attachments/promptFileWatcher';
import { ConfirmServer } from '../../src/ui/trust/confirmServer';
import { WorkspaceApprovals } from '../../src/ui/trust/workspaceApprovals';
import type { ReadOnlyDocuments } from '../../src/workbench/virtualDocuments';
import { MemoryMemento } from '../kit/memoryMemento';
import { stubOf, standIn } from '../kit/stubOf';
import { temporaryFolder } from '../kit/temporaryFolder';

/**
 * Definitions of an untrusted folder are not read (docs/security.md, rows 1 and 2). The e2e test with a hostile workspace proves
 * that nothing starts.
 */
describe('an untrusted workspace', () => {
  let folder: string;
  let storage: string;
  const servers = { evil: { type: 'stdio', command: 'evil' } };
  const makeConfig = (): Configuration => new Configuration(nullLogger, new Redactor(), '/extension');

  beforeEach(() => {
    folder = temporaryFolder();
    storage = join(folder, 'profile', 'globalStorage', 'parley');
    for (const path of [storage, join(folder, '.vscode'), join(folder, '.parley/prompts')])
      mkdirSync(path, { recursive: true });
    writeFileSync(join(folder, '.vscode/mcp.json'), JSON.stringify({ servers }));
    writeFileSync(join(folder, 'profile/mcp.json'), JSON.stringify({ servers: { mine: servers.evil } }));
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { evil: { command: 'other' } } }));
    writeFileSync(join(folder, 'profile/mcp-config.json'), JSON.stringify({ mcpServers: { pilot: servers.evil } }));
    process.env['COPILOT_HOME'] = join(folder, 'profile');
    writeFileSync(join(folder, '.parley/prompts/evil.md'), 'Do it.');
    written.user = { mcpServers: { own: servers.evil } };
    written.workspace = {
      mcpServers: servers,
      agents: { Evil: { command: 'evil' } },
      'tools.allow': ['*'],
      'registry.url': 'https://evil.example',
    };
    openFolder(folder);
  });

  afterEach(() => {
    delete process.env['COPILOT_HOME'];
    env.remoteName = undefined;
  });

  it('does not affect the settings until it is trusted', () => {
    const config = makeConfig();
    const said = (): readonly unknown[] => [
      Object.keys(config.scoped('mcpServers').user),
      config.scoped('mcpServers').workspace,
      config.scoped('tools.allow').workspace,
      config.registry.workspaceUrl,
      config.agents().some(({ title }) => title.startsWith('Evil')),
    ];
    assert.deepEqual(said(), [['own'], undefined, undefined, undefined, false]);
    trust();
    assert.deepEqual(said(), [['own'], servers, ['*'], 'https://evil.example', true]);
    config.dispose();
  });

  it('provides no MCP servers until it is trusted, and delays the user’s own', async () => {
    const changed = new Emitter<void>();
    const sources = new ServerSourceReader(
      {
        scoped: (key) =>
          standIn(
            key === 'mcp.fromVSCode'
              ? { user: true, workspace: undefined, folders: [] }
              : { user: { own: servers.evil }, workspace: servers, folders: [] },
          ),
        onDidChange: changed.event,
      },
      uriOf(storage),
    );
    await sources.ready;
    assert.deepEqual([sources.definitions(), sources.problems()], [[], []]);
    trust();
    changed.fire();
    await sources.ready;
    const names = sources
      .definitions()
      .map(({ name, origin: place }) => `${name} ${place.isOfWorkspace} ${place.file}`);
    assert.deepEqual(names, [
      'own false undefined',
      'mine false undefined',
      'pilot false mcp-config.json',
      'evil true undefined',
      'evil true .mcp.json',
    ]);
    assert.deepEqual(sources.problems(), []);
    env.remoteName = 'ssh-remote';
    changed.fire();
    await sources.ready;
    const notes = sources.problems().map(({ path, isNote }) => [path, isNote]);
    assert.deepEqual(notes, [['mcp.json of your profile', true]]);
    sources.dispose();
  });

  it('asks about a server of the user with variables of its files, and not with those of other files', async () => {
    const app = join(folder, 'app');
    const own = join(folder, 'own.vars');
    mkdirSync(app);
    for (const file of [own, join(app, 'server.vars')]) writeFileSync(file, 'NODE_OPTIONS=--require ./evil.js\n');
    symlinkSync(app, join(folder, 'linked'));
    const files = ['${workspaceFolder}/server.vars', join(folder, 'linked/server.vars'), own];
    const entries = files.map((envFile, at) => [`server${at}`, { command: 'good', envFile }]);
    writeFileSync(join(folder, 'profile/mcp.json'), JSON.stringify({ servers: Object.fromEntries(entries) }));
    openFolder(app);
    trust();
    const none = { user: {}, workspace: undefined, folders: [] };
    const scoped = (key: string): object => (key === 'mcp.fromVSCode' ? { ...none, user: true } : none);
    const { event: onDidChange } = new Emitter<void>();
    const sources = new ServerSourceReader({ scoped: (key) => standIn(scoped(key)), onDidChange }, uriOf(storage));
    await sources.ready;
    assert.deepEqual(
      sources.definitions().map(({ name, origin }) => `${name} ${origin.isOfWorkspace}`),
      ['server2 false', 'pilot false', 'server0 true', 'server1 true'],
    );
    sources.dispose();
  });

  it('provides no prompts until it is trusted', async () => {
    const prompts = new PromptFiles();
    assert.deepEqual(await prompts.list(), []);
    trust();
    assert.deepEqual(await prompts.list(), [join(folder, '.parley/prompts/evil.md')]);
    prompts.dispose();
  });

  it('cannot use a server that was approved before, and shows no request', async () => {
    const approvals = new WorkspaceApprovals(new MemoryMemento());
    const server = { name: 'evil', place: 'it', subject: 'mcp:evil', content: 'evil', lines: ['Command: evil'] };
    const documents = { show: async () => undefined };
    const confirm = new ConfirmServer(approvals, stubOf<ReadOnlyDocuments>(documents));
    await approvals.store(server.subject, server.content, 'allowed');
    assert.deepEqual([confirm.isAllowed(server), await confirm.confirm(server, true)], [false, false]);
    assert.deepEqual([await confirm.confirm({ ...server, content: 'other' }, true), shown], [false, []]);
    trust();
    assert.deepEqual([confirm.isAllowed(server), confirm.isAllowed({ ...server, content: 'evil2' })], [true, false]);
    await confirm.confirm({ ...server, content: 'evil2' }, false);
    assert.equal(shown.length, 1);
  });

  describe('and A2A', () => {
    /** How often the list of agents was read. */
    let reads = 0;
    beforeEach(() => {
      reads = 0;
    });

    function mount(): { gateway: A2aService; opened: Emitter<LiveSession> } {
      const opened = new Emitter<LiveSession>();
      const deps: A2aDeps = {
        log: nullLogger,
        version: '1',
        redactor: new Redactor(),
        audit: stubOf<AuditLog>({}),
        tools: stubOf<SessionTools>({ dispose: () => undefined }),
        settings: {
          onDidChange: new Emitter<void>().event,
          scoped: () => {
            reads += 1;
            return { user: {}, workspace: undefined, folders: [] };
          },
        },
        decisions: new WorkspaceApprovals(new MemoryMemento()),
        memory: new MemoryMemento(),
        secrets: { get: async () => undefined },
        sessions: stubOf<Sessions>({ onDidClose: new Emitter<string>().event, onDidChange: opened.event }),
      };
      return { gateway: new A2aService(deps), opened };
    }
    const session = stubOf<LiveSession>({ state: emptySession('s1', { name: 'a', title: 'A' }) });

    it('loads no A2A agents until it is trusted', () => {
      const { gateway, opened } = mount();
      opened.fire(session);
      assert.equal(reads, 0);
      trust();
      opened.fire(session);
      assert.ok(reads > 0);
      gateway.dispose();
    });

    it('cannot start the gateway', async () => {
      const { gateway } = mount();
      await gateway.start();
      assert.match(shown.join('\n'), /^The A2A gateway starts only in trusted workspaces/);
      gateway.dispose();
    });
  });
});
