import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import type { WorktreeRecord } from '../../src/worktrees/worktreeRecord';
import { fakeAgent } from '../fakeAgent/definition';
import { runGit } from '../kit/runGit';
import { render } from '../replay/render';
import { makeInside, remove, workspaceFolder } from './clientHelp';
import { replaceDialogs } from './replaceDialogs';

/** A session in a git worktree, with the complete extension, an agent process and real git. */
describe('worktrees in the extension host', () => {
  let api: TestApi;
  let folder: string;
  let log: string;
  /** The dialog's message and detail. */
  let asked: string[];
  let restore: () => void;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = await makeInside('worktrees');
    log = join(folder, 'agent.jsonl');
    const { command, args, env } = fakeAgent({ FAKE_LOG: log });
    const agents = { Brancher: { command, args, env } };
    const settings = vscode.workspace.getConfiguration('parley');
    await settings.update('agents', agents, vscode.ConfigurationTarget.Global);
    await settings.update('worktrees.setup', ['echo ready > setup.txt'], vscode.ConfigurationTarget.Global);
    await writeFile(join(folder, 'own.txt'), 'uncommitted\n');
    restore = replaceDialogs({
      showWarningMessage: async (message: string, { detail }: vscode.MessageOptions, first: string) => {
        asked.push(`${message}\n${detail}`);
        return first;
      },
    });
  });

  beforeEach(() => {
    asked = [];
  });

  after(async () => {
    restore();
    for (const { id } of api.worktrees.usable()) await api.worktrees.discard(id);
    for (const item of api.catalog.items()) if (item.agent?.name === 'Brancher') await api.catalog.remove(item.id);
    const settings = vscode.workspace.getConfiguration('parley');
    for (const name of ['agents', 'worktrees.setup'])
      await settings.update(name, undefined, vscode.ConfigurationTarget.Global);
    await remove(folder);
  });

  const git = (...args: string[]): string => runGit(workspaceFolder(), ...args);
  const current = (): WorktreeRecord => api.worktrees.around(api.sessions.active.cwd) ?? assert.fail('no worktree');
  const conversation = (session: LiveSession): string => JSON.stringify(render(session.state));

  async function newChat(): Promise<LiveSession> {
    await vscode.commands.executeCommand('parley.newChatInWorktree');
    const session = api.sessions.active;
    await session.chooseAgent('Brancher');
    return session;
  }

  it('are the workspace of the agent: cwd, files, rules and terminals; the main folder is outside', async () => {
    const session = await newChat();
    const inWorktree = join(session.cwd, basename(folder));
    assert.equal(await readFile(join(inWorktree, 'own.txt'), 'utf8'), 'uncommitted\n');
    assert.deepEqual(session.folders, [session.cwd]);
    await session.send([`write ${basename(folder)}/new.txt by\\nthe\\nagent`, 'terminal pwd'].join('\n'));
    assert.equal(await readFile(join(inWorktree, 'new.txt'), 'utf8'), 'by\nthe\nagent');
    assert.equal(existsSync(join(folder, 'new.txt')), false);
    assert.match(
      await readFile(join(session.cwd, 'setup.txt'), 'utf8'),
      /ready/,
      'the first message waits for the setup',
    );
    assert.ok(conversation(session).includes(await realpath(session.cwd)), 'pwd');
    const requests = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('"session/new"'));
    assert.ok(requests.some((line) => line.includes(JSON.stringify(session.cwd))));
    assert.match(session.state.branch ?? '', /^parley\/write-/, 'the branch has the words of the first message');
    assert.equal(git('branch', '--list', session.state.branch ?? '').trim(), `+ ${session.state.branch}`);
  });

  it('list uncommitted files and commits before a discard, and leave no worktree and no branch', async () => {
    const session = await newChat();
    await session.send('write lost.txt something');
    const { branch, path } = current();
    runGit(path, 'commit', '-qm', 'own work', '--allow-empty');
    await vscode.commands.executeCommand('parley.discardWorktree', session.id);
    assert.match(asked.join('\n'), /Work that exists only in this worktree will be deleted[^]*lost\.txt[^]*own work/);
    assert.equal(existsSync(path), false);
    assert.equal(git('branch', '--list', branch), '');
    assert.equal(git('worktree', 'list').includes(path), false);
    await session.send('text again');
    assert.match(conversation(session), /does not exist/, 'the session does not go on in another folder');
  });
});
