import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { ServerPrompt } from '../../../../src/session/serverContent';
import { askArguments, expandTemplate, promptCommandText } from '../../../../src/ui/attachments/askArguments';
import { until } from '../../../kit/waiting';

interface Row {
  readonly label: string;
  readonly value: string;
}

class FakePick {
  static readonly shown: FakePick[] = [];
  readonly changed = new Emitter<string>();
  readonly accepted = new Emitter<void>();
  readonly hidden = new Emitter<void>();
  readonly onDidChangeValue = this.changed.event;
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;
  title = '';
  placeholder = '';
  busy = false;
  readonly activeItems: Row[] = [];
  readonly onDidChangeActive = new Emitter<unknown>().event;
  readonly onDidTriggerItemButton = new Emitter<unknown>().event;
  hide(): void {}
  value = '';
  items: Row[] = [];
  selectedItems: Row[] = [];
  show(): void {
    FakePick.shown.push(this);
  }
  dispose(): void {}

  type(text: string): void {
    this.value = text;
    this.changed.fire(text);
  }

  take(label: string): void {
    this.selectedItems = this.items.filter((one) => one.label === label);
    assert.equal(
      this.selectedItems.length,
      1,
      `${label} is not among ${this.items.map((one) => one.label).join(', ')}`,
    );
    this.accepted.fire();
  }
}

const prompt: ServerPrompt = {
  command: 'trips:plan',
  server: 'trips',
  description: '',
  arguments: [
    { name: 'city', description: 'Where to', required: true },
    { name: 'days', required: false },
  ],
  complete: async (name, typed, values) => (name === 'city' ? [`${typed}gen`] : [`3 in ${values['city']}`]),
  get: async () => ({ text: '', blocks: [] }),
};

/** The questions for the arguments of a server's prompt. */
describe('ui/attachments/askArguments', () => {
  beforeEach(() => {
    resetStub();
    FakePick.shown.length = 0;
    stub.window.createQuickPick = () => new FakePick();
  });

  it('asks for each argument with the suggestions of the server, which know the earlier values', async () => {
    const asked = askArguments('/trips:plan', prompt, {});
    const [city] = FakePick.shown;
    assert.deepEqual([city?.title, city?.placeholder], ['/trips:plan (1/2)', 'city: Where to']);
    city?.type('Ber');
    await until(() => city?.items.length === 2);
    assert.deepEqual(
      city?.items.map(({ label }) => label),
      ['Ber', 'Bergen'],
    );
    city?.take('Bergen');
    await until(() => FakePick.shown.length === 2);
    const [, days] = FakePick.shown;
    await until(() => days?.items.length === 2);
    assert.deepEqual(
      days?.items.map(({ label }) => label),
      ['3 in Bergen', 'Skip'],
    );
    days?.take('Skip');
    assert.deepEqual(await asked, { city: 'Bergen' });
  });

  it('asks only for what was not typed, and gives nothing back when the user cancels', async () => {
    const asked = askArguments('/trips:plan', prompt, { city: 'Oslo' });
    assert.deepEqual([FakePick.shown.length, FakePick.shown[0]?.title], [1, '/trips:plan']);
    FakePick.shown[0]?.hidden.fire();
    assert.equal(await asked, undefined);
  });

  it('does not accept an empty text for a required argument', async () => {
    const asked = askArguments('/trips:plan', prompt, { days: '3' });
    const [city] = FakePick.shown;
    city?.accepted.fire();
    city?.type('Rome');
    city?.take('Rome');
    assert.deepEqual(await asked, { days: '3', city: 'Rome' });
  });

  it('writes the command as it could be typed, and the URI of a template', () => {
    assert.equal(promptCommandText(prompt, { city: 'New "York"' }), String.raw`/trips:plan city="New \"York\""`);
    const values = { table: 'a b', row: 'x/y', q: '1' };
    assert.equal(expandTemplate('db://{table}/{+row}', values), 'db://a%20b/x/y');
    assert.equal(expandTemplate('db://t{?q,table}', values), 'db://t?q=1&table=a%20b');
    assert.equal(expandTemplate('db:/{/table,row*}', values), 'db://a%20b/x%2Fy');
  });
});
