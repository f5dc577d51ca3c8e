import assert from 'node:assert/strict';
import { nullLogger } from '../../../src/base/logger';
import type { JsonObject } from '../../../src/base/json';
import type { TranscriptWriter } from '../../../src/history/transcriptWriter';
import { SessionModel } from '../../../src/session/sessionModel';
import { initialConfigOptions } from '../../../src/session/translate/translateConfigOptions';
import { optionValues } from '../../../src/shared/state/configOptionState';
import type { SessionState } from '../../../src/shared/state/sessionState';

const many = <T>(make: (index: number) => T, count = 30_000): T[] => Array.from({ length: count }, (_, at) => make(at));

function receive(...updates: readonly JsonObject[]): SessionState {
  const history = { append: () => undefined, appendDiff: () => undefined } as unknown as TranscriptWriter;
  const model = new SessionModel({ id: 's', folders: ['/w'], history, log: nullLogger, clock: { now: () => 5 } });
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
