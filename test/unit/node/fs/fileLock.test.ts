import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock, isLocked } from '../../../../src/node/fs/fileLock';
import { recordTemporaryFiles } from '../../../../src/node/fs/temporaryFiles';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { eventually } from '../../../kit/waiting';

/** No process has it. */
const DEAD = 2 ** 22 + 1;
const MINUTE = 60_000;

describe('a lock of a window on another computer or in another container', () => {
  let folder: string;
  let later = 0;
  const beats: (() => void)[] = [];
  const now = performance.now.bind(performance);
  const { setInterval: interval } = globalThis;
  const file = (id: string): string => join(folder, `${id}.${DEAD}.1.0badcafe.deadbeef.has`);

  beforeEach(() => {
    folder = temporaryFolder();
    later = 0;
    performance.now = () => now() + later;
    globalThis.setInterval = ((beat: () => void) => {
      beats.push(beat);
      return interval(() => undefined, 1e9);
    }) as typeof setInterval;
  });
  afterEach(() => {
    performance.now = now;
    globalThis.setInterval = interval;
  });

  it('is respected though no process here has its id, until it shows no sign of life', () => {
    writeFileSync(file('one'), '');
    assert.equal(acquireLock(folder, 'one'), undefined);
    for (let minute = 0; minute < 5; minute++) {
      later += MINUTE;
      // By the clock of the other computer.
      utimesSync(file('one'), minute, minute);
      assert.ok(isLocked(folder, 'one'), `minute ${minute}`);
    }
    later += 3 * MINUTE;
    const mine = acquireLock(folder, 'one');
    assert.ok(mine?.isHeld);
    mine.dispose();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('sees signs of life of this window', async () => {
    const mine = acquireLock(folder, 'two');
    const [name = ''] = readdirSync(folder);
    utimesSync(join(folder, name), 5, 5);
    for (const beat of beats) beat();
    await eventually(() => assert.ok(statSync(join(folder, name)).mtimeMs > 10_000));
    mine?.dispose();
  });

  it('is told from the record of a temporary file that it is writing', async () => {
    const records = join(folder, 'records');
    mkdirSync(records);
    for (const name of ['live', 'ended']) writeFileSync(join(records, `${DEAD}.deadbeef.${name}`), '/nowhere');
    utimesSync(join(records, `${DEAD}.deadbeef.ended`), 1e9, 1e9);
    await recordTemporaryFiles(records);
    assert.deepEqual(readdirSync(records), [`${DEAD}.deadbeef.live`]);
  });
});
