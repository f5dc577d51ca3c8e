import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { DiskWorld } from '../diskWorld';

/** The agent is a shell, which runs what it reads. */
describe('what another program changes during a turn', function () {
  this.timeout(60_000);
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
    agent.stdin?.end();
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
    while (!(await world.activity.wasIdle(Date.now() - 50))) await delay(20);
  }

  /** The times of files are exact to some milliseconds. */
  async function whenOld(name: string): Promise<void> {
    const { ctimeMs } = await lstat(world.at(name)).catch(() => lstat(world.folder));
    while (Date.now() < ctimeMs + 50) await delay(10);
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
    ['writes by a daemon', 'setsid sh -c "(sleep 0.3; echo agent > a.txt) &"'],
  ] as const) {
    it(`is the agent’s if it ${what} itself`, async () => {
      await world.turn(async () => {
        await agentWaits();
        await agentRuns(command);
        while ((await text('a.txt')) === 'old\n') await delay(20);
        await whenOld('a.txt');
      });
      assert.ok(changes().some((each) => each.endsWith('a.txt')));
      assert.deepEqual(world.byOthers, []);
    });
  }

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
