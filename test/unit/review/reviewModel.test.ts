import type { ReviewStep } from '../../fuzz/reviewModelPlay';
import { PATHS, ReviewModelPlay } from '../../fuzz/reviewModelPlay';

const [A, B, C] = PATHS;
const at = 0;

/** Minimal failing sequences that `npm run fuzz -- --target "review model"` has found. */
const found: Record<string, readonly ReviewStep[]> = {
  'undoes no hunk of a file that the user has replaced after the agent made it binary': [
    { type: 'binary', path: A, at },
    { type: 'types', path: A, at, edit: 'whole', save: false },
    { type: 'undoHunk', path: A, at },
  ],
  'forgets what was beneath unsaved text when the agent saves the file': [
    { type: 'types', path: C, at, edit: 'insert', save: false },
    { type: 'writes', path: C, at, edit: 'insert' },
    { type: 'writes', path: C, at, edit: 'remove' },
    { type: 'edits', path: C, at, edit: 'whole' },
    { type: 'writes', path: C, at, edit: 'remove' },
  ],
  'brings a file back that the agent deleted after the user has reverted new text in it': [
    { type: 'types', path: A, at, edit: 'insert', save: true },
    { type: 'deletes', path: A, at },
    { type: 'types', path: A, at, edit: 'insert', save: false },
    { type: 'reverts', path: A, at },
  ],
  'brings it back where the agent has also written the file again beneath the new text': [
    { type: 'types', path: C, at, edit: 'insert', save: true },
    { type: 'deletes', path: C, at },
    { type: 'types', path: C, at, edit: 'insert', save: false },
    { type: 'writes', path: C, at, edit: 'insert' },
    { type: 'reverts', path: C, at },
  ],
  'leaves what another program wrote beneath unsaved text when the file would be deleted': [
    { type: 'edits', path: C, at, edit: 'insert' },
    { type: 'turn', at },
    { type: 'types', path: C, at, edit: 'remove', save: false },
    { type: 'writes', path: C, at, edit: 'insert' },
    { type: 'undoAll', at },
  ],
  'restores the file beneath unsaved text that equals the file now': [
    { type: 'turn', at },
    { type: 'writes', path: A, at, edit: 'insert' },
    { type: 'types', path: A, at, edit: 'remove', save: false },
    { type: 'checkout', at },
    { type: 'restore', at },
  ],
  'lists what the agent takes away of a merge, also where the file is then as before': [
    { type: 'merges', path: C, at, edit: 'insert' },
    { type: 'deletes', path: C, at },
  ],
  'leaves the line of the user in a change of the agent when git merges below it': [
    { type: 'edits', path: B, at, edit: 'insert' },
    { type: 'types', path: B, at, edit: 'replace', save: true },
    { type: 'commits', at },
    { type: 'merges', path: B, at, edit: 'insert' },
  ],
  'is in doubt about a file that another program may have changed beneath unsaved text': [
    { type: 'types', path: A, at, edit: 'insert', save: false },
    { type: 'doubtful', path: A, at, edit: 'insert' },
  ],
  'leaves the only copy of a text of the user in Changes when git overwrites a file of an earlier turn': [
    { type: 'types', path: B, at, edit: 'insert', save: false },
    { type: 'edits', path: B, at, edit: 'whole' },
    { type: 'commits', at },
    { type: 'turn', at },
    { type: 'turn', at },
    { type: 'merges', path: B, at, edit: 'whole' },
  ],
  'leaves what git merges into a file whose changes of an earlier turn the agent has taken back': [
    { type: 'writes', path: B, at, edit: 'insert' },
    { type: 'turn', at },
    { type: 'turn', at },
    { type: 'writes', path: B, at, edit: 'remove' },
    { type: 'merges', path: B, at, edit: 'insert' },
  ],
  'keeps a file of an earlier turn under review into which git merges': [
    { type: 'edits', path: C, at, edit: 'insert' },
    { type: 'commits', at },
    { type: 'turn', at },
    { type: 'turn', at },
    { type: 'merges', path: C, at, edit: 'insert' },
    { type: 'edits', path: C, at, edit: 'insert' },
    { type: 'turn', at },
  ],
  'keeps what the user has kept, also where the agent had taken away what git brought': [
    { type: 'writes', path: A, at, edit: 'replace' },
    { type: 'types', path: A, at, edit: 'insert', save: true },
    { type: 'commits', at },
    { type: 'merges', path: A, at, edit: 'insert' },
    { type: 'writes', path: A, at, edit: 'remove' },
    { type: 'keepHunk', path: A, at },
    { type: 'writes', path: A, at, edit: 'insert' },
  ],
};

describe('review model', () => {
  for (const [what, steps] of Object.entries(found)) {
    it(what, async () => {
      const play = new ReviewModelPlay();
      try {
        await play.run(steps);
      } finally {
        play.dispose();
      }
    });
  }
});
