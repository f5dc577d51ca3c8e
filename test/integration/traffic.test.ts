import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/testApi';
import { parseRecording } from '../../src/shared/traffic/trafficRecording';
import { until } from './clientHelp';

/** Saving and replaying inside VS Code, with the built-in agent. */
describe('traffic', () => {
  let api: TestApi;
  let folder: string;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = await mkdtemp(join(tmpdir(), 'parley-traffic-'));
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(folder, { recursive: true, force: true });
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
      until(vscode.window.tabGroups.onDidChangeTabs, () => tabs(title).length > 0);
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
