import { diagnostics, stub } from './vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/event';
import type { SessionListItem } from '../../../src/history/sessionSummary';
import type { SessionCatalog } from '../../../src/session/sessionCatalog';
import { StartPageSource } from '../../../src/ui/startPageSource';
import { stubOf } from '../../kit/stubOf';

const item = (id: string, more: Partial<SessionListItem> = {}): SessionListItem =>
  stubOf<SessionListItem>({
    id,
    title: `About ${id}`,
    agent: { name: 'claude', title: 'Claude' },
    agentSession: undefined,
    branch: undefined,
    imported: undefined,
    folder: undefined,
    lastPrompt: `About ${id}`,
    added: 3,
    removed: 0,
    updatedAt: Date.now(),
    archived: false,
    status: 'idle',
    ...more,
  });

describe('ui/startPageSource', () => {
  const changed = new Emitter<void>();
  let items: SessionListItem[];
  let source: StartPageSource;

  before(() => {
    Object.assign(stub.workspace, {
      workspaceFolders: [],
      getWorkspaceFolder: ({ path }: { path: string }) => (path.startsWith('/w/') ? {} : undefined),
    });
  });

  beforeEach(() => {
    items = [];
    diagnostics.length = 0;
    source = new StartPageSource(stubOf<SessionCatalog>({ items: () => items, onDidChange: changed.event }));
  });

  afterEach(() => source.dispose());

  it('has the three newest sessions that are not archived, and none where there is none', () => {
    assert.equal(source.content.recent, undefined);
    items = [item('a', { status: 'waiting' }), item('b', { archived: true }), item('c'), item('d'), item('e')];
    changed.fire();
    assert.deepEqual(source.content.recent, [
      { id: 'a', title: 'About a', agent: 'claude', description: 'Claude · waiting for you · +3 −0' },
      { id: 'c', title: 'About c', agent: 'claude', description: 'Claude · now · +3 −0' },
      { id: 'd', title: 'About d', agent: 'claude', description: 'Claude · now · +3 −0' },
    ]);
  });

  it('shows hidden characters of titles and prompts', () => {
    items = [item('a', { title: 'About\u202e a', lastPrompt: 'b\u200bc' })];
    changed.fire();
    const [first] = source.content.recent ?? [];
    assert.equal(first?.title, 'About\\u{202e} a');
    assert.equal(first.description, 'Claude · now · +3 −0 · b\\u{200b}c');
  });

  it('knows problems of files in the workspace, and no others', () => {
    diagnostics.push([{ path: '/other/a.ts' }, [{ severity: 0 }]], [{ path: '/w/a.ts' }, [{ severity: 3 }]]);
    assert.deepEqual(source.content.facts, { hasProblems: false, hasChanges: false });
    diagnostics.push([{ path: '/w/b.ts' }, [{ severity: 1 }]]);
    changed.fire();
    assert.deepEqual(source.content.facts, { hasProblems: true, hasChanges: false });
  });

  it('knows that a repository has uncommitted changes', () => {
    const state = { workingTreeChanges: [], indexChanges: [{}] };
    const exports = { getAPI: () => ({ repositories: [{ state }] }) };
    const { getExtension } = stub.extensions;
    stub.extensions.getExtension = () => ({ isActive: true, exports });
    try {
      assert.equal(source.content.facts.hasChanges, true);
    } finally {
      stub.extensions.getExtension = getExtension;
    }
  });
});
