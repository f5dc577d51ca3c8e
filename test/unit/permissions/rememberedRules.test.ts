import assert from 'node:assert/strict';
import { RememberedRules } from '../../../src/permissions/rememberedRules';

class Storage {
  readonly values = new Map<string, unknown>();
  fails = false;

  get(key: string): unknown {
    return this.values.get(key);
  }

  async update(key: string, value: unknown): Promise<void> {
    if (this.fails) throw new Error('no room');
    this.values.set(key, structuredClone(value));
  }
}

describe('rules: remembered', () => {
  const open = () => {
    const [workspace, everywhere] = [new Storage(), new Storage()];
    const make = (): RememberedRules => new RememberedRules({ workspace, everywhere, now: () => 7 });
    return { workspace, everywhere, make, store: make() };
  };
  const rule = { decision: 'allow', command: ['npm', 'test'] } as const;

  it('apply in their scope and are loaded in the next window, except those of a session', async () => {
    const { make, store } = open();
    let changes = 0;
    store.onDidChange(() => changes++);
    await store.add(rule, 'session', 'a');
    await store.add(rule, 'workspace', 'a');
    await store.add({ ...rule, decision: 'deny' }, 'everywhere', 'a');
    assert.equal(changes, 3);
    const scopes = (kept: RememberedRules, session?: string) => kept.list(session).map(({ scope }) => scope);
    assert.deepEqual(scopes(store, 'a'), ['everywhere', 'workspace', 'session']);
    assert.deepEqual(scopes(store, 'b'), ['everywhere', 'workspace']);
    assert.deepEqual(scopes(make()), ['everywhere', 'workspace']);
    store.endSession('a');
    assert.deepEqual(scopes(store), ['everywhere', 'workspace']);
  });

  it('are stored once, and removed permanently', async () => {
    const { make, store } = open();
    const first = await store.add(rule, 'workspace', 'a');
    assert.equal((await store.add({ command: ['npm', 'test'], decision: 'allow' }, 'workspace', 'b')).id, first.id);
    assert.equal(store.list().length, 1);
    await store.remove(first.id);
    await store.remove(first.id);
    assert.deepEqual(make().list(), []);
  });

  it('keep unknown entries of another version', async () => {
    const { workspace, store } = open();
    const strange = { id: 'x', rule: { decision: 'perhaps' } };
    workspace.values.set('parley.rememberedRules', [strange, 'rubbish']);
    await store.add(rule, 'workspace', 'a');
    assert.equal(store.list().length, 1);
    assert.deepEqual((workspace.values.get('parley.rememberedRules') as unknown[]).slice(0, 2), [strange, 'rubbish']);
  });

  it('allow nothing by a title alone that an earlier version kept from an answer', () => {
    const { workspace, store } = open();
    const [agent, kind, title] = ['Claude', 'other', 'Deploy'];
    const kept = [
      { decision: 'allow', title },
      { decision: 'allow', kind, title, agent, subject: 'a1' },
      { decision: 'deny', kind, title, agent },
      { decision: 'ask', kind, title, agent },
    ];
    const stored = [{ decision: 'allow', kind, title, agent }, ...kept].map((rule, at) => ({ id: `r${at}`, rule, at }));
    workspace.values.set('parley.rememberedRules', stored);
    assert.deepEqual(
      store.list().map(({ rule }) => rule),
      kept,
    );
    assert.deepEqual(workspace.values.get('parley.rememberedRules'), stored, 'nothing is deleted');
  });

  it('report that the storage is not writable', async () => {
    const { everywhere, store } = open();
    everywhere.fails = true;
    await assert.rejects(store.add(rule, 'everywhere', 'a'), /no room/);
  });
});
