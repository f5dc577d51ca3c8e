import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock';
import type { JsonObject } from '../../../src/base/json';
import { nullLogger } from '../../../src/base/logger';
import type { TranscriptWriter } from '../../../src/history/transcriptWriter';
import { decideByPolicy, withRealPaths } from '../../../src/permissions/permissionPolicy';
import { SessionModel } from '../../../src/session/sessionModel';
import { initialConfigOptions } from '../../../src/session/translate/translateConfigOptions';
import { optionValues } from '../../../src/shared/state/configOptionState';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { SessionState } from '../../../src/shared/state/sessionState';
import { stubOf } from '../../kit/stubOf';
import { emptyPolicy } from '../permissions/emptyPolicy';

const many = <T>(make: (index: number) => T, count = 30_000): T[] => Array.from({ length: count }, (_, at) => make(at));

function modelOf(): SessionModel {
  const history = stubOf<TranscriptWriter>({ append: () => undefined, appendDiff: () => undefined });
  const model = new SessionModel({
    id: 's',
    folders: ['/w'],
    history,
    log: nullLogger,
    clock: { ...systemClock, now: () => 5 },
  });
  return model;
}

function receive(...updates: readonly JsonObject[]): SessionState {
  const model = modelOf();
  for (const update of updates) model.applyUpdate(update);
  return model.state;
}

describe('hostile: lists of tens of thousands', () => {
  it('of steps of a plan are cut, and the last step says so', () => {
    const entries = many((at) => ({ content: `Step ${at}`, status: 'pending' }));
    const { plan, plans } = receive(
      { sessionUpdate: 'plan', entries },
      { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'a', entries } },
    );
    assert.deepEqual([plan.length, plan.at(-1)?.content], [1001, '29000 more steps']);
    assert.deepEqual(plans[0], { planId: 'a', kind: 'items', items: plan });
    assert.equal(receive({ sessionUpdate: 'plan', entries: entries.slice(0, 1000) }).plan.length, 1000);
  });

  it('of plans keep the newest', () => {
    const { plans } = receive(
      ...many(
        (at) => ({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: `${at}`, content: 'x' } }),
        100,
      ),
    );
    assert.deepEqual([plans.length, plans.at(-1)?.planId], [20, '99']);
  });

  it('of files in a request are not all looked up, so that the request asks whatever rules allow', () => {
    const policy = {
      ...emptyPolicy(),
      rules: () => ({ user: [{ decision: 'allow' as const, path: '/nowhere/**' }], workspace: [] }),
    };
    const decided = (count: number): string => {
      const paths = many((at) => `/nowhere/${at}`, count);
      const request = { kind: 'edit' as const, title: 'Edit', agent: 'A', paths, folders: ['/nowhere'] };
      return decideByPolicy(policy, 's', withRealPaths(request)).decision;
    };
    assert.deepEqual([decided(1000), decided(1001), decided(30_000)], ['allow', 'ask', 'ask']);
  });

  it('of child sessions inside one another are shown side by side', () => {
    const model = modelOf();
    const update = (sessionId: string): JsonObject => ({
      sessionUpdate: 'subagent_update',
      sessionId,
      title: sessionId,
    });
    for (const at of many((index) => index, 2000))
      model.applyUpdate(update(`c${at}`), at === 0 ? undefined : `c${at - 1}`);
    const depthOf = (state: SessionState): number =>
      Math.max(
        0,
        ...Array.from(entriesFrom(state.entries), ([, entry]) =>
          entry.kind === 'subagent' ? 1 + depthOf(entry.child) : 0,
        ),
      );
    assert.deepEqual([model.state.entries.count, depthOf(model.state)], [200, 10]);
    model.applyUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'deep' } }, 'c1999');
    const [, last] = [...entriesFrom(model.state.entries)].at(-1) ?? [];
    assert.match(JSON.stringify(last), /"deep"/);
  });

  it('of commands are cut', () => {
    const availableCommands = many((at) => ({ name: `c${at}`, description: '' }));
    assert.equal(receive({ sessionUpdate: 'available_commands_update', availableCommands }).commands?.length, 1000);
  });

  it('of config options, modes and their values are cut', () => {
    const options = many((at) => ({ value: `${at}`, name: `${at}` }));
    const grouped = many((at) => ({ group: `${at}`, name: `${at}`, options: options.slice(0, 100) }), 1000);
    const read = (result: JsonObject): number[] =>
      (initialConfigOptions(result, () => undefined) ?? []).map((option) =>
        option.kind === 'select' ? optionValues(option).length : 0,
      );
    const config = (list: unknown): JsonObject => ({ type: 'select', currentValue: '1', options: list });
    const two = [
      { id: 'a', ...config(options) },
      { id: 'b', ...config(grouped) },
    ];
    assert.deepEqual(read({ configOptions: two }), [5000, 5000]);
    const availableModes = many((at) => ({ id: `${at}`, name: `${at}` }));
    assert.deepEqual(read({ modes: { currentModeId: '1', availableModes } }), [5000]);
    assert.equal(read({ configOptions: many((at) => ({ id: `${at}`, type: 'boolean' })) }).length, 100);
  });
});
