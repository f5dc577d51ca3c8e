import assert from 'node:assert/strict';
import { assertNever } from '../../src/base/assert';
import type { FileContent } from '../../src/review/storage/fileContent';
import type { Writer } from '../../src/review/tracking/authorship';
import type { ReviewResult } from '../../src/review/tracking/modifiedFiles';
import { FOLDER, ReviewModelWorld } from './reviewModelWorld';

export const PATHS = [`${FOLDER}/a`, `${FOLDER}/b`, `${FOLDER}/c`] as const;
type Path = (typeof PATHS)[number];
type Edit = 'insert' | 'replace' | 'remove' | 'whole';

interface InFile {
  readonly path: Path;
  readonly at: number;
}

/** A change of a file or an editor. */
type Change =
  | (InFile & { readonly type: 'types'; readonly edit: Edit; readonly save: boolean })
  | (InFile & { readonly type: 'writes'; readonly edit: Edit })
  | (InFile & { readonly type: 'edits'; readonly edit: Edit })
  /** Another program, which processes show or not. */
  | (InFile & { readonly type: 'other' | 'doubtful'; readonly edit: Edit })
  /** A merge in the turn brings a change of colleagues. */
  | (InFile & { readonly type: 'merges'; readonly edit: Edit })
  | (InFile & { readonly type: 'deletes' | 'moves' | 'binary' | 'saves' | 'reverts' });

/** Steps of turns, the review, git and the window. */
type Act =
  | (InFile & { readonly type: 'keepHunk' | 'undoHunk' })
  | (InFile & { readonly type: 'keepFile' | 'undoFile' })
  | {
      readonly type:
        | 'turn'
        | 'keepAll'
        | 'undoAll'
        | 'undoSure'
        | 'commits'
        | 'undoLast'
        | 'commit'
        | 'checkout'
        | 'reload'
        | 'restore';
      readonly at: number;
    };

export type ReviewStep = Change | Act;

const CHANGES: ReadonlySet<string> = new Set([
  'types',
  'writes',
  'edits',
  'other',
  'doubtful',
  'merges',
  'deletes',
  'moves',
  'binary',
  'saves',
  'reverts',
]);
const isChange = (step: ReviewStep): step is Change => CHANGES.has(step.type);

type Words = Set<string>;

/** The model's state of a file: words that must and may remain after everything is undone. */
interface Expected {
  readonly must: Words;
  /** Deleted by the user among changes of the agent: may be restored. */
  readonly may: Words;
  /** Binary, or changed on disk while an editor has unsaved text: only losses are checked. */
  unsure: boolean;
}

interface Mark {
  readonly entry: number;
  readonly seen: Record<string, string | undefined>;
  readonly expected: ReadonlyMap<Path, Expected>;
}

const START = 'start1\nstart2\r\nstart3\nstart4\nstart5';

const file = (bytes: string): FileContent => ({ mode: '100644', bytes });
const linesOf = (content: FileContent | undefined): string[] => content?.bytes.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const wordsOf = (...contents: readonly (FileContent | undefined)[]): Words =>
  new Set(
    contents
      .map((each) => each?.bytes ?? '')
      .join('\n')
      .match(/[a-z]+\d+/g),
  );
const minus = (words: Words, others: Words): Words => new Set([...words].filter((word) => !others.has(word)));
const copyOf = ({ must, may, unsure }: Expected): Expected => ({ must: new Set(must), may: new Set(may), unsure });

/** Runs steps and compares the review with a model of sets of words: each written line is a unique word. */
export class ReviewModelPlay {
  readonly #world = new ReviewModelWorld();
  readonly #expected = new Map<Path, Expected>();
  readonly #marks: Mark[] = [];
  /** Words that the user has discarded. */
  readonly #dropped: Words = new Set();
  /** Words of the agent that the user has deleted and restored: they are the agent's again only where all of its text is restored. */
  readonly #restored: Words = new Set();
  /** Words of git that count as the agent's, and that the user has deleted. */
  readonly #loose: Words = new Set();
  /** Files that another program may have changed. */
  readonly #doubts = new Set<Path>();
  readonly #everDoubted = new Set<Path>();
  /** Files that may have been binary: of such a file, the newest version of the user counts. */
  readonly #binary = new Set<Path>();
  /** Files that the user, another program, Keep or Undo has changed in this turn: what git does with them later counts as the agent's. */
  readonly #touched = new Set<Path>();
  #count = 0;

