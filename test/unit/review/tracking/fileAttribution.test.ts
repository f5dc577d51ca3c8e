import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import type { FileAttribution } from '../../../../src/review/tracking/fileAttribution';
import {
  applyAgentEdit,
  isUnchangedFile,
  applyUserEdit,
  revertStep,
  unchangedFile,
} from '../../../../src/review/tracking/fileAttribution';
import { conflictOf, lineCounts, hunksOf, keepHunk, undoAll, undoHunk } from '../../../../src/review/tracking/hunks';

const file = (bytes: string): FileContent => ({ mode: '100644', bytes });
const lines = (...all: string[]): FileContent => file(all.map((line) => `${line}\n`).join(''));
const text = (attribution: FileAttribution): string[] => (attribution.text?.bytes ?? '').split('\n').slice(0, -1);
const base = (attribution: FileAttribution): string[] => (attribution.base?.bytes ?? '').split('\n').slice(0, -1);

describe('attribution of one file', () => {
  const before = lines('a', 'b', 'c', 'd', 'e', 'f', 'g');
  const edited = applyAgentEdit(unchangedFile(before), lines('a', 'B', 'c', 'd', 'E', 'f', 'G'));

  it('undoes one of three hunks and keeps the others', () => {
    const [, second] = hunksOf(edited);
    assert.equal(hunksOf(edited).length, 3);
    const undone = undoHunk(edited, second!.id) as FileAttribution;
    assert.deepEqual(text(undone), ['a', 'B', 'c', 'd', 'e', 'f', 'G']);
    assert.equal(hunksOf(undone).length, 2);
  });

  it('keeps the id of a hunk while hunks above appear and disappear', () => {
    const [first, , third] = hunksOf(edited);
    const undone = undoHunk(edited, first!.id) as FileAttribution;
    assert.equal(hunksOf(undone).at(-1)!.id, third!.id);
    const person = applyUserEdit(undone, lines('new', ...text(undone)));
    assert.equal(hunksOf(person).at(-1)!.id, third!.id);
  });

  for (const [where, typed, expected] of [
    ['before', ['mine', 'a', 'B', 'c', 'd', 'E', 'f', 'G'], ['mine', 'a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['between', ['a', 'B', 'c', 'mine', 'E', 'f', 'G'], ['a', 'b', 'c', 'mine', 'e', 'f', 'g']],
    ['right beside', ['a', 'B', 'mine', 'c', 'd', 'E', 'f', 'G'], ['a', 'b', 'mine', 'c', 'd', 'e', 'f', 'g']],
    ['after', ['a', 'B', 'c', 'd', 'E', 'f', 'G', 'mine'], ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'mine']],
  ] as const) {
    it(`excludes from the review what the user types ${where} a hunk`, () => {
      const typedIn = applyUserEdit(edited, lines(...typed));
      assert.equal(hunksOf(typedIn).length, 3);
      assert.equal(conflictOf(typedIn), undefined);
      assert.deepEqual(text(undoAll(typedIn).attribution), expected);
    });
  }

  it('does not undo a hunk that the user has edited', () => {
    const typedIn = applyUserEdit(edited, lines('a', 'B and mine', 'c', 'd', 'E', 'f', 'G'));
    assert.equal(conflictOf(typedIn), 'edited');
    assert.equal(undoHunk(typedIn, hunksOf(typedIn)[0]!.id), 'conflict');
    const { attribution, isComplete } = undoAll(typedIn);
    assert.equal(isComplete, false);
    assert.deepEqual(text(attribution), ['a', 'B and mine', 'c', 'd', 'e', 'f', 'g']);
  });

  it('undoes a hunk again after the user has typed in it and undone that, and not if text of the user is left', () => {
    const typedIn = applyUserEdit(edited, lines('a', 'B and mine', 'c', 'd', 'E', 'f', 'G'));
    const typedTwice = applyUserEdit(typedIn, lines('a', 'B and mine', 'c', 'd', 'E and mine', 'f', 'G'));
    assert.equal(conflictOf(applyUserEdit(typedTwice, typedIn.text)), 'edited');
    const restored = applyUserEdit(typedTwice, edited.text);
    assert.equal(conflictOf(restored), undefined);
    assert.deepEqual(text(undoAll(restored).attribution), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const beside = applyUserEdit(typedIn, lines('a', 'B and mine', 'c', 'd', 'E', 'f', 'G', 'mine'));
    assert.equal(conflictOf(applyUserEdit(beside, lines('a', 'B', 'c', 'd', 'E', 'f', 'G', 'mine'))), 'edited');
    const created = applyAgentEdit(unchangedFile(undefined), lines('new'));
    const typed = applyUserEdit(created, lines('new', 'mine'));
    assert.equal(conflictOf(typed), 'edited');
    assert.equal(conflictOf(applyUserEdit(typed, created.text)), undefined);
  });

  it('restores the user’s text in a hunk that the agent overwrote', () => {
    const typedIn = applyUserEdit(edited, lines('a', 'B and mine', 'c', 'd', 'E', 'f', 'G'));
    const over = applyAgentEdit(typedIn, lines('a', 'again', 'c', 'd', 'E', 'f', 'G'));
    assert.deepEqual(text(undoAll(over).attribution), ['a', 'b', 'B and mine', 'c', 'd', 'e', 'f', 'g']);
  });

  it('shows a created file as one hunk, and keeps it on undo if the user edited it', () => {
    const created = applyAgentEdit(unchangedFile(undefined), lines('x', 'y'));
    assert.deepEqual(lineCounts(created), { added: 2, removed: 0 });
    assert.equal(undoAll(created).attribution.text, undefined);
    const continued = applyUserEdit(created, lines('x', 'y', 'mine'));
    assert.deepEqual(text(undoAll(continued).attribution), ['x', 'y', 'mine']);
  });

  it('undoes a thousand changes around lines of the user at once', () => {
    const names = Array.from({ length: 4000 }, (_, at) => `line ${at}`);
    const change = (line: string, at: number): string => (at % 4 === 0 ? `${line} by the agent` : line);
    const changed = applyAgentEdit(unchangedFile(lines(...names)), lines(...names.map(change)));
    const typed = names.map((line, at) => (at === 2000 ? 'mine' : change(line, at)));
    const typedIn = applyUserEdit(changed, lines('mine, too', ...typed));
    const { attribution, isComplete } = undoAll(typedIn);
    assert.deepEqual(text(attribution), ['mine, too', ...names.map((line, at) => (at === 2000 ? 'mine' : line))]);
    assert.equal(isComplete, false);
    assert.deepEqual(attribution.userLines, [2001]);
    assert.equal(hunksOf(attribution).length, 1);
  });

  it('undoes all of several equal changes', () => {
    const twice = applyAgentEdit(unchangedFile(lines('a', 'b', 'a', 'c')), lines('a', 'x', 'b', 'a', 'x', 'c'));
    const [first, second] = hunksOf(twice);
    assert.equal(second?.id, `${first?.id}.1`);
    const { attribution, isComplete } = undoAll(twice);
    assert.deepEqual([text(attribution), isComplete], [['a', 'b', 'a', 'c'], true]);
    const more = applyAgentEdit(
      unchangedFile(lines('a', 'b', 'a', 'c', 'd')),
      lines('a', 'x', 'b', 'a', 'x', 'c', 'D'),
    );
    const typedIn = applyUserEdit(more, lines('a', 'x', 'b', 'a', 'x', 'c', 'D and mine'));
    const rest = undoAll(typedIn);
    assert.deepEqual([text(rest.attribution), rest.isComplete], [['a', 'b', 'a', 'c', 'D and mine'], false]);
  });

  it('undoes everything also if equal lines make the differences ambiguous', () => {
    const first = applyAgentEdit(unchangedFile(lines('a', 'a', 'b')), lines('a', 'a', 'b', 'x'));
    for (const at of [0, 1, 2, 3]) {
      const now = ['a', 'a', 'x', 'b'].toSpliced(at, 1, 'y');
      for (const next of [now, ['y', ...now], ['y', 'a', 'x', 'b'], ['y', 'x', 'a', 'b'], ['y', 'a', 'b', 'x']]) {
        const { attribution, isComplete } = undoAll(applyAgentEdit(first, lines(...next)));
        assert.deepEqual([text(attribution), isComplete], [['a', 'a', 'b'], true], next.join());
      }
    }
  });

  it('restores a deleted file', () => {
    const deleted = applyAgentEdit(unchangedFile(before), undefined);
    assert.deepEqual(lineCounts(deleted), { added: 0, removed: 7 });
    assert.deepEqual(undoAll(deleted).attribution.text, before);
  });

  it('keeps every byte: line ends, encodings, modes, binary files', () => {
    const odd = file('one\r\ntwo\rthree\n\xff\xfe\x80 no end');
    const changed = applyAgentEdit(unchangedFile(odd), {
      mode: '100755',
      bytes: 'one\r\nTWO\rthree\n\xff\xfe\x80 no end\n',
    });
    assert.equal(hunksOf(changed).length, 2);
    assert.deepEqual(undoAll(changed).attribution.text, odd);
    const image = applyAgentEdit(unchangedFile(file('\0\x01')), file('\0\x02'));
    assert.deepEqual(hunksOf(image), []);
    assert.equal(isUnchangedFile(image), false);
    assert.deepEqual(undoAll(image).attribution.text, file('\0\x01'));
    const touched = applyUserEdit(image, file('\0\x03'));
    assert.equal(conflictOf(touched), 'edited');
    assert.deepEqual(undoAll(touched).attribution.text, file('\0\x03'));
  });

  describe('the byte order mark', () => {
    const MARK = '\xef\xbb\xbf';
    const marked = file(`${MARK}one\ntwo\n`);
    const dropped = applyAgentEdit(unchangedFile(marked), file('one\nTWO\nthree\n'));

    it('is at the start of the file again when its loss is undone, also above a line of the user', () => {
      const edit = applyUserEdit(dropped, file('mine\none\nTWO\nthree\n'));
      const { attribution, isComplete } = undoAll(edit);
      assert.deepEqual([attribution.text?.bytes, isComplete], [`${MARK}mine\none\ntwo\n`, true]);
      const [hunk] = hunksOf(edit);
      assert.equal((undoHunk(edit, hunk!.id) as FileAttribution).text?.bytes, `${MARK}mine\none\ntwo\n`);
    });

    it('is at the start again while changes with lines of the user remain', () => {
      const edit = applyUserEdit(dropped, file('mine\none\nTWO, mine\nthree\n'));
      const { attribution, isComplete } = undoAll(edit);
      assert.deepEqual([attribution.text?.bytes.indexOf(MARK), isComplete], [0, false]);
      assert.equal(attribution.text?.bytes.lastIndexOf(MARK), 0);
    });

    it('is removed with the changes of an agent that added it', () => {
      const added = applyAgentEdit(unchangedFile(file('one\ntwo\n')), file(`${MARK}one\nTWO\n`));
      const edit = applyUserEdit(added, file(`${MARK}mine\none\nTWO\n`));
      assert.equal(undoAll(edit).attribution.text?.bytes, 'mine\none\ntwo\n');
    });

    it('is kept with the last change, and stays when the user changes it', () => {
      const [hunk] = hunksOf(dropped);
      assert.ok(isUnchangedFile(keepHunk(dropped, hunk!.id)!));
      const edited = applyAgentEdit(unchangedFile(marked), file(`${MARK}one\nTWO\n`));
      const edit = applyUserEdit(edited, file('one\nTWO\n'));
      assert.equal(undoAll(edit).attribution.text?.bytes, 'one\ntwo\n');
    });

    it('is undone alone', () => {
      const alone = applyAgentEdit(unchangedFile(marked), file('one\ntwo\n'));
      assert.ok(!isUnchangedFile(alone));
      assert.equal(undoAll(alone).attribution.text?.bytes, marked.bytes);
    });
  });

  it('redoes an undo, also after the user typed elsewhere', () => {
    const undone = undoHunk(edited, hunksOf(edited)[1]!.id) as FileAttribution;
    const typed = applyUserEdit(undone, lines('mine', ...text(undone)));
    const back = revertStep(typed, edited, undone);
    assert.deepEqual(back && text(back), ['mine', 'a', 'B', 'c', 'd', 'E', 'f', 'G']);
    const clash = applyUserEdit(undone, lines('a', 'B', 'c', 'd', 'other', 'f', 'G'));
    assert.equal(revertStep(clash, edited, undone), undefined);
  });
});

/** A change of a file; positions are fractions of the current length. */
type Step =
  | { readonly type: 'agent' | 'person'; readonly at: number; readonly remove: number; readonly insert: number }
  | { readonly type: 'keep' | 'undo'; readonly at: number }
  | { readonly type: 'agentDeletes' | 'undoAll' };

const place = fc.double({ min: 0, max: 0.999, noNaN: true });
const count = fc.integer({ min: 0, max: 3 });
const edit = (type: 'agent' | 'person'): fc.Arbitrary<Step> =>
  fc.record({ type: fc.constant(type), at: place, remove: count, insert: count });
const agent = edit('agent');
const person = edit('person');
const keep: fc.Arbitrary<Step> = fc.record({ type: fc.constant('keep' as const), at: place });
const undo: fc.Arbitrary<Step> = fc.record({ type: fc.constant('undo' as const), at: place });
const deletes = fc.constant<Step>({ type: 'agentDeletes' });
const undoes = fc.constant<Step>({ type: 'undoAll' });

/** Lines with unique words, the last possibly without a line end. */
const unique = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.boolean()).map(([size, open]) => {
  const all = Array.from({ length: size }, (_, at) => `base${at}\n`).join('');
  return file(open ? all.slice(0, -1) : all);
});

/** Lines of few words, so that equal lines and equal changes occur. */
const fewWords = fc.array(fc.constantFrom('a\n', 'b\n', '\n'), { maxLength: 10 }).map((all) => file(all.join('')));
const start = fc.oneof(unique, fewWords);

class Play {
  attribution: FileAttribution;
  readonly #words: readonly string[];
  #typed = 0;

  /** @param words Words that the agent writes; default: every line is unique. */
  constructor(content: FileContent, words: readonly string[] = []) {
    this.attribution = unchangedFile(content);
    this.#words = words;
  }

  step(step: Step): void {
    const hunks = hunksOf(this.attribution);
    switch (step.type) {
      case 'agent':
        this.attribution = applyAgentEdit(this.attribution, this.#spliced(step, 'agent'));
        break;
      case 'person':
        this.attribution = applyUserEdit(this.attribution, this.#spliced(step, 'person'));
        break;
      case 'agentDeletes':
        this.attribution = applyAgentEdit(this.attribution, undefined);
        break;
      case 'undoAll':
        this.attribution = undoAll(this.attribution).attribution;
        break;
      case 'keep':
      case 'undo': {
        const hunk = hunks[Math.floor(step.at * hunks.length)];
        if (!hunk) break;
        const next = step.type === 'keep' ? keepHunk(this.attribution, hunk.id) : undoHunk(this.attribution, hunk.id);
        if (next && next !== 'conflict') this.attribution = next;
      }
    }
  }

  /** The text with some lines replaced by new ones; a last line without a line end may stay so. */
  #spliced({ at, remove, insert }: Extract<Step, { remove: number }>, who: string): FileContent {
    const all = (this.attribution.text?.bytes ?? '').match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const from = Math.floor(at * (all.length + 1));
    const fresh = Array.from({ length: insert }, () => {
      const number = this.#typed++;
      return `${(who === 'agent' && this.#words[number % this.#words.length]) || `${who}${number}`}\n`;
    });
    const before = all.slice(0, from).map((line) => (insert > 0 && !line.endsWith('\n') ? `${line}\n` : line));
    return file([...before, ...fresh, ...all.slice(from + remove)].join(''));
  }

  words(who: string, where: 'text' | 'base'): Set<string> {
    return new Set((this.attribution[where]?.bytes.match(/[a-z]+\d+/g) ?? []).filter((word) => word.startsWith(who)));
  }
}

const words = fc.constantFrom([], ['x'], ['x', 'a']);
const oneLine: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('agent' as const),
  at: place,
  remove: fc.constant(0),
  insert: fc.constant(1),
});

