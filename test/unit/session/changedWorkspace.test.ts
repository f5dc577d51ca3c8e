import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { SessionBench } from './sessionBench';

/** Workspace folders are added and removed while agents work in them. */
describe('session: a workspace that changes', function () {
  let root: string;
  let [one, two, go] = ['', '', ''];
  let folders: readonly string[];
  let isConfigured: boolean;
  let bench: SessionBench;

  beforeEach(async () => {
    root = temporaryFolder();
    [one, two, go] = [join(root, 'one'), join(root, 'two'), join(root, 'go')];
    for (const folder of [one, two]) mkdirSync(folder);
    folders = [one, two];
    isConfigured = true;
    bench = await SessionBench.open({ sessions: { folders: () => folders }, isConfigured: () => isConfigured });
  });

  afterEach(async () => {
    await bench.close();
  });

  const opened = (): unknown[] =>
    bench
      .received()
      .filter(({ method }) => method === 'session/new')
      .map(({ params }) => (params as { cwd: string }).cwd);

  /** A turn during which `change` happens. */
  async function turnWith(change: () => void): Promise<void> {
    const turn = bench.send('text before', `until-file ${go}`, 'text after');
    await bench.until(() => /\[agent\]\n {2}before/.test(bench.text));
    change();
    writeFileSync(go, '');
    await turn;
    rmSync(go);
    assert.match(bench.text, /\[agent\]\n {2}beforeafter/);
    assert.equal(bench.session.state.turns.at(-1)?.stopReason, 'end_turn');
  }

  it('continues in a folder that was removed during the turn, without treating it as workspace', async () => {
    bench.session.setFolder(two);
    await turnWith(() => (folders = [one]));
    await bench.send('text again');
    assert.match(bench.text, /again/);
    assert.deepEqual([bench.session.cwd, bench.session.folders], [two, [one]]);
    assert.deepEqual(opened(), [two]);
  });

  it('includes a folder that was added during the turn', async () => {
    folders = [one];
    await turnWith(() => (folders = [one, two]));
    assert.deepEqual(bench.session.folders, [one, two]);
    await bench.send('text again');
    assert.deepEqual(opened(), [one]);
    const other = bench.sessions.newChat();
    other.setFolder(two);
    await other.send('text there');
    assert.deepEqual(opened(), [one, two]);
  });

  it('keeps an agent that was removed from the settings during the turn, and reports it at the next start', async () => {
    await turnWith(() => (isConfigured = false));
    await bench.send('text again', 'kill');
    assert.match(bench.text, /again/);
    await bench.send('text too late');
    assert.match(bench.text, /There is no agent named “fake”/);
    assert.equal(bench.session.state.turn.status, 'idle');
    isConfigured = true;
    await bench.send('text back again');
    assert.match(bench.text, /\[agent\]\n {2}back again/);
  });

  it('reports a folder that was deleted from disk when the agent has to start again', async () => {
    bench.session.setFolder(two);
    await bench.send('text hello');
    rmSync(two, { recursive: true });
    folders = [one];
    await bench.send('kill');
    await bench.send('text again');
    assert.match(bench.text, new RegExp(`(folder|Folder)[^]*${two}|${two}[^]*folder`));
    assert.equal(bench.session.state.turn.status, 'idle');
    mkdirSync(two);
    await bench.send('text back again');
    assert.match(bench.text, /back again/);
  });
});
