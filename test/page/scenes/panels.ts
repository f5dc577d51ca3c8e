import { auditRecords } from '../auditRecords';
import { races } from '../raceSample';
import { conversation } from '../trafficSample';
import type { AuditScene, RaceScene, TrafficScene } from './scene';

const connections = [{ id: 1, title: 'Claude', status: 'ready' }];

/** The traffic inspector. */
export const trafficScenes: readonly TrafficScene[] = [
  {
    name: 'traffic-empty',
    panel: 'traffic',
    prepare: async (page) => {
      await page.post({ type: 'connections', connections: [], shown: undefined, recording: true });
      await page.page.locator('.count').waitFor();
    },
  },
  {
    name: 'traffic',
    panel: 'traffic',
    prepare: async (page) => {
      await page.post({ type: 'connections', connections, shown: 1, recording: true });
      await page.post({ type: 'entries', first: 0, fresh: true, entries: conversation });
      await page.page.getByRole('row').nth(1).click();
      await page.page.locator('.detail').waitFor();
    },
  },
];

/** The audit log. */
export const auditScenes: readonly AuditScene[] = [
  {
    name: 'audit-reading',
    panel: 'audit',
    prepare: (page) => page.page.locator('.count').waitFor(),
  },
  {
    name: 'audit',
    panel: 'audit',
    prepare: async (page) => {
      await page.post({ type: 'records', fresh: true, records: auditRecords });
      await page.page.getByRole('row').nth(3).click();
      await page.page.locator('.detail').waitFor();
    },
  },
];

/** The board of the races. */
export const raceScenes: readonly RaceScene[] = [
  {
    name: 'races-empty',
    panel: 'races',
    prepare: async (page) => {
      await page.post({ type: 'races', races: [] });
      await page.page.locator('.races > p').waitFor();
    },
  },
  {
    name: 'races',
    panel: 'races',
    prepare: async (page) => {
      await page.post({ type: 'races', races });
      await page.page.locator('.attempt').nth(4).waitFor();
    },
  },
];
