import { races } from '../raceSample';
import { railTurns } from '../railSample';
import { changedFiles, midTurn } from '../sample';
import { scenesOf } from './scene';
import { ended, waiting } from './turns';

/** The panels between the conversation and the message box, and the toolbar of the message box. */
export const dockScenes = scenesOf({
  'plan-open': async (page) => {
    await page.act(...midTurn(Date.now()));
    await page.page
      .getByRole('region', { name: page.say('Plan') })
      .getByRole('button')
      .click();
  },
  'plan-finished': async (page) => {
    await page.act(...midTurn(Date.now()));
    const items = page.state.plan.map((item) => ({ ...item, status: 'completed' }) as const);
    await page.act({ type: 'planChanged', items });
  },
  'dock-full': async (page) => {
    await page.act(...midTurn(Date.now()), ...waiting(Date.now()).slice(1));
    await page.act({ type: 'changesChanged', changed: changedFiles.slice(0, 5), removed: [] });
    await page.box.fill('Send and Stop are both here while there is text');
  },
  race: async (page) => {
    await page.act(
      { type: 'folderChosen', folder: '/storage/1/app', branch: 'parley/retry-uploads-2' },
      ...ended(Date.now()),
    );
    await page.sentType('watchRace');
    const [race] = races;
    await page.post({ type: 'race', session: page.state.id, ...(race && { race }) });
    await page.page.getByRole('article').nth(3).waitFor();
  },
  'race-full': async (page) => {
    await page.act(
      { type: 'folderChosen', folder: '/storage/1/app', branch: 'parley/retry-uploads-2' },
      ...midTurn(Date.now()),
      ...waiting(Date.now()).slice(1),
    );
    await page.act({ type: 'changesChanged', changed: changedFiles.slice(0, 5), removed: [] });
    await page.sentType('watchRace');
    const [race] = races;
    await page.post({ type: 'race', session: page.state.id, ...(race && { race }) });
    await page.page.getByRole('article').nth(3).waitFor();
  },
  overdue: async (page) => {
    await page.act(...midTurn(Date.now()), { type: 'stopRequested', at: Date.now() }, { type: 'stopOverdue' });
    await page.button('Force Stop').waitFor();
  },
  refused: async (page) => {
    await page.act(...ended(Date.now()));
    await page.post({
      type: 'attach',
      attachments: [],
      remarks: ['movie.mp4: the file is 80.2 MB; the limit is 5 MB'],
    });
    await page.box.fill('/nothing of this kind');
    await page.page.keyboard.press('Enter');
    await page.page.getByRole('alert').nth(1).waitFor();
  },
  revealed: async (page) => {
    await page.act(...railTurns(7));
    await page.post({ type: 'reveal', entry: 6, words: ['question', 'second'] });
    await page.button('Jump to latest').waitFor();
  },
});
