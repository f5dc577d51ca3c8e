import { KILL_ROWS } from './killRows';
import { playKills, runAsKilled } from './playKill';

/** Every this many steps: `npm run faults` plays all. */
const STRIDE = 5;

if (!runAsKilled())
  describe('a window that is killed', () => {
    for (const [index, name] of Object.keys(KILL_ROWS).entries())
      it(`loses nothing, or the next start says so: ${name}`, async () => {
        await playKills(__filename, name, (number) => number % STRIDE === index % STRIDE);
      });
  });
