import { KILL_ROWS } from './killRows';
import { playKills, runAsKilled } from './playKill';

/** After what a file is different: a kill before any other step finds the same files as one after the step before it. */
const CHANGES = /^(?:half of|link|rename|rm|rmdir|unlink) |^start (?!of git that reads)/;
/** What ends the change of a file: played by each operation, the others by one. */
const ENDS_CHANGE = /^(?:link|rename|rm|unlink) \S+\.(?:bin|json|sh|txt)$/;
/** An operation with at most as many steps starts no git, and plays each kind itself. */
const SHORT = 20;

if (!runAsKilled())
  describe('a window that is killed', () => {
    const played = new Set<string>();

    /** The first step of each kind. `npm run faults` plays all steps. */
    const choose = (kinds: readonly string[]): number[] => {
      const first = [...new Set(kinds)].filter((kind) => CHANGES.test(kind));
      const chosen = first.filter((kind) => kinds.length <= SHORT || !played.has(kind) || ENDS_CHANGE.test(kind));
      for (const kind of first) played.add(kind);
      return chosen.map((kind) => kinds.indexOf(kind));
    };

    for (const name of Object.keys(KILL_ROWS))
      it(`loses nothing, or the next start says so: ${name}`, async () => {
        await playKills(__filename, name, choose);
      });
  });
