import assert from 'node:assert/strict';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskWorld, filesOf } from '../diskWorld';

/** What happens between checkpoints. Files: 0 is in git, 1 is ignored, 2 is created later, 3 is in a folder that a turn ignores. */
type Step =
  | { readonly type: 'turn' | 'user'; readonly file: number; readonly isDeleted: boolean }
  | { readonly type: 'keep' | 'undo' | 'break' | 'rules' }
  | { readonly type: 'restore'; readonly nth: number };

const FILES = ['a.txt', 'b.log', 'c.txt', 'out/d.txt'] as const;

/** Restoring a message gives the state before it, whatever was restored or undone in between. */
describe('checkpoints: orders of restores', function () {
  let world: DiskWorld;
  let isBroken: boolean;
  let text: number;
  /** By entry. */
  let states: Record<string, string>[];
  let undoId: string | undefined;

  /** Git that fails while `isBroken`. */
  async function open(): Promise<void> {
    const probe = await DiskWorld.open('no-such-git');
    const program = join(probe.outside, 'git');
    await writeFile(program, `#!/bin/sh\n[ -e "${program}.broken" ] && exit 1\nexec git "$@"\n`);
    await chmod(program, 0o755);
    closing.push(() => probe.close());
    world = await DiskWorld.open(program);
    closing.push(() => world.close());
    setBroken = async (broken) => {
      isBroken = broken;
      await (broken ? writeFile(`${program}.broken`, '') : rm(`${program}.broken`, { force: true }));
    };
    [isBroken, text, states, undoId] = [false, 0, [], undefined];
  }
  let setBroken: (broken: boolean) => Promise<void>;
  let closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.toReversed()) await close();
    closing = [];
  });

  async function change(name: string, isDeleted: boolean): Promise<void> {
    if (isDeleted) await rm(world.at(name), { force: true });
    else await world.files.write(world.at(name), { mode: '100644', bytes: `text ${++text}\n` }, undefined, 'save');
  }

  async function turn(changes: readonly (readonly [name: string, isDeleted: boolean])[]): Promise<void> {
    states.push(await filesOf(world.folder));
    await world.turn(async () => {
      for (const [name, isDeleted] of changes)
        await world.tracker.runAgentEdit('s', world.at(name), () => change(name, isDeleted));
    }, states.length - 1);
  }

  async function rules(): Promise<void> {
    const path = world.at('.gitignore');
    const lines = (await filesOf(world.folder))['.gitignore']?.includes('out') ? '*.log\n' : '*.log\nout/\n';
    states.push(await filesOf(world.folder));
    await world.turn(() => world.tracker.runAgentEdit('s', path, () => writeFile(path, lines)), states.length - 1);
  }

  async function restore(entry: number, what: string): Promise<void> {
    const result = await world.checkpoints.restore('s', entry);
    undoId = result.undoId;
    assert.deepEqual([result.problems, await filesOf(world.folder)], [[], states[entry]], `${what}: ${entry}`);
  }

  async function perform(one: Step): Promise<void> {
    if (one.type === 'turn') await turn([[FILES[one.file] ?? '', one.isDeleted]]);
    else if (one.type === 'user') await change(FILES[one.file] ?? '', one.isDeleted);
    else if (one.type === 'rules') await rules();
    else if (one.type === 'keep') await world.review.keepAll();
    else if (one.type === 'break') await setBroken(!isBroken);
    else if (one.type === 'undo') {
      if (undoId !== undefined) await world.checkpoints.undoRestore('s', undoId);
    } else if (one.type === 'restore' && !isBroken) await restore(one.nth % states.length, 'restore');
  }

  /** The agent has changed every file once, so that no later change is unknown. */
  async function begin(): Promise<void> {
    await open();
    await writeFile(world.at('.gitignore'), '*.log\n');
    await writeFile(world.at('a.txt'), 'a\n');
    await writeFile(world.at('b.log'), 'b\n');
    await turn(FILES.map((name) => [name, false] as const));
  }

  async function check(steps: readonly Step[]): Promise<void> {
    await begin();
    for (const one of steps) await perform(one);
    await setBroken(false);
    const last = states.length - 1;
    for (const entry of [0, last, 0]) await restore(entry, 'at the end');
  }

  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('restore twice a file that no tree covered later', () =>
    check([{ type: 'break' }, { type: 'turn', file: 0, isDeleted: false }]));

  it('restore twice a file that was created and then ignored', () =>
    check([
      { type: 'rules' },
      { type: 'keep' },
      { type: 'turn', file: 3, isDeleted: false },
      { type: 'turn', file: 3, isDeleted: true },
    ]));

  it('restore a file that the user changed after it was kept', () =>
    check([
      { type: 'keep' },
      { type: 'turn', file: 0, isDeleted: false },
      { type: 'user', file: 1, isDeleted: false },
      { type: 'restore', nth: 0 },
      { type: 'user', file: 1, isDeleted: false },
    ]));

  it('restore the same after another restore was undone', () =>
    check([{ type: 'turn', file: 2, isDeleted: true }, { type: 'restore', nth: 0 }, { type: 'undo' }]));
});
