import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import { entryAt } from '../../src/shared/state/entryPages';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { until } from '../kit/waiting';
import { render } from '../replay/render';
import { replaceDialogs } from './replaceDialogs';

/** Export, import, copy, and undo, with the complete extension and a real agent process. */
describe('the history of sessions in the extension host', () => {
  const restores: (() => void)[] = [];
  let api: TestApi;
  let folder: string;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    folder = temporaryFolder();
    const { command, args, env } = fakeAgent({});
    const agents = { Historian: { command, args, env } };
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
  });

  afterEach(() => {
    for (const restore of restores.splice(0).toReversed()) restore();
  });

  after(async () => {
    for (const item of api.catalog.items()) if (item.agent?.name === 'Historian') await api.catalog.remove(item.id);
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
  });

  /** Answers a dialog and records its arguments. */
  function answer(dialog: keyof typeof vscode.window, reply: (...args: never[]) => unknown): unknown[][] {
    const asked: unknown[][] = [];
    const show = (...args: never[]): unknown => {
      asked.push(args);
      return Promise.resolve(reply(...args));
    };
    restores.push(replaceDialogs({ [dialog]: show }));
    return asked;
  }

  async function chat(text: string): Promise<LiveSession> {
    const session = api.sessions.newChat();
    await session.chooseAgent('Historian');
    await session.send(text);
    return session;
  }

  const titles = (): string[] => api.catalog.items().map(({ title }) => title);

  it('exports a session as JSON, which is imported read-only, found by search and continued in a new chat', async () => {
    const session = await chat('hello export');
    const file = join(folder, 'export.json');
    answer('showSaveDialog', () => vscode.Uri.file(file));
    const told = answer('showInformationMessage', () => undefined);
    await vscode.commands.executeCommand('parley.exportSession', session.id);
    assert.match(String(told[0]?.[0]), /exported to export\.json/);

    await vscode.commands.executeCommand('parley.importSession', vscode.Uri.file(file));
    const imported = api.sessions.active;
    assert.notEqual(imported.id, session.id);
    assert.equal(render(imported.state).replace('turn: idle \n', 'turn: idle end_turn\n'), render(session.state));
    assert.equal(imported.state.imported?.file, 'export.json');
    const item = api.catalog.item(imported.id);
    assert.ok(item?.imported && item.title === session.state.title);

    const before = imported.state.entries.count;
    await imported.send('this goes nowhere');
    assert.equal(imported.state.entries.count, before);

    await vscode.commands.executeCommand('parley.continueInNewChat', { session: imported.id });
    assert.equal(api.sessions.active.state.entries.count, 0);
    await api.catalog.remove(imported.id);
  });

  it('exports Markdown without secrets, opens it as a document, and copies parts', async () => {
    const session = await chat('my token is ghp_0123456789abcdefghijABCDEFGHIJ012345');
    const file = join(folder, 'export.md');
    answer('showSaveDialog', () => vscode.Uri.file(file));
    answer('showInformationMessage', () => undefined);
    await vscode.commands.executeCommand('parley.exportSession', session.id);
    const text = await readFile(file, 'utf8');
    assert.match(text, /^# my token[^]*- Agent: Historian[^]*## You[^]*## Agent/);
    assert.ok(!text.includes('ghp_0123'), text);

    const errors = answer('showErrorMessage', () => undefined);
    await vscode.commands.executeCommand('parley.openSessionAsDocument', api.sessions.newSession().id);
    assert.deepEqual(errors, [], 'an empty session is no error');
    await vscode.commands.executeCommand('parley.openSessionAsDocument', session.id);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.languageId, 'markdown');
    assert.equal(editor.document.isUntitled, false);
    assert.match(editor.document.getText(), /^# my token/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');

    await vscode.commands.executeCommand('parley.copyEntry', { session: session.id, entry: 0 });
    assert.match(await vscode.env.clipboard.readText(), /^## You\n\nmy token[^#]*$/);
    await vscode.commands.executeCommand('parley.copyTurn', { session: session.id, entry: 1 });
    assert.match(await vscode.env.clipboard.readText(), /^## You\n\nmy token[^#]*## Agent/);
  });

  it('reports what is invalid in a file', async () => {
    const file = join(folder, 'bad.json');
    await writeFile(
      file,
      '{"format":"parley-session","version":1,"parley":"1","exported":"x","title":"t","entries":7}',
    );
    const errors = answer('showErrorMessage', () => undefined);
    const before = titles();
    await vscode.commands.executeCommand('parley.importSession', vscode.Uri.file(file));
    assert.match(String(errors[0]?.[0]), /^entries: expected a list, got the number 7\. Select a \.json file/);
    assert.deepEqual(titles(), before);
  });

  it('deletes a session, and Undo restores and shows it; without Undo it is deleted from disk', async () => {
    const session = await chat('hello undo');
    const asked = answer('showInformationMessage', (_text: string, undo: string) => undo);
    await vscode.commands.executeCommand('parley.deleteSession', session.id);
    assert.match(String(asked[0]?.[0]), /“hello undo” was deleted\./);
    await until(() => api.sessions.active.id === session.id);
    assert.ok(titles().includes('hello undo'));
    assert.match(render(api.sessions.active.state), /hello undo/);

    answer('showInformationMessage', () => undefined);
    await vscode.commands.executeCommand('parley.deleteSession', session.id);
    assert.ok(!titles().includes('hello undo'));
    await until(() => api.sessions.store.get(session.id) === undefined);
    await api.sessions.store.flush();
    assert.equal(await api.sessions.store.readTranscript(session.id), undefined);
  });

  it('archives a session, with Undo', async () => {
    const session = await chat('hello archive');
    answer('showInformationMessage', (_text: string, undo: string) => undo);
    await vscode.commands.executeCommand('parley.archiveSession', session.id);
    await until(() => api.catalog.item(session.id)?.archived === false);
  });

  it('searches while the user types, and shows the selected entry', async () => {
    const session = await chat('text The aubergine is ripe');
    await chat('hello other');
    const picks: vscode.QuickPick<vscode.QuickPickItem>[] = [];
    const { createQuickPick } = vscode.window;
    const recordPick = (): vscode.QuickPick<vscode.QuickPickItem> => {
      const pick = createQuickPick();
      picks.push(pick);
      return pick;
    };
    restores.push(replaceDialogs({ createQuickPick: recordPick }));
    const done = vscode.commands.executeCommand('parley.searchSessions', 'aubergine');
    await until(() => picks[0]?.items.some(({ detail }) => detail?.includes('aubergine')) === true && !picks[0].busy);
    const [pick] = picks;
    assert.ok(pick);
    // The first row, which is active by default, belongs to this session.
    assert.match(pick.items[0]?.label ?? '', /aubergine/);
    assert.ok(pick.items.some(({ detail }) => detail?.includes('The aubergine is ripe')));
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    await done;
    assert.equal(api.sessions.active.id, session.id);
    assert.ok(entryAt(session.state.entries, 0));
  });
});
