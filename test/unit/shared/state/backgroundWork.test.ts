import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/base/json';
import { backgroundWork } from '../../../../src/shared/state/backgroundWork';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { replayTraffic } from '../../../replay/player';

function after(...actions: readonly Action[]): SessionState {
  return actions.reduce(reduce, emptySession('s'));
}

const names = (state: SessionState): string[] => backgroundWork(state).map(({ kind, title }) => `${kind}: ${title}`);
const prompt = (at: number): Action => ({ type: 'promptSent', text: 'go', blocks: [], at });
const end = (at: number): Action => ({ type: 'turnEnded', stopReason: 'end_turn', at });
const command = (terminalId: string, at: number, foreign = false): Action => ({
  type: 'terminalCreated',
  terminalId,
  command: `run ${terminalId}`,
  ...(foreign && { foreign }),
  at,
});
const subagent = (sessionId: string, canStop = true): Action => ({
  type: 'subagentStarted',
  sessionId,
  patch: { title: `Look at ${sessionId}`, activity: 'running', canStop },
  at: 2,
});
const tasks = (...titles: readonly string[]): Action => ({
  type: 'backgroundTasksChanged',
  tasks: titles.map((title) => ({ taskId: title, kind: 'subagent', title })),
});

describe('background work', () => {
  it('contains what continues after the turn: terminals, child sessions, tasks of the agent', () => {
    const running = after(prompt(1), command('a', 2), command('own', 2, true), subagent('b'), subagent('c', false));
    assert.deepEqual(names(running), []);
    const ended = [end(3), tasks('Wait')].reduce(reduce, running);
    assert.deepEqual(backgroundWork(ended), [
      { kind: 'command', title: 'run a', startedAt: 2, stop: { terminalId: 'a' }, key: 'command a' },
      { kind: 'subagent', title: 'Look at b', startedAt: 2, stop: { sessionId: 'b' }, key: 'subagent b' },
      { kind: 'subagent', title: 'Look at c', startedAt: 2, key: 'subagent c' },
      { kind: 'subagent', title: 'Wait', key: 'task Wait' },
    ]);
  });

  it('of earlier turns stays listed during the next turn, whose own work is not listed', () => {
    const state = after(prompt(1), command('a', 2), subagent('b'), end(3), prompt(4), command('c', 5), subagent('d'));
    assert.deepEqual(names(state), ['command: run a', 'subagent: Look at b']);
  });

  it('ends with its command or child session', () => {
    const state = after(
      prompt(1),
      command('a', 2),
      subagent('b'),
      end(3),
      { type: 'terminalExited', terminalId: 'a', code: 0, at: 4 },
      { type: 'subagentChanged', entry: 1, patch: { activity: 'idle' }, at: 5 },
    );
    assert.deepEqual(names(state), []);
  });

  it('lists a child session once if the agent also reports it as a task', () => {
    assert.deepEqual(names(after(prompt(1), subagent('b'), end(3), tasks('Look at b'))), ['subagent: Look at b']);
  });

  it('finds child sessions in every page of the transcript', () => {
    const many = Array.from({ length: 70 }, (_, index) => subagent(String(index)));
    assert.equal(backgroundWork(after(prompt(1), ...many, end(3))).length, 70);
  });

  it('of an agent is removed when its process ends or another agent is selected', () => {
    for (const last of [
      { type: 'connectionChanged', connection: { status: 'exited' } },
      { type: 'agentNamed', agent: { name: 'other', title: 'Other' } },
    ] satisfies Action[]) {
      assert.deepEqual(names(after(tasks('Wait'), last)), []);
    }
  });

  it('of Claude is listed as its adapter reports it (recorded)', () => {
    const file = join(process.cwd(), 'test/replay/traffic/claude-background.jsonl');
    const records = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { dir: string; msg: JsonObject });
    const actions: Action[] = [];
    replayTraffic(records, actions);
    const states = actions.map((_, index) => after(...actions.slice(0, index + 1)));
    const idle = states.filter(({ turn }) => turn.status === 'idle' && turn.stopReason === 'end_turn');
    assert.deepEqual(names(idle[0] as SessionState), ['command: Waits']);
    assert.deepEqual(names(idle.at(-1) as SessionState), []);
  });
});
