import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { AuditHostMessage, AuditPageMessage } from '../../src/shared/protocol/auditPageProtocol';
import { auditRecord as record, auditRecords as records } from './auditRecords';
import { PanelPage } from './panelPage';

describe('the audit log page', () => {
  let panel: PanelPage<AuditHostMessage, AuditPageMessage>;
  beforeEach(async () => {
    panel = await PanelPage.open({ script: 'audit', title: 'Parley Audit Log' });
  });
  afterEach(async () => {
    assert.deepEqual(await panel.violations(), []);
    assert.deepEqual(panel.errors, []);
    await panel.close();
  });

  const grid = (): Locator => panel.page.getByRole('grid', { name: 'Decisions' });
  const show = (fresh = true, rows = records): Promise<void> => panel.post({ type: 'records', fresh, records: rows });
  const rows = async (): Promise<string[]> => {
    const all = await grid().getByRole('row').all();
    return Promise.all(
      all.slice(1).map((row) =>
        row
          .getByRole('gridcell')
          .allInnerTexts()
          .then((cells) => cells.join(' | ')),
      ),
    );
  };
  const count = (text: string): Promise<void> => panel.page.getByRole('status').getByText(text).waitFor();

  it('lists decisions with time, action, decider and reason, the oldest first', async () => {
    await panel.page.getByText('Loading the audit log…').waitFor();
    await show();
    await count('4 decisions. Known secrets are redacted.');
    assert.deepEqual(await rows(), [
      '21 Nov 14:03:07 | Allowed | You | Claude | npm test | ',
      '21 Nov 14:03:07 | Allowed | Rule | Claude | git status | Allowed by your rule “command git status”',
      '21 Nov 14:03:07 | Rejected | Protection | Claude | Read .env | A file with secrets',
      '21 Nov 14:03:07 | Canceled | You | Gemini \\u{202e} | Fetch | Canceled at 14:03',
    ]);
    assert.equal(
      await panel.page.getByRole('toolbar').ariaSnapshot(),
      [
        '- toolbar "Audit log":',
        '  - searchbox "Filter by text"',
        '  - combobox "Decision":',
        '    - option "All decisions" [selected]',
        '    - option "Allowed"',
        '    - option "Rejected"',
        '    - option "Canceled"',
        '  - combobox "Decided by":',
        '    - option "Anyone" [selected]',
        '    - option "You"',
        '    - option "Protection"',
        '    - option "Rule"',
        '  - button "Manage Rules"',
        '  - button "Export"',
      ].join('\n'),
    );
  });

  it('filters by text in any field, by decision, and by decider', async () => {
    await show();
    await panel.page.getByRole('searchbox').fill('GIT status');
    await count('1 of 4 decisions');
    await panel.page.getByRole('searchbox').fill('');
    await panel.page.getByRole('combobox', { name: 'Decision' }).selectOption('Rejected');
    await count('1 of 4 decisions');
    await panel.page.getByRole('combobox', { name: 'Decided by' }).selectOption('Rule');
    await count('0 of 4 decisions');
    await panel.page.getByRole('combobox', { name: 'Decision' }).selectOption('');
    await count('1 of 4 decisions');
  });

  it('can be read by keyboard alone, with every field of a decision', async () => {
    await show();
    await grid().focus();
    await panel.page.keyboard.press('Home');
    await panel.page.keyboard.press('Enter');
    const detail = panel.page.getByRole('region', { name: 'Decision' });
    assert.equal(await detail.evaluate((element) => element === document.activeElement), true);
    assert.match(await detail.innerText(), /Allowed after 1200 ms[^]*token: "\[redacted\]"/);
    await detail.getByRole('button', { name: 'Copy' }).click();
    const copied = await panel.sent('copy');
    assert.deepEqual(JSON.parse('text' in copied ? copied.text : ''), records[0]);
  });

  it('shows the duration of a tool, and the overhead of its call', async () => {
    const call = { tool: 'problems__list', by: 'builtIn', toolMs: 12, transportMs: 0.4, outcome: 'done' };
    await show(true, [record(call), record({ tool: 'problems__list', toolMs: 7 })]);
    await grid().focus();
    await panel.page.keyboard.press('Home');
    const detail = panel.page.getByRole('region', { name: 'Decision' });
    await detail.getByText('The tool took 12 ms, transport took 0.4 ms', { exact: true }).waitFor();
    await grid().getByText('Built in', { exact: true }).waitFor();
    await panel.page.keyboard.press('End');
    await detail.getByText('The tool took 7 ms', { exact: true }).waitFor();
  });

  it('appends new decisions, exports them, and opens the rules', async () => {
    await show(true, []);
    await count('No decisions yet.');
    await show(false, records.slice(0, 1));
    await count('1 decision.');
    await panel.page.getByRole('button', { name: 'Export' }).click();
    await panel.sent('export');
    await panel.page.getByRole('button', { name: 'Manage Rules' }).click();
    await panel.sent('manageRules');
  });

  it('has only the visible rows in the document', async () => {
    await show(
      true,
      Array.from({ length: 20_000 }, (_, index) => record({ title: `Request ${index}`, ms: index })),
    );
    await count('20000 decisions');
    const shown = await grid().getByRole('row').count();
    assert.ok(shown < 80, `${shown} rows`);
    await grid().focus();
    await panel.page.keyboard.press('End');
    await grid().getByText('Request 19999', { exact: true }).waitFor();
  });
});
