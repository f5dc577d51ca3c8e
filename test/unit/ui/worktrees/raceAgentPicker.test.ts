import { resetStub, stub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { Emitter } from '../../../../src/base/event';
import { plainLabel } from '../../../../src/base/untrustedText';
import { pickRaceAgents } from '../../../../src/ui/worktrees/raceAgentPicker';
import { standIn } from '../../../kit/stubOf';

interface Row {
  readonly label: string;
  readonly description: string;
  readonly buttons: readonly { readonly tooltip: string }[];
}

/** A quick pick with check boxes. */
class FakePick {
  readonly accepted = new Emitter<void>();
  readonly hidden = new Emitter<void>();
  readonly pressed = new Emitter<unknown>();
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;
  readonly onDidTriggerItemButton = this.pressed.event;
  readonly moved = new Emitter<Row[]>();
  readonly typed = new Emitter<string>();
  readonly onDidChangeActive = this.moved.event;
  readonly onDidChangeValue = this.typed.event;
  value = '';
  title = '';
  placeholder = '';
  items: Row[] = [];
  selectedItems: Row[] = [];
  activeItems: Row[] = [];
  show(): void {}
  dispose(): void {}

  shown(): string[] {
    return this.items.map((row) =>
      `${this.selectedItems.includes(row) ? 'x' : '-'} ${row.label} ${row.description}`.trim(),
    );
  }

  check(...labels: string[]): void {
    this.selectedItems = this.items.filter(({ label }) => labels.includes(label));
  }

  press(label: string, tooltip: string): void {
    const item = this.items.find((row) => row.label === label);
    this.pressed.fire({ item, button: item?.buttons.find((button) => button.tooltip === tooltip) });
  }
}

describe('ui/worktrees/raceAgentPicker', () => {
  let pick: FakePick;
  beforeEach(() => {
    resetStub();
    pick = new FakePick();
    stub.window.createQuickPick = () => standIn(pick);
  });

  const [more, less] = ['One more attempt', 'One attempt less'];
  const open = (...titles: string[]): Promise<string[] | undefined> =>
    pickRaceAgents(
      titles.map((title) => standIn<AgentDefinition>({ name: title.toLowerCase(), title })),
      'Improve $(it)',
    ).then((agents) => agents?.map(({ name }) => name));

  it('shows one row for each agent, with a number of attempts', async () => {
    const picked = open('Ann', 'Ben', 'Cid');
    assert.deepEqual(pick.shown(), ['- Ann', '- Ben', '- Cid']);
    assert.equal(pick.placeholder, plainLabel('Improve $(it)'));
    pick.check('Ann');
    pick.press('Ann', more);
    pick.press('Cid', more);
    assert.deepEqual(pick.shown(), ['x Ann 2 attempts', '- Ben', 'x Cid']);
    assert.deepEqual(pick.activeItems, [pick.items[2]]);
    pick.press('Cid', less);
    pick.press('Ann', more);
    pick.press('Ann', less);
    assert.deepEqual(pick.shown(), ['x Ann 2 attempts', '- Ben', '- Cid']);
    pick.check('Ann', 'Ben');
    pick.accepted.fire();
    assert.deepEqual(await picked, ['ann', 'ann', 'ben']);
  });

  it('sets the number of attempts of the active row by a digit', async () => {
    const picked = open('Ann', 'Ben 2');
    pick.moved.fire(pick.items.slice(0, 1));
    pick.value = '2';
    // The row that the digit finds.
    pick.moved.fire(pick.items.slice(1));
    pick.typed.fire('2');
    assert.deepEqual([pick.value, ...pick.shown()], ['', 'x Ann 2 attempts', '- Ben 2']);
    pick.moved.fire(pick.items.slice(1));
    pick.typed.fire('1');
    pick.moved.fire(pick.items.slice(0, 1));
    pick.typed.fire('0');
    assert.deepEqual(pick.shown(), ['- Ann', 'x Ben 2']);
    pick.typed.fire('3');
    pick.accepted.fire();
    assert.deepEqual(await picked, ['ann', 'ann', 'ann', 'ben 2']);
  });

  it('stays open until two to four attempts are selected', async () => {
    const picked = open('Ann', 'Ben');
    pick.check('Ann');
    pick.accepted.fire();
    for (let presses = 0; presses < 5; presses++) pick.press('Ann', more);
    assert.deepEqual(pick.shown(), ['x Ann 4 attempts', '- Ben']);
    pick.press('Ben', more);
    pick.accepted.fire();
    assert.deepEqual(
      toasts.map(({ message }) => message),
      [1, 5].map((count) => `Select 2 to 4 attempts. You selected ${count}.`),
    );
    pick.hidden.fire();
    assert.equal(await picked, undefined);
  });

  it('lets the only agent race against itself', async () => {
    const picked = open('Ann');
    assert.deepEqual(pick.shown(), ['x Ann 2 attempts']);
    pick.accepted.fire();
    assert.deepEqual(await picked, ['ann', 'ann']);
  });
});
