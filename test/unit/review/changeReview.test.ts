import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { assertNever } from '../../../src/base/assert';
import { nullLogger } from '../../../src/base/logger';
import { BlobStore } from '../../../src/review/storage/blobStore';
import type { FileContent } from '../../../src/review/storage/fileContent';
import { TrackedReview } from '../../../src/review/trackedReview';
import { ChangeTracker } from '../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../src/review/tracking/modifiedFiles';
import { writeModifiedFiles } from '../../../src/review/tracking/reviewFile';
import { readModifiedFiles } from '../../../src/review/tracking/storedReview';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { MemoryFiles } from './memoryFiles';
import { byAgent } from './otherWork';

const file = (bytes: string): FileContent => ({ mode: '100644', bytes });
const A = '/w/a';
const B = '/w/b';
const PATHS = [A, B] as const;

/** The review over files in memory; an agent is working while `working` is set. */
class World {
  readonly files = new MemoryFiles();
  readonly modifiedFiles = new ModifiedFiles((path) => path.slice(3));
  working = false;
  readonly tracker = new ChangeTracker(
    this.modifiedFiles,
    this.files,
    this.files,
    byAgent(() => (this.working ? ['s'] : [])),
    nullLogger,
  );
  readonly review = new TrackedReview(this.modifiedFiles, this.tracker, this.files);

  async begin(): Promise<void> {
    await this.tracker.scan();
    this.files.takeSnapshot();
    this.working = true;
    for (const path of this.files.unsavedPaths()) await this.tracker.trackFile(path);
  }

  async end(): Promise<void> {
    await this.tracker.scan();
    this.working = false;
    this.modifiedFiles.removeUnchanged();
  }

  /** The user types, and saves or not; fires VS Code's events. */
  async types(path: string, content: FileContent, save: boolean): Promise<void> {
    if (this.working || this.modifiedFiles.get(path)) await this.tracker.trackFile(path);
    this.files.editors.set(path, content);
    // An immediate save is not read before.
    if (!save) return this.tracker.refreshFile(path);
    this.files.put(path, content);
    this.files.editors.delete(path);
    this.files.saves.set(path, content);
    await this.tracker.refreshFile(path);
    this.files.saves.delete(path);
  }

  /** The agent writes directly; VS Code detects it. */
  async writes(path: string, content: FileContent | undefined): Promise<void> {
    this.files.put(path, content);
    await this.tracker.scan();
  }

  dispose(): void {
    this.review.dispose();
    this.modifiedFiles.dispose();
  }
}

type Step =
  | { readonly type: 'types'; readonly path: string; readonly at: number; readonly save: boolean }
  | { readonly type: 'writes' | 'edits'; readonly path: string; readonly at: number }
  | { readonly type: 'deletes' | 'keepFile' | 'undoFile' | 'saves'; readonly path: string }
  | { readonly type: 'keepHunk' | 'undoHunk'; readonly path: string; readonly at: number }
  | { readonly type: 'turn' | 'undoLast' | 'undoAll' | 'keepAll' };

const path = fc.constantFrom(...PATHS);
const at = fc.double({ min: 0, max: 0.999, noNaN: true });
const typing: fc.Arbitrary<Step> = fc.record({ type: fc.constant('types' as const), path, at, save: fc.boolean() });
const agents: fc.Arbitrary<Step> = fc.record({ type: fc.constantFrom('writes', 'edits'), path, at });
const whole: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('deletes', 'keepFile', 'undoFile', 'saves'),
  path,
});
const hunk: fc.Arbitrary<Step> = fc.record({ type: fc.constantFrom('keepHunk', 'undoHunk'), path, at });
const all: fc.Arbitrary<Step> = fc.record({ type: fc.constantFrom('turn', 'undoLast', 'undoAll', 'keepAll') });

class Play extends World {
  #count = 0;

