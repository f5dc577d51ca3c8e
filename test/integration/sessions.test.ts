import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import type { SessionNode } from '../../src/ui/sessions/sessionTree';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { render } from '../replay/render';

const CAPABILITIES = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, archive: {}, title: {}, status: {} },
};

function labelOf({ label }: vscode.TreeItem): string {
  return typeof label === 'string' ? label : (label?.label ?? '');
}

/** Tree and commands of sessions, with the complete extension and a real agent process. */
describe('sessions in the extension host', () => {
  let api: TestApi;
  let store: string;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    store = temporaryFolder();
    const { command, args, env } = fakeAgent({ FAKE_CAPABILITIES: JSON.stringify(CAPABILITIES), FAKE_STORE: store });
    const agents = { Keeper: { command, args, env } };
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    for (const item of api.catalog.items()) if (item.agent?.name === 'Keeper') await api.catalog.remove(item.id);
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
  });

  async function chat(text: string): Promise<LiveSession> {
    const session = api.sessions.newChat();
    await session.chooseAgent('Keeper');
    await session.send(text);
    return session;
  }

  /** The rendered tree: group and title of each session of the tests' agent. */
  function drawn(): { group: string; item: vscode.TreeItem; node: SessionNode }[] {
    const { sessionTree } = api;
    return sessionTree.getChildren().flatMap((group) =>
      sessionTree
        .getChildren(group)
        .filter((node) => node.type === 'session' && node.item.agent?.name === 'Keeper')
        .map((node) => ({
          group: labelOf(sessionTree.getTreeItem(group)),
          item: sessionTree.getTreeItem(node),
          node,
        })),
    );
  }

  function find(title: string): { group: string; item: vscode.TreeItem; node: SessionNode } {
    const found = drawn().find(({ node }) => node.type === 'session' && node.item.title === title);
    assert.ok(found, `${title} is in the tree`);
    return found;
  }

  it('lists a session by day, opens it on click, and shows its status at the agent in the tooltip', async () => {
    const first = await chat('hello tree');
    await chat('another chat');
    const { group, item, node } = find('hello tree');
    assert.equal(group, 'Today');
    assert.match(item.contextValue ?? '', /^session .*fork/);
    const { tooltip } = await api.sessionTree.resolveTreeItem(item, node);
    assert.ok(typeof tooltip === 'string');
    assert.match(tooltip, /^hello tree\nKeeper\n[^]*Loaded by the agent$/);
    await vscode.commands.executeCommand(item.command?.command ?? '', ...(item.command?.arguments ?? []));
    assert.equal(api.sessions.active, first);
  });

  it('archives and restores by actions of the tree', async () => {
    await chat('to put aside');
    const { node } = find('to put aside');
    await vscode.commands.executeCommand('parley.archiveSession', node);
    const archived = find('to put aside');
    assert.equal(archived.group, 'Archived');
    assert.match(archived.item.contextValue ?? '', /\bunarchive\b/);
    await vscode.commands.executeCommand('parley.unarchiveSession', archived.node);
    assert.equal(find('to put aside').group, 'Today');
  });

  it('forks the shown session', async () => {
    await chat('to fork');
    await vscode.commands.executeCommand('parley.forkSession');
    const fork = api.sessions.active;
    assert.equal(fork.state.title, 'to fork (fork)');
    await fork.send('recall');
    assert.match(render(fork.state), /\[remembers \["to fork"\]\]/);
    assert.equal(find('to fork (fork)').node.type, 'session');
  });

  it('fires an event when the list changes, but not for messages', async () => {
    const session = await chat('hello');
    let changes = 0;
    const subscription = api.catalog.onDidChange(() => changes++);
    session.dispatch({ type: 'textAppended', role: 'agent', text: 'word', at: 1 });
    assert.equal(changes, 0);
    await session.send('text more');
    assert.ok(changes > 0);
    subscription.dispose();
  });
});
