import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { entryAt } from '../../src/shared/state/entryPages';
import { parseRecording } from '../../src/shared/traffic/trafficRecording';
import { temporaryFolder } from '../kit/temporaryFolder';
import { untilEvent } from '../kit/waiting';
import { makeInside } from './clientHelp';

/** Saving and replaying inside VS Code, with the built-in agent. */
describe('traffic', () => {
  let api: TestApi;
  let folder: string;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = temporaryFolder();
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('saves messages without local paths, and replays them', async () => {
    const file = join(folder, 'demo.jsonl');
    const session = api.sessions.newChat();
    await session.chooseAgent('Demo agent');
    const connection = api.traffic.connections.all().findLast(({ title }) => title === 'Demo agent');
    assert.ok(connection);
    await api.traffic.files.saveTo(vscode.Uri.file(file), connection);
    const text = await readFile(file, 'utf8');
    assert.ok(!text.includes(homedir()) && text.includes('"cwd":"/workspace"'));
    assert.ok(parseRecording(text).length >= 4);

    await api.traffic.files.replayFile(file);
    const replay = api.sessions.active;
    assert.equal(replay.state.title, 'Replay: demo.jsonl');
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (replay.state.agentSession) resolve();
      };
      replay.onDidDispatch(look);
      look();
    });
    await replay.send('more than was recorded');
    assert.match(JSON.stringify(replay.state), /The recording has no \\"session\/prompt\\"/);
  });

  it('gives a replay no files, commands and tools, and runs no line of the file', async () => {
    const file = join(folder, 'hostile.jsonl');
    const target = join(folder, 'written.txt');
    const write = { method: 'fs/write_text_file', params: { sessionId: 's', path: target, content: 'x' } };
    const prompt = { id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [] } };
    const lines = [
      { dir: 'out', t: 0, msg: { id: 0, method: 'initialize', params: {} } },
      { dir: 'in', t: 1, noise: JSON.stringify({ jsonrpc: '2.0', id: 0, result: { protocolVersion: 1 } }) },
      { dir: 'in', t: 2, msg: { id: 0, result: { protocolVersion: 1, authMethods: [{ id: 'a', name: 'A' }] } } },
      { dir: 'out', t: 3, msg: { id: 1, method: 'session/new', params: { cwd: '/workspace' } } },
      { dir: 'in', t: 4, msg: { id: 1, result: { sessionId: 's' } } },
      { dir: 'out', t: 5, msg: prompt },
      { dir: 'in', t: 6, noise: JSON.stringify({ jsonrpc: '2.0', id: 9, ...write }) },
      { dir: 'in', t: 7, msg: { id: 8, ...write } },
      { dir: 'in', t: 8, msg: { id: 2, result: { stopReason: 'end_turn' } } },
    ];
    await writeFile(file, lines.map((line) => JSON.stringify({ jsonrpc: '2.0', ...line })).join('\n'));
    await api.traffic.files.replayFile(file);
    await api.sessions.active.send('play');
    assert.equal(existsSync(target), false);
    const replay = api.traffic.connections.all().findLast(({ title }) => title === 'Replay: hostile.jsonl');
    assert.ok(replay);
    await api.traffic.files.saveTo(vscode.Uri.file(file), replay);
    const saved = parseRecording(await readFile(file, 'utf8'));
    const messages = saved.flatMap((line) => ('msg' in line && line.dir === 'out' ? [line.msg] : []));
    const paramsOf = (method: string): unknown => messages.find((message) => message['method'] === method)?.['params'];
    const { clientCapabilities } = paramsOf('initialize') as { clientCapabilities: Record<string, unknown> };
    assert.deepEqual([clientCapabilities['fs'], clientCapabilities['terminal']], [undefined, undefined]);
    assert.deepEqual((paramsOf('session/new') as { mcpServers: unknown }).mcpServers, []);
    // No answer to a request: neither reached Parley.
    assert.ok(messages.every(({ method }) => method !== undefined));
  });

  it('reviews nothing of what changes while a file is replayed', async () => {
    const inside = await makeInside('replay');
    const path = join(inside, 'a.txt');
    const file = join(folder, 'claims.jsonl');
    await writeFile(path, 'one\n');
    const named = `/workspace/${vscode.workspace.asRelativePath(path)}`;
    const update = (fields: object): object => ({
      method: 'session/update',
      params: { sessionId: 's', update: fields },
    });
    const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Edit', kind: 'edit', status: 'in_progress' };
    const options = [{ optionId: 'o', name: 'OK', kind: 'allow_once' }];
    const asked = { sessionId: 's', toolCall: { toolCallId: 't' }, options };
    const lines = [
      { dir: 'out', t: 0, msg: { id: 0, method: 'initialize', params: {} } },
      { dir: 'in', t: 1, msg: { id: 0, result: { protocolVersion: 1 } } },
      { dir: 'out', t: 2, msg: { id: 1, method: 'session/new', params: { cwd: '/workspace' } } },
      { dir: 'in', t: 3, msg: { id: 1, result: { sessionId: 's' } } },
      { dir: 'out', t: 4, msg: { id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [] } } },
      { dir: 'in', t: 6, msg: update({ ...call, locations: [{ path: named }] }) },
      { dir: 'in', t: 7, msg: { id: 8, method: 'session/request_permission', params: asked } },
      { dir: 'out', t: 8, msg: { id: 8, result: { outcome: { outcome: 'selected', optionId: 'o' } } } },
      { dir: 'in', t: 9, msg: { id: 2, result: { stopReason: 'end_turn' } } },
    ];
    await writeFile(
      file,
      lines.map(({ msg, ...line }) => JSON.stringify({ ...line, msg: { jsonrpc: '2.0', ...msg } })).join('\n'),
    );
    await api.traffic.files.replayFile(file);
    const session = api.sessions.active;
    const turn = session.send('play');
    await untilEvent(session.onDidDispatch, () => session.state.waiting.length > 0);
    await writeFile(path, 'two\n');
    const [waiting = 0] = session.state.waiting;
    const question = entryAt(session.state.entries, waiting);
    session.userRequests.answer(question?.kind === 'permission' ? question.permissionId : '', 'o');
    await turn;
    await api.reviewService.flush();
    assert.deepEqual(api.reviewService.review.files(session.id), []);
    await rm(inside, { recursive: true });
  });

  it('opens no chat for an invalid file', async () => {
    const file = join(folder, 'bad.jsonl');
    await writeFile(file, 'nonsense\n');
    const before = api.sessions.active;
    await api.traffic.files.replayFile(file);
    assert.equal(api.sessions.active, before);
  });

  it('opens one tab for the traffic', async () => {
    const tabs = (title: string): vscode.Tab[] =>
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label === title);
    const isOpen = (title: string): Promise<void> =>
      untilEvent(vscode.window.tabGroups.onDidChangeTabs, () => tabs(title).length > 0);
    await vscode.commands.executeCommand('parley.showTraffic');
    await isOpen('Traffic');
    await vscode.commands.executeCommand('parley.showTraffic');
    // VS Code opens tabs in the order of requests: another traffic tab would be open before this one.
    const last = vscode.window.createWebviewPanel('last', 'Last', vscode.ViewColumn.Active);
    await isOpen('Last');
    last.dispose();
    assert.equal(tabs('Traffic').length, 1);
  });
});