describe('attribution (properties)', () => {
  it('restores the exact baseline when all changes of the agent are undone', () => {
    fc.assert(
      fc.property(start, words, fc.array(fc.oneof(agent, oneLine, oneLine, undo, deletes)), (content, few, steps) => {
        const play = new Play(content, few);
        for (const step of steps) play.step(step);
        const { attribution, isComplete } = undoAll(play.attribution);
        assert.ok(isComplete);
        assert.deepEqual(attribution.text, content);
      }),
      { numRuns: 500 },
    );
  });

  it('never loses text of the user', () => {
    const steps = fc.array(fc.oneof(agent, person, person, keep, undo, deletes, undoes), { maxLength: 30 });
    fc.assert(
      fc.property(start, steps, (content, all) => {
        const play = new Play(content);
        for (const step of all) {
          const inText = play.words('person', 'text');
          const either = [...inText, ...play.words('person', 'base')];
          play.step(step);
          const after = play.words('person', 'text');
          const missing = [...inText].filter((word) => !after.has(word));
          if (step.type === 'keep' || step.type === 'undo' || step.type === 'undoAll') assert.deepEqual(missing, []);
          const anywhere = new Set([...after, ...play.words('person', 'base')]);
          if (step.type.startsWith('agent')) assert.ok(either.every((word) => anywhere.has(word)));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('shows only added and removed lines of the agent as hunks', () => {
    fc.assert(
      fc.property(start, fc.array(fc.oneof(agent, person), { maxLength: 20 }), (content, all) => {
        const play = new Play(content);
        for (const step of all) {
          play.step(step);
          // Lines that the user has built upon count as kept once the agent changes them again.
          if (conflictOf(play.attribution)) return;
        }
        const { attribution, isComplete } = undoAll(play.attribution);
        assert.ok(isComplete);
        play.attribution = attribution;
        assert.deepEqual([...play.words('agent', 'text')], []);
        assert.deepEqual(base(attribution), text(attribution));
      }),
      { numRuns: 500 },
    );
  });

  it('can revert every step', () => {
    fc.assert(
      fc.property(
        start,
        fc.array(agent, { minLength: 1, maxLength: 6 }),
        fc.array(fc.oneof(keep, undo)),
        (c, edits, steps) => {
          const play = new Play(c);
          for (const step of edits) play.step(step);
          const states = [play.attribution];
          for (const step of steps) {
            play.step(step);
            states.push(play.attribution);
          }
          for (let at = states.length - 1; at > 0; at--) {
            const back = revertStep(play.attribution, states[at - 1]!, states[at]!);
            assert.deepEqual(back, states[at - 1]);
            play.attribution = back!;
          }
        },
      ),
    );
  });
});
