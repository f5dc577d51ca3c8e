import { picks, resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { AgentRef } from '../../../../src/shared/state/sessionState';
import { pickSession } from '../../../../src/ui/sessions/sessionPicker';
import { stubOf } from '../../../kit/stubOf';
import { becomes, settled } from '../../../kit/waiting';

const can = { rename: true, archive: true, delete: true, fork: false };

/** Items of the catalog; a test changes them before its quick pick is refreshed. */
let notRunning: AgentRef[] = [];
/** The same for all items of a test, so that their order does not depend on the milliseconds between two calls. */
let updatedAt = 0;

function item(id: string, more: Partial<SessionListItem> = {}): SessionListItem {
  const agent = { name: 'fake', title: 'Fake' };
  return {
    id,
    title: `About ${id}`,
    renamed: false,
    agent,
    updatedAt,
    archived: false,
    status: 'idle',
    isActive: false,
    isOurs: true,
    can,
    ...more,
  };
}

function setUp(items: SessionListItem[], loadSessionsOf: (name: string) => Promise<void> = async () => {}) {
  resetStub();
  const changed = new Emitter<void>();
  notRunning = [];
  let listed: (() => void) | undefined;
  const catalog = stubOf<SessionCatalog>({
    items: () => items,
    onDidChange: changed.event,
    refresh: () => new Promise<void>((resolve) => (listed = resolve)),
    listNotRunning: () => notRunning,
    loadSessionsOf,
  });
  const chosen = pickSession(catalog);
  return { chosen, list: picks[0]!, changed, listed: () => listed?.() };
}

describe('ui/sessions/sessionPicker', () => {
  beforeEach(() => {
    updatedAt = Date.now() - 60_000;
  });

  it('opens immediately, with pending sessions first and a hidden one selected', async () => {
    const { chosen, list } = setUp([
      item('apples', { isActive: true }),
      item('pears'),
      item('plums', { status: 'waiting' }),
      item('put aside', { archived: true }),
    ]);
    assert.equal(list.title, 'Open Session');
    assert.deepEqual(list.rows, [
      '— Waiting for you',
      '$(bell-dot) About plums | Fake · waiting for you',
      '— Today',
      '$(comment-discussion) About apples | Fake · 1 min',
      '$(comment-discussion) About pears | Fake · 1 min',
      '— Archived',
      '$(archive) About put aside | Fake · 1 min',
    ]);
    assert.deepEqual(list.active, ['$(comment-discussion) About pears']);
    list.accept('$(bell-dot) About plums');
    assert.deepEqual(await chosen, { id: 'plums', location: 'there' });
  });

  it('updates with the session lists of agents, and keeps the selected row', async () => {
    const items = [item('apples', { isActive: true }), item('pears')];
    const { chosen, list, changed, listed } = setUp(items);
    assert.equal(list.busy, true);
    items.unshift(item('quinces'));
    changed.fire();
    assert.deepEqual(list.rows?.length, 4);
    assert.deepEqual(list.active, ['$(comment-discussion) About pears']);
    listed();
    await settled();
    assert.equal(list.busy, false);
    list.hide();
    assert.equal(await chosen, undefined);
  });

  it('activates the first row that the typed text shows, also when it crosses a refill', async () => {
    const items = [item('apples', { isActive: true }), item('pears')];
    const { chosen, list, changed } = setUp(items);
    assert.deepEqual(list.active, ['$(comment-discussion) About pears']);
    list.type?.('apples');
    changed.fire();
    assert.deepEqual(list.active, ['$(comment-discussion) About apples']);
    list.type?.('plums', false);
    assert.deepEqual(list.active, ['$(comment-discussion) About apples'], 'as far as the extension knows');
    items.push(item('plums'));
    changed.fire();
    await becomes(() => list.active, ['$(comment-discussion) About plums']);
    list.hide();
    assert.equal(await chosen, undefined);
  });

  it('opens a session in an editor by the button of its row', async () => {
    const { chosen, list } = setUp([item('apples', { updatedAt: 0, isOurs: false })]);
    await list.press?.('Fake');
    assert.deepEqual(await chosen, { id: 'apples', location: 'editor' });
  });

  it('escapes icons in titles', () => {
    const { list } = setUp([item('x', { title: '$(check) safe' })]);
    assert.doesNotMatch(list.rows?.join('') ?? '', /\$\(check\)/);
  });

  it('starts a stopped agent when its row is selected, stays open and adds its sessions', async () => {
    const loads: { name: string; end: (problem?: string) => void }[] = [];
    const items = [item('apples')];
    const { chosen, list, changed, listed } = setUp(
      items,
      (name) =>
        new Promise((resolve, reject) =>
          loads.push({ name, end: (problem) => (problem === undefined ? resolve() : reject(new Error(problem))) }),
        ),
    );
    notRunning = [{ name: 'c', title: 'Claude $(x)' }];
    changed.fire();
    listed();
    await settled();
    assert.deepEqual(list.rows?.slice(2), [
      '— Agents that are not running',
      '$(cloud-download) Load sessions of Claude $\u2060(x)…',
    ]);
    list.accept(list.labels.at(-1) ?? '');
    list.accept(list.labels.at(-1) ?? '');
    assert.deepEqual(
      loads.map(({ name }) => name),
      ['c'],
      'once',
    );
    assert.equal(list.labels.at(-1), '$(loading~spin) Loading sessions of Claude $\u2060(x)…');
    assert.equal(list.busy, true);
    loads[0]?.end('It ended');
    await settled();
    assert.equal(list.rows?.at(-1), '$(cloud-download) Load sessions of Claude $\u2060(x)… | It ended');
    assert.equal(list.busy, false);
    list.accept(list.labels.at(-1) ?? '');
    notRunning = [];
    items.push(item('of Claude', { isOurs: false }));
    loads[1]?.end();
    await settled();
    assert.equal(list.rows?.at(-1), '$(comment-discussion) About of Claude | Fake · 1 min');
    list.accept('$(comment-discussion) About of Claude');
    assert.deepEqual(await chosen, { id: 'of Claude', location: 'there' });
  });
});
