import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { DiskWorld, filesOf, treeOf } from '../unit/review/diskWorld';
import type { Target } from './target';
import { anyInput } from './target';

/** Names that differ only in case, and folders that may be replaced by links. */
const NAMES = ['a.txt', 'A.txt', 'src/a.txt', 'src/B.txt', 'src/deep/c.txt', 'Src/a.txt', 'é/x y.txt'] as const;
const FOLDERS = ['src', 'src/deep', 'Src', 'é'] as const;
/** Targets of links: outside the workspace, its parent, the link itself, a missing path, and another folder inside. */
const LINKS = [
  '../outside',
  '../outside',
  '../outside',
  '../outside/deep',
  '..',
  '.',
  'nowhere',
  'src',
  '../../outside',
  'a.txt',
] as const;

type Deed =
  | { readonly type: 'write'; readonly name: string; readonly text: string }
  | { readonly type: 'delete'; readonly name: string }
  | { readonly type: 'link'; readonly name: string; readonly target: string }
  | { readonly type: 'moveAway'; readonly name: string };

const name = fc.constantFrom(...NAMES);
const anywhere = fc.constantFrom(...NAMES, ...FOLDERS);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ type: fc.constant('write' as const), name, text: fc.constantFrom('', 'one\n', 'two\n', '\0\xff') }),
  fc.record({ type: fc.constant('delete' as const), name: anywhere }),
  fc.record({ type: fc.constant('link' as const), name: anywhere, target: fc.constantFrom(...LINKS) }),
  fc.record({ type: fc.constant('moveAway' as const), name: fc.constantFrom(...FOLDERS) }),
);
const deeds = fc.array(deed, { maxLength: 6 });

/** For any links that agents create: keep, undo and restore change nothing outside, and undoing everything restores the original tree. */
export class ReviewTarget implements Target {
  readonly name = 'review paths';
  readonly batch = 5;

  property(): ReturnType<Target['property']> {
    return anyInput(
      fc.asyncProperty(deeds, deeds, deeds, fc.nat(), fc.boolean(), async (start, first, swapped, chosen, restores) => {
        const world = await DiskWorld.open();
        try {
          await play(world, { start, first, swapped, chosen, restores });
        } finally {
          await world.close();
        }
      }),
    );
  }
}

interface Plot {
  readonly start: readonly Deed[];
  readonly first: readonly Deed[];
  /** Actions of the agent right before the user's steps. */
  readonly swapped: readonly Deed[];
  readonly chosen: number;
  readonly restores: boolean;
}

async function play(world: DiskWorld, { start, first, swapped, chosen, restores }: Plot): Promise<void> {
  await mkdir(join(world.outside, 'deep'));
  for (const each of ['a.txt', 'B.txt', 'c.txt', 'deep/c.txt']) await writeFile(join(world.outside, each), 'precious');
  for (const each of NAMES) await perform(world, { type: 'write', name: each, text: 'start\n' });
  for (const each of start) await perform(world, each);
  const [before, outside] = [await filesOf(world.folder), await treeOf(world.outside)];
  await world.begin(0);
  for (const each of first) await perform(world, each);
  await world.end();
  if (restores) {
    const after = await filesOf(world.folder);
    const { problems, undoId } = await world.checkpoints.restore('s', 0);
    assert.deepEqual([problems, await filesOf(world.folder)], [[], before]);
    assert.deepEqual((await world.checkpoints.undoRestore('s', undoId ?? '')).problems, []);
    assert.deepEqual(await filesOf(world.folder), after);
  }
  assert.deepEqual((await world.review.undoAll()).problems, []);
  assert.deepEqual(await filesOf(world.folder), before);
  assert.deepEqual((await world.review.undoLast()).problems, []);
  world.working = true;
  for (const each of swapped) await perform(world, each);
  await world.end();
  const files = world.review.files();
  const file = files[chosen % Math.max(1, files.length)];
  for (const each of files) if (each !== file) await world.review.undoFile(each.path);
  if (file) await world.review.keepFile(file.path);
  await world.review.undoAll();
  await world.review.undoLast();
  await world.checkpoints.restore('s', 0);
  assert.deepEqual(await treeOf(world.outside), outside, 'nothing outside is touched');
}

/** Direct file operations of an agent; operations that would leave the workspace are skipped. */
async function perform(world: DiskWorld, each: Deed): Promise<void> {
  const path = world.at(each.name);
  if (each.type !== 'delete' && each.type !== 'moveAway') await makeRoom(world, each.name);
  else if (await leadsOut(world, each.name)) return;
  if (each.type === 'moveAway') await rename(path, `${path}-away`).catch(() => undefined);
  else await rm(path, { recursive: true, force: true }).catch(() => undefined);
  if (each.type === 'write') await writeFile(path, each.text, 'latin1');
  if (each.type === 'link') await symlink(each.target, path);
}

/** Creates real folders above a name, replacing what exists there. */
async function makeRoom(world: DiskWorld, each: string): Promise<void> {
  const folder = dirname(each);
  if (folder === '.') return;
  await makeRoom(world, folder);
  const tree = await treeOf(world.folder);
  if (`${folder}/` in tree) return;
  await rm(world.at(folder), { recursive: true, force: true });
  await mkdir(world.at(folder));
}

async function leadsOut(world: DiskWorld, each: string): Promise<boolean> {
  const folder = dirname(each);
  return folder !== '.' && !(`${folder}/` in (await treeOf(world.folder)));
}