  async step(step: Step): Promise<void> {
    switch (step.type) {
      case 'turn':
        return this.working ? this.end() : this.begin();
      case 'types':
        return this.types(step.path, this.#changed(step.path, step.at, 'person'), step.save);
      case 'saves': {
        const unsaved = this.files.editors.get(step.path);
        return unsaved && this.types(step.path, unsaved, true);
      }
      case 'writes':
        if (!this.working || this.files.editors.has(step.path)) return;
        return this.writes(step.path, this.#changed(step.path, step.at, 'agent'));
      case 'deletes':
        if (!this.working || this.files.editors.has(step.path)) return;
        return this.writes(step.path, undefined);
      case 'edits':
        if (this.working) await this.#edits(step.path, step.at);
        return;
      case 'keepFile':
      case 'undoFile':
        await this.review[step.type](step.path);
        return;
      case 'keepHunk':
      case 'undoHunk': {
        const hunks = this.review.file(step.path)?.hunks ?? [];
        const chosen = hunks[Math.floor(step.at * hunks.length)];
        if (chosen) await this.review[step.type](step.path, chosen.id);
        return;
      }
      case 'undoLast':
      case 'undoAll':
      case 'keepAll':
        await this.review[step.type]();
        return;
      default:
        assertNever(step);
    }
  }

  /** A write through the editor also saves what the user has typed there. */
  async #edits(where: string, place: number): Promise<void> {
    await this.tracker.runAgentEdit('s', where, async () => {
      const next = this.#changed(where, place, 'agent');
      this.files.editors.delete(where);
      this.files.put(where, next);
    });
  }

  /** Appends a line. */
  #changed(where: string, place: number, who: string): FileContent {
    const lines = (this.files.seen(where)?.bytes ?? '').match(/[^\n]*\n/g) ?? [];
    const index = Math.floor(place * (lines.length + 1));
    return file([...lines.slice(0, index), `${who}${this.#count++}\n`, ...lines.slice(index)].join(''));
  }

  /** Words of the user that are visible, or that Undo restores. */
  typed(): Set<string> {
    const texts = PATHS.flatMap((each) => {
      const attribution = this.modifiedFiles.get(each)?.attribution;
      return [this.files.seen(each)?.bytes, this.files.onDisk.get(each)?.bytes, attribution?.base?.bytes];
    });
    return new Set(texts.join('').match(/person\d+/g));
  }

  seenByPerson(): Set<string> {
    return new Set(
      PATHS.map((each) => this.files.seen(each)?.bytes ?? '')
        .join('')
        .match(/person\d+/g),
    );
  }
}

