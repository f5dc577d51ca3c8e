import { stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { TreeView } from 'vscode';
import { Emitter } from '../../../../src/base/event';
import { toDisposable } from '../../../../src/base/lifecycle';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { SessionGroup } from '../../../../src/ui/sessions/sessionGroups';
import type { SessionNode } from '../../../../src/ui/sessions/sessionTree';
import { SessionTree } from '../../../../src/ui/sessions/sessionTree';
import { sessionItem } from '../../../kit/sessionItem';
import { stubOf, standIn } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';

/** A list of VS Code: the extension gets its selection with the result of a command. */
class List {
  /** The row with the keyboard focus. */
  focus: SessionNode | undefined;
  /** The selection as the extension knows it. */
  selection: readonly SessionNode[] = [];
  readonly visible = true;
  #selected: readonly SessionNode[] = [];

  async reveal(node: SessionNode): Promise<void> {
    this.#selected = [node];
    await this.#tell();
  }

  async toggle(): Promise<void> {
    const { focus } = this;
    if (!focus) return;
    const others = this.#selected.filter((one) => one !== focus);
    this.#selected = others.length < this.#selected.length ? others : [...others, focus];
    await this.#tell();
  }

  onDidChangeVisibility(): { dispose(): void } {
    return toDisposable(() => undefined);
  }

  dispose(): void {}

  async #tell(): Promise<void> {
    const selected = this.#selected;
    await settled();
    this.selection = selected;
  }
}

const node = (id: string): SessionNode => ({ type: 'session', item: sessionItem(id) });

describe('ui/sessions/sessionTree', () => {
  let list: List;
  let items: readonly SessionListItem[];
  const changed = new Emitter<void>();

  function open(): SessionTree {
    list = new List();
    items = [sessionItem('one', { isActive: true }), sessionItem('two')];
    const { executeCommand } = stub.commands;
    const run = async (id: string): Promise<void> =>
      id === 'list.toggleSelection' ? list.toggle() : executeCommand(id);
    Object.assign(stub.commands, { executeCommand: run });
    const catalog = stubOf<SessionCatalog>({
      items: () => [...items],
      onDidChange: changed.event,
      refresh: async () => undefined,
      statusAtAgent: async () => undefined,
    });
    return new SessionTree(catalog, standIn<TreeView<SessionNode>>(list));
  }

  it('tracks the focused row without changing the selection', async () => {
    const tree = open();
    const [one, two] = [node('one'), node('two')];
    await list.reveal(one);
    for (const focused of [one, two]) {
      list.focus = focused;
      assert.equal(await tree.findFocusedId(), focused.type === 'session' ? focused.item.id : '');
      assert.deepEqual(list.selection, [one]);
    }
    list.focus = { type: 'group', group: stubOf<SessionGroup>({ id: 'today', label: 'Today', items: [] }) };
    assert.equal(await tree.findFocusedId(), undefined);
    list.focus = undefined;
    assert.equal(await tree.findFocusedId(), undefined);
    tree.dispose();
  });

  it('does not treat the shown session, which becomes selected, as focused', async () => {
    const tree = open();
    list.focus = node('two');
    changed.fire();
    // The tree selects the active session after its changes were collected.
    await settled();
    assert.equal(await tree.findFocusedId(), 'two');
    tree.dispose();
  });

  describe('when an empty chat is shown', () => {
    async function showEmptyChat(tree: SessionTree): Promise<string[]> {
      const ids = (): string[] => ['one', 'two'].map((id) => tree.getTreeItem(node(id)).id ?? '');
      const before = ids();
      items = [sessionItem('one'), sessionItem('two')];
      changed.fire();
      await settled();
      return ids().filter((id, at) => id !== before[at]);
    }

    it('replaces the row of the session before, since VS Code cannot clear a selection', async () => {
      const tree = open();
      changed.fire();
      await settled();
      await settled();
      assert.equal(list.selection.length, 1);
      let refreshed = 0;
      tree.onDidChangeTreeData(() => refreshed++);
      const replaced = await showEmptyChat(tree);
      assert.equal(replaced.length, 1);
      assert.match(replaced[0] ?? '', /^one/);
      assert.equal(refreshed, 1);
      tree.dispose();
    });

    it('leaves a row that the user selected', async () => {
      const tree = open();
      changed.fire();
      await settled();
      await list.reveal(node('two'));
      assert.deepEqual(await showEmptyChat(tree), []);
      tree.dispose();
    });
  });
});