  async run(steps: readonly ReviewStep[]): Promise<void> {
    for (const path of PATHS.slice(0, 2))
      this.#world.files.put(path, file(START.replaceAll('start', `start${path.at(-1)}`)));
    for (const path of PATHS) this.#settled(path);
    this.#commitAll();
    await this.#turn();
    for (const step of steps) {
      const before = this.#recoverable();
      for (const word of await (isChange(step) ? this.#change(step) : this.#act(step))) this.#dropped.add(word);
      const after = this.#recoverable();
      for (const word of minus(before, this.#dropped))
        assert.ok(after.has(word), `${JSON.stringify(step)} lost ${word}`);
      for (const { path, isUnsure } of this.#world.review.files())
        assert.ok(!isUnsure || this.#doubts.has(path as Path), `${path} is in doubt after ${JSON.stringify(step)}`);
    }
    await this.#undoAll();
    await this.#keep(() => this.#world.review.keepAll());
  }

  dispose(): void {
    this.#world.dispose();
  }

  /** @returns Words of the user that the user has discarded. */
  async #change(step: Change): Promise<Words> {
    switch (step.type) {
      case 'types':
        return this.#types(step);
      case 'saves':
        return this.#saves(step.path, () => this.#world.saves(step.path));
      case 'reverts':
        return this.#reverts(step.path);
      case 'writes':
        return this.#program(step.path, this.#changed(step, this.#who));
      case 'binary':
        for (const path of PATHS) this.#binary.add(path);
        this.#of(step.path).unsure = true;
        return this.#program(step.path, file(`\0agent${this.#count++}`));
      case 'deletes':
        return this.#program(step.path, undefined);
      case 'moves':
        return this.#moves(step.path);
      case 'edits':
        return this.#editsThrough(step);
      case 'other':
        return this.#other(step);
      case 'doubtful':
        return this.#doubtful(step);
      case 'merges':
        return this.#merges(step);
      default:
        return assertNever(step);
    }
  }

  /** @returns as {@link #change} */
  async #act(step: Act): Promise<Words> {
    const { review } = this.#world;
    switch (step.type) {
      case 'turn':
        await (this.#world.working ? this.#world.end() : this.#turn());
        return new Set();
      case 'checkout':
        return this.#program(PATHS[0], file(`${this.#who}${this.#count++}\n`));
      case 'commit':
        return this.#commit();
      case 'reload':
        return this.#reload();
      case 'restore':
        return this.#restore(step.at);
      case 'undoLast':
        return this.#undoLast();
      case 'commits':
        if (this.#world.working) this.#commitAll();
        return new Set();
      case 'undoSure':
        return this.#undoSure();
      case 'undoAll':
        return this.#undoAll();
      case 'undoFile':
        return this.#undo(() => review.undoFile(step.path), [step.path]);
      case 'keepAll':
        return this.#keep(() => review.keepAll());
      case 'keepFile':
        return this.#keep(() => review.keepFile(step.path));
      case 'keepHunk':
      case 'undoHunk':
        return this.#hunk(step);
      default:
        return assertNever(step);
    }
  }

  async #turn(): Promise<void> {
    const entry = this.#marks.length;
    this.#touched.clear();
    await this.#world.begin(entry);
    const expected = new Map([...this.#expected].map(([path, each]) => [path, copyOf(each)] as const));
    this.#marks.push({ entry, seen: this.#seen(), expected });
  }

  #commitAll(): void {
    const { files, git, working } = this.#world;
    for (const path of PATHS) {
      const disk = files.onDisk.get(path);
      git.commit(path, disk);
      // What git had brought and the agent has taken away again is no change of the turn.
      const { must, may } = this.#of(path);
      const isBack = working && git.isAtStart(path, disk);
      for (const word of isBack ? must : []) if (word.startsWith('git') && must.delete(word)) may.add(word);
    }
  }

  /** The author of a write by a program. */
  get #who(): string {
    return this.#world.working ? 'agent' : 'other';
  }

  async #types(step: Extract<ReviewStep, { readonly type: 'types' }>): Promise<Words> {
    const { path, save } = step;
    const type = (): Promise<void> => this.#world.types(path, this.#changed(step, 'user'), false);
    const removed = await this.#byUser(path, type);
    if (!save) return removed;
    return new Set([...removed, ...(await this.#saves(path, () => this.#world.saves(path)))]);
  }

  async #reverts(path: Path): Promise<Words> {
    const hidden = wordsOf(this.#world.files.editors.get(path));
    const item = this.#world.modifiedFiles.get(path);
    if (item?.overwritten || item?.beforeUndo) this.#of(path).unsure = true;
    await this.#byUser(path, () => this.#world.reverts(path));
    return hidden;
  }

  async #moves(path: Path): Promise<Words> {
    const { files } = this.#world;
    const to = PATHS[(PATHS.indexOf(path) + 1) % PATHS.length] ?? path;
    const content = files.onDisk.get(path);
    if (!content || files.onDisk.has(to) || files.editors.has(to) || files.editors.has(path)) return new Set();
    const dropped = await this.#program(path, undefined);
    return new Set([...dropped, ...(await this.#program(to, content))]);
  }

  /** Saving overwrites what another program has written to disk. */
  async #saves(path: Path, act: () => Promise<void>): Promise<Words> {
    const { files } = this.#world;
    if (!files.editors.has(path)) return new Set();
    const disk = wordsOf(files.onDisk.get(path));
    await act();
    return minus(disk, wordsOf(files.seen(path)));
  }

  /** The change belongs to the user, so it is part of the version that Undo restores. */
  async #byUser(path: Path, act: () => Promise<void>): Promise<Words> {
    const before = wordsOf(this.#world.files.seen(path));
    if (this.#world.working) this.#touched.add(path);
    await act();
    const after = wordsOf(this.#world.files.seen(path));
    const { must, may } = this.#of(path);
    for (const word of minus(after, before)) {
      const isAgents = word.startsWith('agent') && !may.has(word);
      if (isAgents || this.#loose.has(word)) this.#restored.add(word);
      (this.#restored.has(word) ? may : must).add(word);
    }
    const removed = minus(before, after);
    for (const word of removed) {
      if (must.delete(word)) may.add(word);
      else if (word.startsWith('git')) this.#loose.add(word);
    }
    return removed;
  }

  async #program(path: Path, content: FileContent | undefined, writer: Writer = 'agent'): Promise<Words> {
    const { files, working, modifiedFiles } = this.#world;
    const [disk, editor] = [files.onDisk.get(path), files.editors.get(path)];
    const act = (): Promise<void> => this.#world.writes(path, content, writer);
    if (!working) {
      const base = modifiedFiles.get(path)?.attribution.base;
      await this.#byUser(path, act);
      // Deleting a file also ends its review.
      if (content || editor || !disk) return wordsOf(disk);
      this.#settled(path);
      return wordsOf(disk, base);
    }
    const attribution = modifiedFiles.get(path)?.attribution;
    await act();
    if (attribution?.isReplacedByUser) {
      this.#of(path).unsure = true;
      return wordsOf(attribution.base, disk);
    }
    const shown = wordsOf(editor);
    return editor ? minus(wordsOf(disk), shown) : new Set();
  }

  /** A write through the editor also saves what the user has typed there. */
  async #editsThrough(step: Extract<ReviewStep, { type: 'edits' }>): Promise<Words> {
    const { files, working, modifiedFiles } = this.#world;
    if (!working) return new Set();
    const attribution = modifiedFiles.get(step.path)?.attribution;
    const dropped = minus(wordsOf(files.onDisk.get(step.path)), wordsOf(files.seen(step.path)));
    await this.#world.edits(step.path, this.#changed(step, 'agent'));
    // A binary file is one unit: the newest user version counts.
    if (!attribution?.isReplacedByUser) return dropped;
    this.#of(step.path).unsure = true;
    return new Set([...dropped, ...wordsOf(attribution.base)]);
  }

  /** Another program writes while the agent waits: as the user's. */
  async #other(step: Extract<ReviewStep, { readonly type: 'other' | 'doubtful' }>): Promise<Words> {
    const { files } = this.#world;
    const disk = wordsOf(files.onDisk.get(step.path));
    const content = this.#changed(step, 'other');
    await this.#byUser(step.path, () => this.#world.writes(step.path, content, 'other'));
    return disk;
  }

  /** Another program may have written: listed as the agent's, with a word for it. */
  async #doubtful(step: Extract<ReviewStep, { readonly type: 'other' | 'doubtful' }>): Promise<Words> {
    const { working, review } = this.#world;
    const { path } = step;
    if (working) for (const doubts of [this.#doubts, this.#everDoubted]) doubts.add(path);
    const before = JSON.stringify(review.file(path));
    const dropped = await this.#program(path, this.#changed(step, this.#who), 'unknown');
    const shown = review.file(path);
    // It may have written what is in the editor.
    if (working && shown && JSON.stringify(shown) !== before) assert.ok(shown.isUnsure, `${path} is not in doubt`);
    return dropped;
  }

  /** What git brings is part of the version that Undo restores; what it takes is in git. */
  async #merges(step: Extract<ReviewStep, { readonly type: 'merges' }>): Promise<Words> {
    const { working, files, git, modifiedFiles, review } = this.#world;
    const { path } = step;
    const isTouched = this.#touched.has(path);
    const isReviewed = isTouched || review.files().some((each) => each.path === path || each.from === path);
    const [disk, item] = [files.onDisk.get(path), modifiedFiles.get(path)];
    if (!working || files.editors.has(path) || item?.overwritten || !git.isClean(path, disk)) return new Set();
    // Undo restores text that is in no commit, even below what git brings.
    const base = item?.attribution.base;
    const isCommitted = !base || (await git.isStored(path, base));
    const isKnown = isCommitted && !isTouched && (!item || git.hasHad(path, base));
    const merged = git.merge(path, (theirs) => this.#changedFrom(linesOf(theirs), step, 'git'));
    if (!merged) return new Set();
    const [before, after] = [wordsOf(disk), wordsOf(merged.content)];
    await this.#world.writes(path, merged.content);
    await this.#world.scan(true);
    const { must, may } = this.#of(path);
    for (const word of minus(after, before)) (isKnown ? must : may).add(word);
    const removed = minus(before, after);
    for (const word of removed) if (must.delete(word) && isReviewed) may.add(word);
    if (!isReviewed) assert.equal(review.file(path), undefined, `${path} is as git has it, and under review`);
    // Text that git replaces is in a commit.
    const replaced = isCommitted ? minus(wordsOf(base), after) : [];
    for (const word of replaced) if (must.delete(word)) may.add(word);
    return new Set([...removed, ...replaced]);
  }

  async #commit(): Promise<Words> {
    const { working, review, files, modifiedFiles } = this.#world;
    const dropped: Words = new Set();
    if (working) return dropped;
    this.#commitAll();
    const paths = review.files().flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
    for (const path of paths) {
      const isCommitted = files.onDisk.get(path)?.bytes === modifiedFiles.get(path)?.attribution.text?.bytes;
      if (isCommitted) for (const word of await this.#keep(() => review.keepFile(path))) dropped.add(word);
    }
    return dropped;
  }

  async #keep(act: () => Promise<ReviewResult>): Promise<Words> {
    const [seen, hidden] = [this.#seen(), this.#replaced()];
    const { done } = await act();
    assert.deepEqual(this.#seen(), seen, 'Keep changes no file');
    for (const path of done) this.#settled(path as Path);
    for (const path of done) assert.equal(this.#world.review.file(path), undefined, `${path} is still under review`);
    return new Set(done.flatMap((path) => [...(hidden.get(path) ?? [])]));
  }

  /** Undo All whose question was answered with "Undo Only the Others". */
  async #undoSure(): Promise<Words> {
    const { review } = this.#world;
    const [unsure, sure] = [true, false].map((wanted) =>
      review.files().filter(({ isUnsure = false }) => isUnsure === wanted),
    );
    const before = unsure?.map((each) => [each, this.#world.files.seen(each.path)]);
    const paths = (sure ?? []).map(({ path }) => path);
    await this.#undo(() => review.undoFiles(paths), paths);
    const after = unsure?.map(({ path }) => [review.file(path), this.#world.files.seen(path)]);
    assert.deepEqual(after, before, 'Undo leaves what may not be the agent’s');
    return new Set();
  }

  async #undoAll(): Promise<Words> {
    const { review, files, modifiedFiles } = this.#world;
    const paths = review.files().flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
    const unlisted = PATHS.filter(
      (path) => !paths.includes(path) && modifiedFiles.get(path) && !this.#binary.has(path),
    );
    await this.#undo(() => review.undoAll(), paths);
    for (const path of unlisted) {
      const { must, unsure } = this.#of(path);
      const seen = wordsOf(files.seen(path));
      for (const word of must) assert.ok(unsure || seen.has(word), `${path} lacks ${word}, and is not under review`);
    }
    return new Set();
  }

  async #undo(act: () => Promise<ReviewResult>, paths: readonly string[]): Promise<Words> {
    const { done, problems } = await act();
    for (const path of paths)
      assert.ok(done.includes(path) || problems.some((each) => each.path === path), `${path}: no answer`);
    for (const path of done) if (!problems.some((each) => each.path === path)) this.#undone(path as Path);
    return new Set();
  }

  /** Checks that a file contains no words of the agent and all words of the user. */
  #undone(path: Path): void {
    const { must, may, unsure } = this.#of(path);
    const seen = wordsOf(this.#world.files.seen(path));
    assert.equal(this.#world.review.file(path), undefined, `${path} is still under review`);
    if (!unsure) {
      for (const word of must) assert.ok(seen.has(word), `Undo of ${path} did not bring ${word} back`);
      for (const word of seen) assert.ok(must.has(word) || may.has(word), `Undo left ${word} in ${path}`);
    }
    this.#settled(path);
  }

  async #hunk({ type, path, at }: Extract<ReviewStep, { readonly type: 'keepHunk' | 'undoHunk' }>): Promise<Words> {
    const { review, modifiedFiles } = this.#world;
    const hunks = review.file(path)?.hunks ?? [];
    const hunk = hunks[Math.floor(at * hunks.length)];
    const attribution = modifiedFiles.get(path)?.attribution;
    if (!hunk || !attribution) return new Set();
    const words = (content: FileContent | undefined, { start, lines }: { start: number; lines: number }): Words =>
      wordsOf(
        file(
          linesOf(content)
            .slice(start, start + lines)
            .join(''),
        ),
      );
    const [removed, added] = [words(attribution.base, hunk.before), words(attribution.text, hunk.after)];
    const [seen, replaced] = [this.#seen(), this.#replaced().get(path)];
    const { problems } = await review[type](path, hunk.id);
    if (problems.length > 0) {
      assert.deepEqual(this.#seen(), seen, 'a refusal changes no file');
      return new Set();
    }
    if (type === 'keepHunk') {
      assert.deepEqual(this.#seen(), seen, 'Keep changes no file');
      const { must } = this.#of(path);
      for (const word of removed) if (!added.has(word)) must.delete(word);
      for (const word of added) must.add(word);
      if (!review.file(path)) this.#settled(path);
      return replaced ?? new Set();
    }
    if (!review.file(path)) this.#undone(path);
    return new Set();
  }

  async #undoLast(): Promise<Words> {
    const hidden = this.#unseen();
    const { done, problems } = await this.#world.review.undoLast();
    // Undo of Keep puts changes under review again: the model does not follow single steps.
    for (const path of [...done, ...problems.map((each) => each.path)]) this.#of(path as Path).unsure = true;
    for (const path of done) if (this.#everDoubted.has(path as Path)) this.#doubts.add(path as Path);
    return hidden;
  }

  async #reload(): Promise<Words> {
    if (this.#world.working) await this.#world.end();
    const before = this.#world.review.files();
    await this.#world.reload();
    assert.deepEqual(this.#world.review.files(), before, 'a reload changes no review');
    return new Set();
  }

  async #restore(at: number): Promise<Words> {
    const { checkpoints } = this.#world;
    if (this.#world.working) await this.#world.end();
    const mark = this.#marks[Math.floor(at * this.#marks.length)];
    if (!mark) return new Set();
    const [seen, words] = [this.#seen(), this.#recoverable()];
    const { problems, undoId } = await checkpoints.restore('s', mark.entry);
    assert.deepEqual([problems, this.#seen()], [[], mark.seen], 'Restore gives the files of the checkpoint');
    if (Math.floor(at * 100) % 2 === 0) {
      const undo = await checkpoints.undoRestore('s', undoId ?? '');
      assert.deepEqual([undo.problems, this.#seen()], [[], seen], 'Undo of Restore gives the files before');
      return new Set();
    }
    for (const [path, each] of mark.expected) this.#expected.set(path, copyOf(each));
    return words;
  }

  /** Changes the content of a file: each new line is a unique word. */
  #changed(step: ReviewStep & { edit: Edit; path: Path; at: number }, who: string): FileContent {
    const { files } = this.#world;
    const isOnDisk = step.type === 'writes' || step.type === 'other' || step.type === 'doubtful';
    return this.#changedFrom(linesOf(isOnDisk ? files.onDisk.get(step.path) : files.seen(step.path)), step, who);
  }

  #changedFrom(lines: string[], { at, edit }: { at: number; edit: Edit }, who: string): FileContent {
    const word = `${who}${this.#count++}${this.#count % 5 === 0 ? '\r\n' : '\n'}`;
    const index = Math.floor(at * (lines.length + (edit === 'insert' ? 1 : 0)));
    if (edit === 'whole' || lines.length === 0) return file(word);
    if (edit === 'insert' && index === lines.length) lines.push((lines.pop() ?? '').replace(/\n?$/, '\n'));
    return file(lines.toSpliced(index, edit === 'insert' ? 0 : 1, ...(edit === 'remove' ? [] : [word])).join(''));
  }

  #of(path: Path): Expected {
    return this.#expected.get(path) ?? this.#settled(path);
  }

  /** Everything in the file counts as the user's from now on. */
  #settled(path: Path): Expected {
    const expected = { must: wordsOf(this.#world.files.seen(path)), may: new Set<string>(), unsure: false };
    this.#expected.set(path, expected);
    this.#doubts.delete(path);
    if (this.#world.working) this.#touched.add(path);
    return expected;
  }

  #seen(): Record<string, string | undefined> {
    return Object.fromEntries(PATHS.map((path) => [path, this.#world.files.seen(path)?.bytes]));
  }

  /** Words of the user that are in a file or an editor, or that Undo or Restore Checkpoint restores. */
  #recoverable(): Words {
    const { files, modifiedFiles } = this.#world;
    const contents = PATHS.flatMap((path) => {
      const item = modifiedFiles.get(path);
      return [files.editors.get(path), files.onDisk.get(path), item?.attribution.base, item?.overwritten?.previous];
    });
    const kept = this.#marks.flatMap(({ seen }) => Object.values(seen).map((bytes) => file(bytes ?? '')));
    return new Set([...wordsOf(...contents, ...kept)].filter((word) => !/^(agent|git)/.test(word)));
  }

  #unseen(): Words {
    return minus(this.#recoverable(), this.#shown());
  }

  /** Contents that Undo would restore, by file. */
  #replaced(): ReadonlyMap<string, Words> {
    const { files, modifiedFiles } = this.#world;
    return new Map(
      PATHS.map((path) => [path, minus(wordsOf(modifiedFiles.get(path)?.attribution.base), wordsOf(files.seen(path)))]),
    );
  }

  #shown(): Words {
    return wordsOf(...PATHS.map((path) => this.#world.files.seen(path)));
  }
}
