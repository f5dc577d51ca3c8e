import { stub } from '../../unit/ui/vscodeStub';
import assert from 'node:assert/strict';
import { chmod, link, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { recordTemporaryFiles } from '../../../src/node/fs/temporaryFiles';
import { RestoreCheckpoint } from '../../../src/review/editor/restoreCheckpoint';
import { DiskWorld, treeOf } from '../../unit/review/diskWorld';
import type { KillOutcome, KillRow } from './killRow';

const BEFORE = { 'a.txt': '- before\n', 'b.sh': 'x before\n', 'sub/': '', 'sub/c.txt': '- before\n' };
const AFTER = { 'a.txt': '- after\n', 'b.sh': 'x after and longer\n', 'sub/': '', 'sub/d.txt': '- new\n' };

/** Messages shown, and the answer to the first one. One stub of `vscode` for all rows: they share modules. */
const dialogs: { readonly asked: string[]; answer: string | undefined } = { asked: [], answer: undefined };

async function ask(question: string): Promise<string | undefined> {
  dialogs.asked.push(question);
  return dialogs.asked.length === 1 ? dialogs.answer : undefined;
}

Object.assign(stub.window, { showWarningMessage: ask, showInformationMessage: ask });

type Files = Readonly<Record<string, string>>;

const temporary = (base: string): string => join(base, 'temporary');

/** The next window. */
async function reopen(base: string): Promise<DiskWorld> {
  await recordTemporaryFiles(temporary(base));
  return DiskWorld.reopen(base);
}

async function prepareTurn(base: string): Promise<void> {
  for (const name of ['work/sub', 'outside', 'storage']) await mkdir(join(base, name), { recursive: true });
  const world = await DiskWorld.reopen(base);
  for (const name of ['a.txt', 'b.sh', 'sub/c.txt']) await writeFile(world.at(name), 'before\n');
  await chmod(world.at('b.sh'), 0o755);
  await world.begin(0);
  await writeFile(world.at('a.txt'), 'after\n');
  await writeFile(world.at('b.sh'), 'after and longer\n');
  await rm(world.at('sub/c.txt'));
  await writeFile(world.at('sub/d.txt'), 'new\n');
  await world.end();
  await world.file.write();
}

const row = (run: (world: DiskWorld) => Promise<unknown>, check: KillRow['check'], told?: string): KillRow => ({
  ...(told !== undefined && { told }),
  prepare: prepareTurn,
  run: async (base, start) => {
    const world = await reopen(base);
    await start();
    await run(world);
  },
  check,
});

/** Each file has one of its two contents, and nothing else is left. */
async function filesNow({ folder }: DiskWorld, base: string): Promise<Files> {
  const now = await treeOf(folder);
  const names = new Set([...Object.keys(BEFORE), ...Object.keys(AFTER)]);
  for (const name of new Set([...names, ...Object.keys(now)])) {
    const [content, before, after] = [now, BEFORE, AFTER].map((files) => (files as Files)[name]);
    assert.ok(content === before || content === after, `${name} is ${String(content)}`);
  }
  assert.deepEqual(await readdir(temporary(base)).catch(() => []), []);
  return now;
}

const isSame = (one: Files, other: Files): boolean => isDeepStrictEqual(one, other);

/** What the next window asks, and the user answers. */
async function start(world: DiskWorld, answer: string): Promise<readonly string[]> {
  dialogs.asked.length = 0;
  dialogs.answer = answer;
  const interrupted = await world.checkpoints.endInterrupted();
  await new RestoreCheckpoint(world.checkpoints, () => true).showInterrupted(interrupted);
  return [...dialogs.asked];
}

/** @param from the files before the restore, `to` those after it */
async function checkRestore(base: string, from: Files, to: Files): Promise<KillOutcome> {
  const world = await reopen(base);
  const now = await filesNow(world, base);
  // Both answers lead to a state that the user knows.
  const asked = await start(world, Object.keys(now).length % 2 === 0 ? 'Finish Restore' : 'Undo Restore');
  const then = await filesNow(world, base);
  if (asked.length === 0) {
    assert.ok(isSame(now, from) || isSame(now, to), 'a part is restored, and nothing is said');
    return isSame(now, from) ? 'before' : 'after';
  }
  assert.ok(isSame(then, from) || isSame(then, to));
  assert.deepEqual(await start(world, ''), []);
  return 'told';
}

/** Undo All: what is not undone is still under review. */
async function checkUndo(base: string): Promise<KillOutcome> {
  const world = await reopen(base);
  const now = await filesNow(world, base);
  const reviewed = world.review.files().length;
  const { problems } = await world.review.undoAll();
  assert.deepEqual(problems, []);
  assert.deepEqual(await filesNow(world, base), BEFORE);
  if (reviewed === 0) return 'after';
  return isSame(now, AFTER) ? 'before' : 'told';
}

async function checkKeep(base: string): Promise<KillOutcome> {
  const world = await reopen(base);
  assert.deepEqual(await filesNow(world, base), AFTER);
  const reviewed = world.review.files().length;
  assert.ok(reviewed === 0 || reviewed === 4);
  return reviewed === 0 ? 'after' : 'before';
}

async function checkCheckpoint(base: string): Promise<KillOutcome> {
  const world = await reopen(base);
  assert.deepEqual(await filesNow(world, base), AFTER);
  const count = world.checkpoints.infosOf('s').length;
  // The earlier one is there, and a new one can be taken.
  assert.ok(await world.checkpoints.create('s', 2).done);
  assert.deepEqual((await world.checkpoints.restore('s', 0)).problems, []);
  assert.deepEqual(await filesNow(world, base), BEFORE);
  return count === 1 ? 'before' : 'after';
}

/** An agent changes files, and the window records that. */
async function playTurn(world: DiskWorld): Promise<void> {
  await world.begin(1);
  for (const name of ['a.txt', 'b.sh']) {
    await writeFile(world.at(name), 'agent\n');
    await world.tracker.scan();
    await world.file.write();
  }
  await world.end();
  await world.file.write();
}

/** Each change of the turn is under review, or listed. */
async function checkTurn(base: string): Promise<KillOutcome> {
  const world = await reopen(base);
  const isTurn = world.checkpoints.infosOf('s').length > 1;
  const listed = (await world.checkpoints.endUnfinishedTurns(world.file.recorded)).flatMap(({ paths }) => paths);
  const now = await treeOf(world.folder);
  let isChanged = false;
  for (const name of ['a.txt', 'b.sh']) {
    const path = world.at(name);
    if (now[name] === AFTER[name as keyof typeof AFTER]) continue;
    isChanged = true;
    const text = world.modifiedFiles.get(path)?.attribution;
    const isAgents = text?.text?.bytes === 'agent\n' && text.userLines.length === 0;
    assert.ok(isTurn && (isAgents || listed.includes(path)), `${name} counts as the user’s, and nothing is said`);
  }
  return listed.length > 0 ? 'told' : isChanged ? 'after' : 'before';
}

const OFFERED =
  'The next window offers *Finish Restore*, *Undo Restore* and *Leave Files*, until you answer. Without Git or the folder, it says that it cannot check.';

/** The same where each file has another name outside the workspace, so that it is written in place. */
function withHardLinks(plain: KillRow): KillRow {
  const run: KillRow['run'] = (base, start) =>
    plain.run(base, async () => {
      for (const name of ['a.txt', 'b.sh']) await link(join(base, 'work', name), join(base, 'outside', name));
      await start();
    });
  return { ...plain, run };
}

const UNDO_ALL = row(
  async (world) => {
    await world.review.undoAll();
    await world.file.write();
  },
  checkUndo,
  'The other files are still under review. *Undo All* again undoes them.',
);

export const REVIEW_KILLS: Readonly<Record<string, KillRow>> = {
  'Restore Checkpoint': row(
    (world) => world.checkpoints.restore('s', 0),
    (base) => checkRestore(base, AFTER, BEFORE),
    OFFERED,
  ),
  'Undo of a restore': {
    ...row(
      async (world) => world.checkpoints.undoRestore('s', await readFile(join(world.base, 'undo'), 'utf8')),
      (base) => checkRestore(base, BEFORE, AFTER),
      OFFERED,
    ),
    prepare: async (base) => {
      await prepareTurn(base);
      const world = await reopen(base);
      const { undoId = '' } = await world.checkpoints.restore('s', 0);
      await writeFile(join(base, 'undo'), undoId);
    },
  },
  'Undo All': UNDO_ALL,
  'Undo All of files with hard links': withHardLinks(UNDO_ALL),
  'Keep All': row(async (world) => {
    await world.review.keepAll();
    await world.file.write();
  }, checkKeep),
  'a turn': row(
    playTurn,
    checkTurn,
    'The next window lists the files that it cannot attribute: *Changed while Parley did not run*. Without Git or the folder, it says that it cannot check.',
  ),
  'a checkpoint': row((world) => world.checkpoints.create('s', 1).done, checkCheckpoint),
};
