import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { countsWrites } from '../../../../src/review/tracking/otherWriters';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import { runGit } from '../../../kit/runGit';
import { until } from '../../../kit/waiting';
import { DiskWorld } from '../diskWorld';

/** The agent is a shell, which runs what it reads. */
describe('what another program changes during a turn', function () {
  this.timeout(20_000);
  let world: DiskWorld;
  let agent: ChildProcess;

  beforeEach(async function () {
    if (process.platform !== 'linux') this.skip();
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt', 'gone.txt']) await put(name, 'old\n');
    await put('b.txt', 'b\n');
    agent = spawn('sh', ['-c', 'while read -r line; do eval "$line"; echo done; done'], { cwd: world.folder });
    world.processes = [agent.pid ?? 0];
  });

  afterEach(async () => {
    agent.stdin?.end('kill $busy\n');
    if (agent.exitCode === null) await once(agent, 'exit');
    await world.close();
  });

  const put = (name: string, text: string): Promise<void> => writeFile(world.at(name), text);
  const text = (name: string): Promise<string> => readFile(world.at(name), 'utf8');
  const changes = (): string[] => world.review.files().map(({ label, status }) => `${status} ${label}`);

  async function agentRuns(command: string): Promise<void> {
    agent.stdin?.write(`${command}\n`);
    if (agent.stdout) await once(agent.stdout, 'data');
  }

  /** Until it is known that the agent did not run now, so that what happens next is not its work. */
  async function agentWaits(): Promise<void> {
    await until(() => world.activity.wasIdle(Date.now() - 50));
  }

  /** The times of files are exact to some milliseconds. */
  async function whenOld(name: string): Promise<void> {
    const { ctimeMs } = await lstat(world.at(name)).catch(() => lstat(world.folder));
    await until(() => Date.now() >= ctimeMs + 50);
  }

  it('is not the agent’s: it is listed apart, and stays when all is undone', async () => {
    await world.turn(async () => {
      await agentWaits();
      await put('a.txt', 'saved elsewhere\n');
      await put('new.txt', 'new\n');
      await rm(world.at('gone.txt'));
      await whenOld('gone.txt');
      await world.turns.scan();
      await agentRuns('echo agent > b.txt');
    });
    assert.deepEqual([changes(), world.byOthers.toSorted()], [['changed b.txt'], ['a.txt', 'gone.txt', 'new.txt']]);
    await world.review.undoAll();
    assert.deepEqual(
      [await text('a.txt'), await text('b.txt'), await text('new.txt')],
      ['saved elsewhere\n', 'b\n', 'new\n'],
    );
  });

  for (const [what, command] of [
    ['writes', 'echo agent > a.txt'],
    ['moves', 'mv b.txt a.txt'],
    ['writes in the background', '(sleep 0.3; echo agent > a.txt) &'],
    // Its parent lives until it has been seen, and ends before it writes.
    ['writes by a daemon', 'setsid sh -c "(sleep 2; echo agent > a.txt) & sleep 1"'],
  ] as const) {
    it(`is the agent’s if it ${what} itself`, async () => {
      await world.turn(async () => {
        await agentWaits();
        await agentRuns(command);
        await until(async () => (await text('a.txt')) !== 'old\n');
        await whenOld('a.txt');
      });
      assert.ok(changes().some((each) => each.endsWith('a.txt')));
      assert.deepEqual(world.byOthers, []);
    });
  }

  /** Until it is known that the agent does not write to a disk now. */
  async function agentWritesNothing(): Promise<void> {
    await until(() => world.activity.wroteNothing(Date.now() - 50, 'disk'));
  }

  const unsure = (): string[] => world.review.files().flatMap(({ label, isUnsure }) => (isUnsure ? [label] : []));
  const act = (action: Action): void => void (world.state = reduce(world.state, action));
  const runs = (title: string): void =>
    act({ type: 'toolStarted', toolCallId: title, patch: { title, tool: 'execute', status: 'running' }, at: 0 });

  /** Another program saves a file while the agent does something. */
  async function savedWhile(work: () => Promise<void>): Promise<void> {
    await world.turn(async () => {
      await work();
      await agentWritesNothing();
      await put('a.txt', 'saved elsewhere\n');
      await whenOld('a.txt');
      await world.turns.scan();
    });
  }

  for (const [what, work] of [
    ['a tool call is open whose processes wait', async () => runs('make')],
    ['a command runs all the time', () => agentRuns('(while :; do :; done) & busy=$!')],
  ] as const) {
    it(`may be the agent’s while ${what}: the file says so`, async () => {
      await savedWhile(work);
      assert.deepEqual([changes(), unsure(), world.byOthers], [['changed a.txt'], ['a.txt'], []]);
    });
  }

  it('may be the agent’s while a command prints all the time: the file says so where the disk counts writes', async () => {
    await savedWhile(() => agentRuns('(while sleep 0.02; do echo tick; done) & busy=$!'));
    // Elsewhere, as in memory, what it prints may as well be the file.
    const doubted = (await countsWrites(world.folder)) ? ['a.txt'] : [];
    assert.deepEqual([changes(), unsure(), world.byOthers], [['changed a.txt'], doubted, []]);
  });

  for (const [what, command] of [
    ['writes', 'echo agent > a.txt'],
    ['appends', 'echo agent >> a.txt'],
    ['replaces', 'echo agent > temporary; mv temporary a.txt'],
    ['moves', 'mv b.txt a.txt'],
    ['deletes', 'rm a.txt'],
    ['empties', ': > a.txt'],
  ] as const) {
    it(`is the agent’s beyond doubt if a process of it ${what} a file while another waits`, async () => {
      await world.turn(async () => {
        runs('make');
        await agentWritesNothing();
        await agentRuns(command);
        await whenOld('a.txt');
      });
      assert.ok(changes().some((each) => each.endsWith('a.txt')));
      assert.deepEqual([unsure(), world.byOthers], [[], []]);
    });
  }

  for (const [what, name] of [
    ['a command that names the file', () => runs(`sed -i s/a/b/ ./a.txt && echo`)],
    ['a report after it', () => world.turns.recordWrites('s', [world.at('a.txt')])],
  ] as const) {
    it(`is the agent’s by ${what}`, async () => {
      await world.turn(async () => {
        runs('make');
        await agentWritesNothing();
        await put('a.txt', 'saved elsewhere\n');
        await whenOld('a.txt');
        await world.turns.scan();
        assert.deepEqual(unsure(), ['a.txt']);
        name();
      });
      assert.deepEqual([changes(), unsure()], [['changed a.txt'], []]);
    });
  }

  describe('by git of the person', () => {
    const git = (...args: string[]): void => {
      runGit(world.folder, '-c', 'init.defaultBranch=main', ...args);
    };
    const seen = async (inTurn: boolean): Promise<void> => {
      if (!inTurn) return world.tracker.refreshAll();
      await Promise.all(['a.txt', 'b.txt'].map(whenOld));
      await world.turns.scan();
    };

    beforeEach(async () => {
      git('init', '-q');
      await put('b.txt', 'one\ntwo\nthree\nfour\nfive\n');
      git('add', '-A');
      git('commit', '-qm', 'first');
      git('checkout', '-qb', 'colleague');
      await put('b.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
      git('commit', '-qam', 'theirs');
      git('checkout', '-q', 'main');
    });

    for (const [what, acts, left] of [
      ['stash and stash pop', [['stash'], ['stash', 'pop']], 'one'],
      [
        'a stash of new files, too',
        [
          ['stash', '--include-untracked'],
          ['stash', 'pop'],
        ],
        'one',
      ],
      [
        'a checkout of another branch and back',
        [['stash'], ['checkout', 'colleague'], ['checkout', 'main'], ['stash', 'pop']],
        'one',
      ],
      ['a merge between stash and stash pop', [['stash'], ['merge', 'colleague'], ['stash', 'pop']], 'ONE'],
      ['a pull with autostash', [['-c', 'rebase.autoStash=true', 'rebase', 'colleague']], 'ONE'],
    ] as const) {
      for (const inTurn of [true, false]) {
        it(`by ${what} ${inTurn ? 'in' : 'after'} a turn leaves the agent’s change in Changes`, async () => {
          const runs = async (): Promise<void> => {
            for (const args of acts) {
              git(...args);
              await seen(inTurn);
            }
          };
          await world.turn(async () => {
            await agentRuns('sed -i s/five/agent/ b.txt; echo new > new.txt');
            await whenOld('b.txt');
            await world.turns.scan();
            await agentWaits();
            if (inTurn) await runs();
          });
          if (!inTurn) await runs();
          assert.deepEqual(changes(), ['changed b.txt', 'created new.txt']);
          await world.review.undoAll();
          assert.equal(await text('b.txt'), `${left}\ntwo\nthree\nfour\nfive\n`);
        });
      }
    }

    it('stays in doubt by stash and stash pop', async () => {
      await savedWhile(async () => runs('make'));
      for (const args of [['stash'], ['stash', 'pop']]) {
        git(...args);
        await seen(false);
      }
      assert.deepEqual([changes(), unsure()], [['changed a.txt'], ['a.txt']]);
    });

    it('is the agent’s again by a stash pop in the next window', async () => {
      await world.turn(() => agentRuns('sed -i s/five/agent/ b.txt'));
      git('stash');
      await seen(false);
      assert.deepEqual(changes(), []);
      await world.file.write();
      const next = await DiskWorld.reopen(world.base);
      git('stash', 'pop');
      await next.tracker.refreshAll();
      assert.deepEqual(
        next.review.files().map(({ label }) => label),
        ['b.txt'],
      );
    });

    it('is not the agent’s by a pull', async () => {
      await world.turn(async () => {
        await agentWaits();
        git('merge', '-q', 'colleague');
        await seen(true);
        await agentRuns('echo agent >> b.txt');
      });
      assert.deepEqual(changes(), ['changed b.txt']);
      await world.review.undoAll();
      assert.equal(await text('b.txt'), 'ONE\ntwo\nthree\nfour\nfive\n');
    });
  });

  it('is the agent’s only as far as its watcher reformats what the user saves', async () => {
    await put('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
    await world.turn(async () => {
      await agentRuns('(while [ ! -e saved ]; do sleep 0.02; done; sed -i s/five/FIVE/ a.txt; echo > formatted) &');
      const typed = 'ONE\ntwo\nthree\nfour\nfive\n';
      await put('a.txt', typed);
      world.saved.set(world.at('a.txt'), { mode: '100644', bytes: typed });
      await put('saved', '');
      await until(() => lstat(world.at('formatted')).catch(() => undefined));
      await world.turns.scan();
      world.saved.clear();
    });
    assert.ok(changes().includes('changed a.txt'));
    await world.review.undoAll();
    assert.equal(await text('a.txt'), 'ONE\ntwo\nthree\nfour\nfive\n');
  });

  it('stays in doubt after a reload, until it is kept or undone', async () => {
    await savedWhile(async () => runs('make'));
    await world.file.write();
    const next = await DiskWorld.reopen(world.base);
    assert.deepEqual(
      next.review.files().map(({ isUnsure }) => isUnsure),
      [true],
    );
    await world.review.undoAll();
    assert.equal(await text('a.txt'), 'old\n');
    await world.turn(async () => agentRuns('echo agent > a.txt'), 1);
    assert.deepEqual([changes(), unsure()], [['changed a.txt'], []]);
  });

  it('is the user’s, and not another program’s, if VS Code has saved it', async () => {
    await world.turn(async () => {
      await agentWaits();
      world.saved.set(world.at('a.txt'), { mode: '100644', bytes: 'typed\n' });
      await put('a.txt', 'typed\n');
      await whenOld('a.txt');
      await world.turns.scan();
    });
    assert.deepEqual([changes(), world.byOthers], [[], []]);
  });

  it('is not known of a file that the agent has named', async () => {
    await world.turn(async () => {
      await agentWaits();
      world.turns.recordWrites('s', [world.at('a.txt')]);
      await put('a.txt', 'somebody\n');
      await whenOld('a.txt');
    });
    assert.deepEqual([changes(), world.byOthers], [['changed a.txt'], []]);
  });
});