describe('review engine', () => {
  it('never loses text of the user, for any actions of agents and reviews', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(typing, typing, agents, agents, whole, hunk, all), { maxLength: 30, size: 'max' }),
        async (steps) => {
          const play = new Play();
          for (const each of PATHS) play.files.put(each, file('one\ntwo\nthree\nfour\n'));
          await play.begin();
          for (const step of steps) {
            const before = step.type === 'undoLast' ? play.seenByPerson() : play.typed();
            const accepted = step.type.startsWith('keep');
            await play.step(step);
            const after = play.typed();
            if (!accepted)
              for (const word of before) assert.ok(after.has(word), `${JSON.stringify(step)} lost ${word}`);
          }
          play.dispose();
        },
      ),
      { numRuns: 300 },
    );
  });

  it('counts text typed after the agent’s save as the user’s', async () => {
    const world = new World();
    world.files.put(A, file('one\ntwo\nthree\nfour\n'));
    await world.begin();
    await world.tracker.runAgentEdit('s', A, async () => {
      world.files.put(A, file('one\nagent\nthree\nfour\n'));
      world.files.editors.set(A, file('one\nagent\nthree\nfour\nperson\n'));
    });
    assert.equal(world.review.file(A)?.hunks.length, 1);
    await world.review.undoFile(A);
    assert.equal(world.files.seen(A)?.bytes, 'one\ntwo\nthree\nfour\nperson\n');
    world.dispose();
  });

  it('counts text that a scan finds during the editor’s save as the user’s', async () => {
    const world = new World();
    world.files.put(A, file('one\n'));
    await world.begin();
    world.files.saves.set(A, file('mine\n'));
    world.files.put(A, file('mine\n'));
    await world.tracker.scan();
    assert.deepEqual(world.modifiedFiles.get(A)?.sessions, []);
    world.dispose();
  });

  it('restores the files exactly when everything is undone, over several turns', async () => {
    const onlyAgents = fc.oneof(
      agents,
      all.filter(({ type }) => type === 'turn'),
      hunk.filter(({ type }) => type === 'undoHunk'),
    );
    const deletes = path.map((each): Step => ({ type: 'deletes', path: each }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(onlyAgents, deletes), { maxLength: 40 }), async (steps) => {
        const play = new Play();
        play.files.put(A, file('one\r\ntwo\nthree'));
        await play.begin();
        for (const step of steps) await play.step(step);
        if (play.working) await play.end();
        assert.deepEqual((await play.review.undoAll()).problems, []);
        assert.deepEqual([...play.files.onDisk], [[A, file('one\r\ntwo\nthree')]]);
        assert.deepEqual(play.review.files(), []);
        play.dispose();
      }),
      { numRuns: 300 },
    );
  });

  it('redoes everything that was undone, file by file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(agents, { minLength: 1, maxLength: 10 }), async (steps) => {
        const play = new Play();
        play.files.put(A, file('one\ntwo\n'));
        await play.begin();
        for (const step of steps) await play.step(step);
        await play.end();
        const before = Object.fromEntries(play.files.onDisk);
        const hunks = play.review.files().map((each) => each.hunks);
        await play.review.undoAll();
        assert.ok(play.review.canUndoLast);
        assert.deepEqual((await play.review.undoLast()).problems, []);
        assert.deepEqual(Object.fromEntries(play.files.onDisk), before);
        assert.deepEqual(
          play.review.files().map((each) => each.hunks),
          hunks,
        );
        play.dispose();
      }),
    );
  });

  it('reverts as much of a step as possible, and the rest on the next request', async () => {
    const world = new World();
    for (const each of PATHS) world.files.put(each, file('one\ntwo\n'));
    await world.begin();
    for (const each of PATHS) await world.writes(each, file('agent\ntwo\n'));
    await world.end();
    await world.review.undoAll();
    await world.types(A, file('mine\ntwo\n'), true);
    const { done, problems } = await world.review.undoLast();
    assert.deepEqual([done, problems.map((problem) => problem.path)], [[B], [A]]);
    assert.deepEqual(
      PATHS.map((each) => world.files.seen(each)?.bytes),
      ['mine\ntwo\n', 'agent\ntwo\n'],
    );
    await world.types(A, file('one\ntwo\n'), true);
    assert.ok(world.review.canUndoLast);
    assert.deepEqual(await world.review.undoLast(), { done: [A], problems: [] });
    assert.equal(world.files.seen(A)?.bytes, 'agent\ntwo\n');
    assert.deepEqual(
      world.review.files().map(({ label }) => label),
      ['a', 'b'],
    );
    assert.equal(world.review.canUndoLast, false);
    world.dispose();
  });

  it('reverts a step that could not be written on the next request', async () => {
    const world = new World();
    world.files.put(A, file('one\n'));
    await world.begin();
    await world.writes(A, file('agent\n'));
    await world.end();
    await world.review.undoAll();
    const write = world.files.write.bind(world.files);
    world.files.write = () => Promise.reject(new Error('the disk is full'));
    assert.deepEqual((await world.review.undoLast()).problems, [{ path: A, message: 'the disk is full' }]);
    world.files.write = write;
    assert.deepEqual(await world.review.undoLast(), { done: [A], problems: [] });
    assert.equal(world.files.seen(A)?.bytes, 'agent\n');
    world.dispose();
  });

  /** Two changes of an agent on disk, and unsaved text of the user above them. */
  async function worldWithUnsavedText(): Promise<World> {
    const world = new World();
    world.files.put(A, file('1\n2\n3\n4\n5\n6\n'));
    await world.begin();
    await world.writes(A, file('1\nagent\n3\n4\nagent too\n6\n'));
    await world.end();
    await world.types(A, file('mine\n1\nagent\n3\n4\nagent too\n6\n'), false);
    return world;
  }

  it('reviews a change again if its Undo in unsaved text is discarded, and loses nothing by undoing that', async () => {
    for (const isAllUndone of [true, false]) {
      const world = await worldWithUnsavedText();
      const hunks = world.review.file(A)?.hunks ?? [];
      assert.equal(hunks.length, 2);
      if (isAllUndone) await world.review.undoFile(A);
      else await world.review.undoHunk(A, hunks[0]?.id ?? '');
      assert.equal(world.review.file(A)?.hunks.length ?? 0, isAllUndone ? 0 : 1);
      await world.types(A, file(`${world.files.seen(A)?.bytes}mine too\n`), false);
      world.modifiedFiles.removeUnchanged();
      // The user closes the editor without saving.
      world.files.editors.delete(A);
      await world.tracker.refreshFile(A);
      assert.equal(world.review.file(A)?.hunks.length, 2);
      assert.deepEqual((await world.review.undoLast()).done, []);
      assert.equal(world.files.seen(A)?.bytes, '1\nagent\n3\n4\nagent too\n6\n');
      assert.deepEqual((await world.review.undoFile(A)).problems, []);
      assert.equal(world.files.seen(A)?.bytes, '1\n2\n3\n4\n5\n6\n');
      world.dispose();
    }
  });

  it('reviews only changes again that were not kept, if an Undo in unsaved text is discarded', async () => {
    for (const isFileKept of [true, false]) {
      const world = await worldWithUnsavedText();
      const [undone, kept] = world.review.file(A)?.hunks ?? [];
      await world.review.undoHunk(A, undone?.id ?? '');
      if (isFileKept) await world.review.keepFile(A);
      else await world.review.keepHunk(A, kept?.id ?? '');
      assert.equal(world.review.file(A), undefined);
      world.modifiedFiles.removeUnchanged();
      // The user reverts the file.
      world.files.editors.delete(A);
      await world.tracker.refreshFile(A);
      assert.equal(world.review.file(A)?.hunks.length, 1);
      assert.deepEqual((await world.review.undoFile(A)).problems, []);
      assert.equal(world.files.seen(A)?.bytes, '1\n2\n3\n4\nagent too\n6\n');
      world.dispose();
    }
  });

  it('counts an Undo in unsaved text as done once that is saved', async () => {
    const world = new World();
    world.files.put(A, file('1\n2\n'));
    await world.begin();
    await world.writes(A, file('1\nagent\n'));
    await world.end();
    await world.types(A, file('mine\n1\nagent\n'), false);
    await world.review.undoFile(A);
    await world.types(A, file('mine\n1\n2\n'), true);
    await world.types(A, file('mine\n1\n2\nmine too\n'), false);
    world.files.editors.delete(A);
    await world.tracker.refreshFile(A);
    assert.equal(world.review.file(A), undefined);
    assert.equal(world.files.seen(A)?.bytes, 'mine\n1\n2\n');
    world.dispose();
  });

  it('recognizes a moved file', async () => {
    const world = new World();
    world.files.put(A, file('same\n'));
    await world.begin();
    world.files.put(A, undefined);
    await world.writes(B, file('same\n'));
    await world.end();
    assert.deepEqual(
      world.review.files().map(({ label, status, from }) => [label, status, from]),
      [['b', 'renamed', A]],
    );
    await world.review.undoFile(B);
    assert.deepEqual([...world.files.onDisk], [[A, file('same\n')]]);
    world.dispose();
  });

  it('treats names that differ only in case as one file if the file system does', () => {
    const modifiedFiles = new ModifiedFiles((each) => each, true);
    const item = {
      attribution: { base: file('a'), text: file('b'), userLines: [], isReplacedByUser: false },
      sessions: [],
      disk: file('b'),
    };
    modifiedFiles.set('/w/File.txt', item);
    modifiedFiles.set('/w/file.TXT', item);
    assert.deepEqual(modifiedFiles.paths(), ['/w/File.txt']);
    assert.equal(modifiedFiles.file('/w/FILE.txt')?.path, '/w/File.txt');
    modifiedFiles.set('/w/\u00C4.txt', item);
    modifiedFiles.set('/w/a\u0308.txt', item);
    assert.deepEqual(modifiedFiles.paths(), ['/w/File.txt', '/w/\u00C4.txt']);
    modifiedFiles.dispose();
  });

  it('reports that the file changed during an undo', async () => {
    const world = new World();
    world.files.put(A, file('a\n'));
    await world.begin();
    await world.writes(A, file('b\n'));
    await world.end();
    const write = world.files.write.bind(world.files);
    world.files.write = async (...args) => {
      world.files.put(A, file('meanwhile\n'));
      return write(...args);
    };
    const { done, problems } = await world.review.undoFile(A);
    assert.deepEqual(done, []);
    assert.deepEqual(problems, [{ path: A, message: 'The file has changed in the meantime. Try again.' }]);
    assert.equal(world.files.onDisk.get(A)?.bytes, 'meanwhile\n');
    world.dispose();
  });

  describe('over a reload', () => {
    let folder: string;

    beforeEach(() => (folder = temporaryFolder()));

    it('restores the review, with the user’s later changes as the user’s', async () => {
      const world = new World();
      world.files.put(A, file('1\n2\n3\n'));
      await world.begin();
      await world.writes(A, file('1\nagent\n3\n'));
      await world.writes(B, file('new \xff\n'));
      await world.end();
      const blobs = new BlobStore(folder);
      const kept = await readModifiedFiles(await writeModifiedFiles(world.modifiedFiles, blobs), new BlobStore(folder));
      assert.deepEqual(kept?.lost, []);
      const later = new World();
      later.files.put(A, file('1\nagent\n3\nmine\n'));
      later.files.put(B, file('new \xff\n'));
      for (const [each, item] of kept?.items ?? []) later.modifiedFiles.set(each, item);
      for (const each of PATHS) await later.tracker.refreshFile(each);
      assert.deepEqual(
        later.review.files().map(({ label, hunks }) => [label, hunks.length]),
        [
          ['a', 1],
          ['b', 1],
        ],
      );
      assert.deepEqual((await later.review.undoAll()).problems, []);
      assert.deepEqual([...later.files.onDisk], [[A, file('1\n2\n3\nmine\n')]]);
      world.dispose();
      later.dispose();
    });

    it('keeps text that an agent wrote on disk under unsaved text', async () => {
      const world = new World();
      world.files.put(A, file('1\n2\n'));
      await world.types(A, file('mine\n1\n2\n'), false);
      await world.begin();
      await world.writes(A, file('1\nagent\n'));
      await world.end();
      assert.equal(world.review.file(A)?.conflict, 'unsaved');
      const blobs = new BlobStore(folder);
      const kept = await readModifiedFiles(await writeModifiedFiles(world.modifiedFiles, blobs), blobs);
      const later = new World();
      later.files.put(A, file('1\nagent\n'));
      for (const [each, item] of kept?.items ?? []) later.modifiedFiles.set(each, item);
      // The user has discarded the unsaved text.
      await later.tracker.refreshFile(A);
      assert.equal(later.review.file(A)?.conflict, undefined);
      assert.deepEqual((await later.review.undoFile(A)).problems, []);
      assert.equal(later.files.onDisk.get(A)?.bytes, '1\n2\n');
      world.dispose();
      later.dispose();
    });

    it('reports lost baselines, and restores the others', async () => {
      const world = new World();
      await world.begin();
      await world.writes(A, file('agent\n'));
      await world.end();
      const text = await writeModifiedFiles(world.modifiedFiles, new BlobStore(folder));
      await rm(folder, { recursive: true });
      assert.deepEqual((await readModifiedFiles(text, new BlobStore(folder)))?.lost, [A]);
      assert.equal(await readModifiedFiles('{"parley":99}', new BlobStore(folder)), undefined);
      assert.equal(await readModifiedFiles('not json', new BlobStore(folder)), undefined);
      world.dispose();
    });
  });
});
