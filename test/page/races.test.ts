import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Race, RaceAttempt, RaceHostMessage, RacePageMessage } from '../../src/shared/protocol/racePageProtocol';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';
import { PanelPage } from './panelPage';
import { races } from './raceSample';
import { NOON } from './sample';

describe('the race board', () => {
  let board: PanelPage<RaceHostMessage, RacePageMessage>;
  beforeEach(async () => {
    board = await PanelPage.open({ script: 'races', title: 'Parley Races' });
  });
  afterEach(async () => {
    assert.deepEqual([await board.violations(), board.errors], [[], []]);
    await board.close();
  });

  const race = (): Locator => board.page.getByRole('region', { name: /^Race: Retry transient errors/ });
  const attempts = (): Locator => race().getByRole('article');
  const [shown] = races;

  it('shows each attempt with its status, time, files, lines, cost and branch', async () => {
    await board.post({ type: 'races', races });
    await attempts().nth(3).waitFor();
    assert.match(
      await attempts().nth(0).innerText(),
      /^Claude\s+Running\s+.*\s+npm test -- upload\s+2 files\s+\+41 −6\s+Problems not checked\s+\$0\.21/,
    );
    await attempts().nth(1).locator('[aria-disabled=true]').first().waitFor({ state: 'detached' });
    assert.equal(
      await attempts().nth(1).ariaSnapshot(),
      [
        '- article "Codex":',
        '  - heading "Codex" [level=3]',
        '  - paragraph:',
        '    - status: Waiting for you',
        '    - text: 1 min 1 s',
        '  - \'group "Permission: Edit src/upload.ts"\':',
        '    - paragraph: Edit src/upload.ts',
        '    - paragraph: − send(file); + await retry(() => send(file));',
        '    - button "Allow"',
        '    - button "Reject"',
        '  - paragraph: 1 file +12 −1 Problems not checked parley/retry-uploads-2',
        '  - group "Actions on the attempt of Codex":',
        '    - button "Open"',
        '    - button "Compare"',
        '    - button "Take All"',
        '    - button "Open in New Window"',
        '    - button "Discard"',
      ].join('\n'),
    );
    assert.match(await attempts().nth(3).innerText(), /Interrupted/);
    const uncounted = attempts().nth(3).getByRole('button', { name: 'Take All' });
    assert.equal(await uncounted.getAttribute('aria-disabled'), 'false', 'its files could not be counted');
    const other = board.page.getByRole('region', { name: 'Other Worktrees' }).getByRole('article');
    assert.match(await other.innerText(), /No chat[^]*Counting files…/);
    assert.equal(await other.getByRole('button', { name: 'Open', exact: true }).count(), 0);
  });

  it('has the actions in two lines and no empty lines in a narrow page', async () => {
    await board.page.setViewportSize({ width: 300, height: 700 });
    await board.post({ type: 'races', races });
    const buttons = attempts().nth(3).getByRole('group').getByRole('button');
    await buttons.first().waitFor();
    const tops = await buttons.evaluateAll((all) => all.map((button) => button.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 2);
    assert.equal(await attempts().nth(3).locator('p:empty').count(), 0, 'it does nothing any more');
  });

  it('acts on an attempt, and starts a race, also by keyboard', async () => {
    await board.post({ type: 'races', races });
    for (const name of ['Open', 'Compare', 'Take All', 'Open in New Window', 'Discard']) {
      await attempts().nth(1).getByRole('button', { name, exact: true }).focus();
      await board.page.keyboard.press('Enter');
    }
    await board.page.getByRole('button', { name: 'Race…' }).click();
    const sent = await board.page.evaluate(() => (window as PageWindow<{ sent: RacePageMessage[] }>).sent);
    assert.deepEqual(sent.slice(1), [
      ...['open', 'compare', 'takeAll', 'openInNewWindow', 'discard'].map((action) => ({
        type: 'act',
        action,
        attempt: '2',
      })),
      { type: 'newRace' },
    ]);
  });

  it('says what was taken and is not reviewed yet, and leads to it', async () => {
    await board.post({ type: 'races', races });
    assert.match(await attempts().nth(2).innerText(), /4 files\s+\+120 −48[^]*4 files taken/);
    await attempts().nth(2).getByRole('button', { name: 'Review Changes' }).click();
    const sent = await board.page.evaluate(() => (window as PageWindow<{ sent: RacePageMessage[] }>).sent);
    assert.deepEqual(sent.at(-1), { type: 'act', action: 'reviewTaken', attempt: '3' });
    assert.equal(await board.page.getByRole('button', { name: 'Review Changes' }).count(), 1);
  });

  it('answers what an attempt asks by the options of its agent, not at once after they have appeared', async () => {
    const [one] = races;
    const earlier = { permissionId: 'p1', lines: ['Earlier'], options: [{ optionId: 'yes', name: 'Allow' }] };
    await board.post({
      type: 'races',
      races: [{ ...one, attempts: [{ ...one?.attempts[1], request: earlier }] } as Race],
    });
    // No timer of the page is left when the clock stops.
    await board.page.locator('.attempt-request [aria-disabled=false]').waitFor();
    await board.page.clock.install({ time: NOON });
    await board.page.clock.pauseAt(NOON + 1_000);
    await board.post({ type: 'races', races });
    await board.page.clock.runFor(100);
    const request = attempts().nth(1).getByRole('group', { name: 'Permission: Edit src/upload.ts' });
    const allow = request.getByRole('button', { name: 'Allow' });
    await allow.waitFor();
    assert.equal(await allow.getAttribute('aria-disabled'), 'true');
    await allow.press('Enter');
    await board.page.clock.runFor(500);
    await allow.press('Enter');
    await eventually(async () => {
      await board.page.clock.runFor(20);
      assert.equal(await allow.getAttribute('aria-disabled'), 'true', 'one click answers once');
    });
    const sent = await board.page.evaluate(() => (window as PageWindow<{ sent: RacePageMessage[] }>).sent);
    assert.deepEqual(sent.slice(1), [{ type: 'answer', attempt: '2', permissionId: 'p2', optionId: 'yes' }]);
    const large = { permissionId: 'p3', lines: ['Run a script'], options: [] };
    const attempt = { ...one?.attempts[1], request: large } as RaceAttempt;
    await board.post({ type: 'races', races: [{ ...one, attempts: [attempt] } as Race] });
    const whole = board.page.getByRole('group', { name: 'Permission: Run a script' });
    await board.page.clock.runFor(100);
    await whole.getByText('Open the chat to see the whole request.').waitFor();
    assert.equal(await whole.getByRole('button').count(), 0);
  });

  it('takes nothing from an attempt without changes, has one primary button, and says why', async () => {
    const [one] = races;
    const attempt = { ...one?.attempts[2], files: 0 } as RaceAttempt;
    await board.post({ type: 'races', races: [{ ...one, attempts: [attempt] } as Race] });
    const take = board.page.getByRole('button', {
      name: 'Take All',
      description: 'This attempt has not changed any files.',
    });
    assert.equal(await take.getAttribute('aria-disabled'), 'true');
    await take.press('Enter');
    await board.page.getByRole('button', { name: 'Compare' }).press('Enter');
    const sent = await board.page.evaluate(() => (window as PageWindow<{ sent: RacePageMessage[] }>).sent);
    assert.deepEqual(sent.slice(1), [{ type: 'act', action: 'compare', attempt: '3' }]);
    assert.deepEqual(await board.page.locator('.primary').allInnerTexts(), ['Race…']);
  });

  it('keeps the focus while the attempts continue', async () => {
    await board.post({ type: 'races', races });
    const take = attempts().nth(2).getByRole('button', { name: 'Take All' });
    await take.focus();
    const goOn = (more: Partial<RaceAttempt>): Promise<void> =>
      board.post({
        type: 'races',
        races: [
          { id: 'new', title: 'A newer race', attempts: [] },
          ...races.map((one) => ({ ...one, attempts: one.attempts.map((each) => ({ ...each, ...more })) })),
        ],
      });
    for (const activity of ['one', 'two']) await goOn({ activity, status: 'done' });
    await attempts().nth(2).getByText('two').waitFor();
    assert.equal(await take.evaluate((button) => button === document.activeElement), true);
  });

  it('shows hostile text of agents as plain text', async () => {
    const hostile = '<img src=x onerror=alert(1)> $(zap) \u202egpj';
    const attempt = { ...shown?.attempts[0], agent: hostile, branch: hostile, activity: hostile } as RaceAttempt;
    await board.post({ type: 'races', races: [{ id: '1', title: hostile, attempts: [attempt] }] });
    await board.page.getByRole('heading', { level: 3 }).waitFor();
    assert.equal(await board.page.locator('img').count(), 0);
    for (const level of [2, 3])
      assert.equal(
        await board.page.getByRole('heading', { level }).innerText(),
        '<img src=x onerror=alert(1)> $(zap) \\u{202e}gpj',
      );
  });
});

describe('the race of a session', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const [race] = races;

  it('is above the message box of an attempt’s session, with actions for each attempt', async () => {
    chat = await ChatPage.with([{ type: 'folderChosen', folder: '/storage/1/app', branch: 'parley/retry-uploads-2' }]);
    await chat.sentType('watchRace');
    const region = chat.page.getByRole('region', { name: /^Race: Retry transient errors/ });
    await chat.post({ type: 'race', session: 'another', ...(race && { race }) });
    await chat.post({ type: 'race', session: chat.state.id, ...(race && { race }) });
    const attempts = region.getByRole('article');
    await attempts.nth(3).waitFor();
    assert.match(
      await attempts.nth(0).innerText(),
      /^Claude\s+Running\s+.*\s+2 files\s+\+41\s*−6\s+Problems not checked\s+\$0\.21/,
    );
    assert.match(await attempts.nth(2).innerText(), /2 new problems/);
    assert.match(
      (await attempts.nth(3).getByText('Could not count files').getAttribute('title')) ?? '',
      /^fatal: not a git repository/,
    );
    assert.equal(
      await attempts.nth(1).ariaSnapshot(),
      [
        '- article "Codex":',
        '  - text: Codex',
        '  - status: Waiting for you',
        '  - text: 1 min 1 s 1 file',
        '  - img "12 added": "+12"',
        '  - img "1 removed": −1',
        '  - text: Problems not checked',
        '  - group "Actions on the attempt of Codex":',
        '    - button "Allow…"',
        '    - button "Open"',
        '    - button "Compare"',
        '    - button "Take All"',
        '    - button "Discard"',
      ].join('\n'),
    );
    assert.deepEqual(await attempts.evaluateAll((all) => all.map((each) => each.getAttribute('aria-current'))), [
      'false',
      'true',
      'false',
      'false',
    ]);
    assert.match(await attempts.nth(2).innerText(), /4 files taken/);
    const before = (await chat.intents()).length;
    for (const name of ['Open', 'Compare', 'Take All', 'Review Changes', 'Discard']) {
      await attempts.nth(2).getByRole('button', { name, exact: true }).focus();
      await chat.page.keyboard.press('Enter');
    }
    assert.deepEqual(
      (await chat.intents()).slice(before),
      ['open', 'compare', 'takeAll', 'reviewTaken', 'discard'].map((action) => ({
        type: 'actOnAttempt',
        action,
        attempt: '3',
      })),
    );
    await attempts.nth(1).getByRole('button', { name: 'Allow…' }).click();
    assert.deepEqual((await chat.intents()).at(-1), { type: 'actOnAttempt', action: 'allow', attempt: '2' });
    assert.equal(await attempts.nth(2).getByRole('button', { name: 'Allow…' }).count(), 0);
    const unchanged = attempts.nth(3).getByRole('button', { name: 'Take All' });
    await chat.post({ type: 'race', session: chat.state.id, race: withoutFiles(race) });
    assert.equal(await unchanged.getAttribute('title'), 'This attempt has not changed any files.');
    const count = (await chat.intents()).length;
    await unchanged.press('Enter');
    assert.equal((await chat.intents()).length, count);
    await region.getByRole('button', { expanded: true }).click();
    await attempts.first().waitFor({ state: 'detached' });
    await chat.post({ type: 'race', session: chat.state.id });
    await region.waitFor({ state: 'detached' });
  });

  it('shows the text of an attempt at full width in a narrow page', async () => {
    const branch = 'parley/retry-uploads-2';
    chat = await ChatPage.with([{ type: 'folderChosen', folder: '/storage/1/app', branch }], { width: 300 });
    await chat.sentType('watchRace');
    await chat.post({ type: 'race', session: chat.state.id, ...(race && { race }) });
    const text = chat.page.locator('.race-attempt-text').first();
    await text.waitFor();
    assert.ok(((await text.boundingBox())?.width ?? 0) > 220);
  });
});

/** The race, whose last attempt has changed no files. */
function withoutFiles(race: Race | undefined): Race {
  assert.ok(race);
  const [last] = race.attempts.slice(-1);
  const { filesFailure: _failure, ...attempt } = last ?? assert.fail();
  return { ...race, attempts: [...race.attempts.slice(0, -1), { ...attempt, files: 0 }] };
}
