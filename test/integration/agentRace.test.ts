import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { Disposable } from '../../src/base/lifecycle';
import type { LiveSession } from '../../src/session/liveSession';
import { entryAt } from '../../src/shared/state/entryPages';
import { AGENTS } from '../agents/catalog';
import { endLeftovers } from '../agents/leftovers';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import { runGit } from '../kit/runGit';
import { temporaryFolder } from '../kit/temporaryFolder';
import { untilEvent } from '../kit/waiting';
import { render } from '../replay/render';
import { workspaceFolder } from './clientHelp';
import { pickRows, replaceDialogs } from './replaceDialogs';

/** Agents that the full test run installs as well. */
const RACERS = ['claude', 'codex', 'opencode'];
const asked = process.env['PARLEY_AGENTS']?.split(' ').filter(Boolean);
const isAsked = asked?.includes('all') === true || RACERS.every((name) => asked?.includes(name));

/** One message to three real agents, each in its own git worktree, with a scripted model. */
describe('real agents in the extension host', () => {
  const servers: ModelServer[] = [];
  let api: TestApi;
  let root: string;
  let answering: Disposable | undefined;
  let restore: (() => void) | undefined;

  const attempts = (): LiveSession[] =>
    api.sessions.allOpen().filter(({ state }) => state.branch?.startsWith('parley/'));
  const git = (...args: string[]): string => runGit(workspaceFolder(), ...args);

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    root = temporaryFolder();
  });

  after(async () => {
    answering?.dispose();
    restore?.();
    for (const session of attempts()) {
      await session.restarter.forceStop();
      await api.sessions.close(session);
    }
    for (const { id } of api.worktrees.usable()) await api.worktrees.discard(id);
    for (const server of servers) await server.close();
    for (const name of RACERS) await endLeftovers(join(root, name));
    const settings = vscode.workspace.getConfiguration('parley');
    await settings.update('agents', undefined, vscode.ConfigurationTarget.Global);
  });

  if (isAsked) {
    it('claude, codex and opencode race: each works in its own worktree, and nothing is left after Discard', async () => {
      const agents: Record<string, object> = {};
      for (const { name, definition } of AGENTS.filter((agent) => RACERS.includes(agent.name))) {
        const home = join(root, name);
        await mkdir(home);
        const server = await startModelServer();
        servers.push(server);
        const { command, args, env } = await definition(server.url, home);
        agents[name] = { command, args, env };
      }
      const settings = vscode.workspace.getConfiguration('parley');
      await settings.update('agents', agents, vscode.ConfigurationTarget.Global);
      answering = api.sessions.onDidAsk(({ session, entry }) => {
        const request = entryAt(session.state.entries, entry);
        if (request?.kind !== 'permission') return;
        const option = request.options.find(({ kind }) => kind === 'allow_once');
        if (option) session.userRequests.answer(request.permissionId, option.optionId);
      });
      restore = replaceDialogs({ createQuickPick: pickRows(...RACERS) });
      await vscode.commands.executeCommand('parley.race', 'write raced.txt raced\nsay Done.');
      const isOver = (): boolean =>
        attempts().length === 3 && attempts().every(({ state }) => state.turns.length === 1);
      await untilEvent(api.sessions.onDidChange, isOver);

      for (const { state, cwd } of attempts()) {
        const name = state.agent?.name ?? '';
        assert.equal(state.turns[0]?.stopReason, 'end_turn', name);
        assert.equal(
          existsSync(join(cwd, 'raced.txt')),
          true,
          `${name} has worked in ${cwd}: ${JSON.stringify(render(state))}`,
        );
        const record = api.worktrees.around(cwd) ?? assert.fail(name);
        assert.deepEqual(
          (await api.worktrees.changes(record)).map((change) => change.name),
          ['raced.txt'],
        );
      }
      assert.equal(existsSync(join(workspaceFolder(), 'raced.txt')), false);
      const ids = attempts().map(({ cwd }) => api.worktrees.around(cwd)?.id ?? '');
      for (const session of attempts()) await session.restarter.forceStop();
      for (const id of ids) await api.worktrees.discard(id);
      assert.equal(git('worktree', 'list').trim().split('\n').length, 1);
      assert.equal(git('branch', '--list', 'parley/*'), '');
    });
  }
});
