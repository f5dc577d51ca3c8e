import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { nullLogger } from '../../src/base/logger';
import { EditAndResend } from '../../src/session/commands/editAndResend';
import type { LiveSession } from '../../src/session/liveSession';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { SessionState } from '../../src/shared/state/sessionState';
import { fakeAgent } from '../fakeAgent/definition';
import { untilEvent } from '../kit/waiting';
import { render } from '../replay/render';
import { makeInside, remove } from './clientHelp';

/** Edited and resent messages with restored files, and queued messages, in the complete extension. */
describe('sending a message again in the extension host', () => {
  let api: TestApi;
  let folder: string;
  let session: LiveSession;
  let resending: EditAndResend;

  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('parley');

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent({
      FAKE_CAPABILITIES: JSON.stringify({ promptCapabilities: { embeddedContext: true } }),
    });
    await settings().update('agents', { Again: { command, args, env } }, vscode.ConfigurationTarget.Global);
    resending = new EditAndResend({
      sessions: api.sessions,
      log: nullLogger,
      read: async () => [],
      filesBefore: (from, entry) => api.reviewEditor.filesBefore(from, entry),
      inherit: (from, to, cut) => api.reviewService.inherit(from, to, cut),
    });
  });

  after(async () => {
    for (const item of api.catalog.items()) if (item.agent?.name === 'Again') await api.catalog.remove(item.id);
    await settings().update('agents', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('checkpoints.enabled', undefined, vscode.ConfigurationTarget.Global);
  });

  beforeEach(async () => {
    await api.reviewService.review.keepAll();
    folder = await makeInside('resend');
    await writeFile(at('a.txt'), 'a before\n');
    await writeFile(at('b.txt'), 'b before\n');
    session = api.sessions.newChat();
    await session.chooseAgent('Again');
  });

  afterEach(async () => {
    await api.reviewService.review.keepAll();
    await remove(folder);
    await api.reviewService.flush();
  });

  const at = (name: string): string => join(folder, name);
  const disk = (name: string): Promise<string> => readFile(at(name), 'utf8');

  async function play(...script: string[]): Promise<void> {
    await session.send(script.join('\n'));
    await api.reviewService.flush();
  }

  const untilState = (of: LiveSession, holds: (state: SessionState) => boolean): Promise<void> =>
    untilEvent(of.onDidDispatch, () => holds(of.state));

  const prompt = (text: string): number => {
    for (const [index, entry] of entriesFrom(session.state.entries))
      if (entry.kind === 'user' && entry.text.includes(text)) return index;
    throw new Error(`no prompt with ${text}`);
  };

  it('restores the files before that message only; review and checkpoints continue', async () => {
    await play(`disk ${at('a.txt')} a by the agent\\n`, 'text first');
    await play(`disk ${at('b.txt')} b by the agent\\n`, 'text second');
    const entry = prompt('second');
    await untilState(session, ({ turns, checkpoints }) => turns[1]?.files?.length === 1 && checkpoints.length === 2);
    const [first, second] = session.state.turns;
    assert.deepEqual(
      [first, second].map((turn) => turn?.files?.map(({ path, added, removed }) => [path, added, removed])),
      [[[at('a.txt'), 1, 1]], [[at('b.txt'), 1, 1]]],
    );
    const resent = await resending.resend(session.id, entry, 'text instead', []);
    assert.ok(resent.type === 'ready', resent.type);
    assert.deepEqual([await disk('a.txt'), await disk('b.txt')], ['a by the agent\n', 'b before\n']);
    await resent.start();
    const branch = api.sessions.getOpen(resent.session.id);
    assert.ok(branch);
    assert.match(render(branch.state), /first[^]*A new session starts here[^]*instead/);
    await untilState(branch, ({ changes, checkpoints }) => changes.length === 1 && checkpoints.length === 2);
    assert.equal(branch.state.changes[0]?.path, at('a.txt'));
    assert.deepEqual(
      branch.state.checkpoints.map((mark) => mark.entry),
      [0, prompt('second') + 1],
    );
    // The agent counts as working until its turn has been recorded.
    await api.reviewService.flush();
    assert.deepEqual((await api.reviewService.checkpoints.restore(branch.id, 0)).problems, []);
    assert.equal(await disk('a.txt'), 'a before\n');
    assert.match(render(session.state), /second/);
  });

  it('has the changes of the session in the new one, also after a restore, in the chat and in the list', async () => {
    await play(`disk ${at('a.txt')} a by the agent\\n`, 'text first');
    await play(`disk ${at('b.txt')} b by the agent\\n`, 'text second');
    await play('text third');
    const resent = await resending.resend(session.id, prompt('third'), 'text instead', []);
    assert.ok(resent.type === 'ready', resent.type);
    await resent.start();
    const branch = api.sessions.getOpen(resent.session.id);
    assert.ok(branch);
    await api.reviewService.flush();
    const rows = (): unknown[] =>
      [session, branch].map(({ id, state: { changes } }) => {
        const { added, removed } = api.catalog.item(id) ?? {};
        return [changes.length, added, removed];
      });
    const have = async (count: number): Promise<void> => {
      const holds = ({ changes }: SessionState): boolean => changes.length === count;
      await Promise.all([untilState(session, holds), untilState(branch, holds)]);
      assert.deepEqual(rows(), [
        [count, count, count],
        [count, count, count],
      ]);
    };
    await have(2);
    assert.deepEqual((await api.reviewService.checkpoints.restore(branch.id, prompt('second'))).problems, []);
    await have(1);
    await api.reviewService.review.undoAll(session.id);
    await untilState(branch, ({ changes }) => changes.length === 0);
    assert.deepEqual(rows(), [
      [0, undefined, undefined],
      [0, undefined, undefined],
    ]);
  });

  it('reports that no files were restored while checkpoints are disabled', async () => {
    await settings().update('checkpoints.enabled', false, vscode.ConfigurationTarget.Global);
    await play(`disk ${at('a.txt')} a by the agent\\n`);
    const resent = await resending.resend(session.id, 0, 'text instead', []);
    assert.ok(resent.type === 'ready');
    await resent.start();
    assert.match(render(resent.session.state), /The files were not restored/);
    assert.equal(await disk('a.txt'), 'a by the agent\n');
    await settings().update('checkpoints.enabled', undefined, vscode.ConfigurationTarget.Global);
  });

  it('reads attachments of a queued message when it is sent', async () => {
    const go = at('go');
    const working = session.send(`text working\nuntil-file ${go}`);
    await untilState(session, ({ entries }) => entries.count > 1);
    const attachments = [{ kind: 'file', uri: vscode.Uri.file(at('a.txt')).toString(), label: 'a.txt' }] as const;
    await session.send(
      'text later',
      [{ type: 'resource', uri: attachments[0].uri, text: 'a before\n', isFile: true }],
      {
        attachments,
      },
    );
    await writeFile(at('a.txt'), 'a meanwhile\n');
    await writeFile(go, '');
    await working;
    await untilState(session, ({ turn, queue }) => queue.messages.length === 0 && turn.status === 'idle');
    const sent = [...entriesFrom(session.state.entries)].findLast(([, entry]) => entry.kind === 'user')?.[1];
    assert.ok(sent?.kind === 'user' && sent.blocks[0]?.type === 'resource');
    assert.equal(sent.blocks[0].text, 'a meanwhile\n');
  });
});
