import assert from 'node:assert/strict';
import { parseAccountLimits } from '../../../../src/client/accountLimitsFeature';
import { translateUsage } from '../../../../src/session/translate/translateUsage';

const NOW = Date.UTC(2026, 10, 23, 12, 0);
const RESET = NOW + 3_600_000;

describe('limits of subscriptions', () => {
  const claude = (info: unknown): unknown => {
    const update = { used: 1, size: 2, _meta: { '_claude/rateLimit': info } };
    const [, ...others] = translateUsage(update, NOW);
    return others.flatMap((action): unknown[] => (action.type === 'limitsChanged' ? [...action.limits] : [action]));
  };

  // Modeled on `SDKRateLimitInfo` of @anthropic-ai/claude-agent-sdk 0.3.316, which claude-agent-acp 0.100.0 passes on.
  it('Claude: a share of a window and its reset', () => {
    const info = { status: 'allowed_warning', rateLimitType: 'five_hour', utilization: 0.47, resetsAt: RESET / 1000 };
    assert.deepEqual(claude(info), [{ id: 'five_hour', minutes: 300, used: 0.47, resetsAt: RESET }]);
    assert.deepEqual(claude({ status: 'rejected', rateLimitType: 'seven_day', resetsAt: RESET / 1000 }), [
      { id: 'seven_day', minutes: 10_080, resetsAt: RESET, isReached: true },
    ]);
    assert.deepEqual(claude({ status: 'rejected', rateLimitType: 'five_hour', isUsingOverage: true }), [
      { id: 'five_hour', minutes: 300 },
    ]);
    assert.deepEqual(claude({ status: 'allowed' }), [{ id: '' }]);
  });

  it('Claude: invalid limits and numbers are ignored', () => {
    for (const info of [undefined, null, 5, [], {}, { status: 7 }]) assert.deepEqual(claude(info), []);
    for (const utilization of [-1, '0.4', Number.NaN, 1e300, Infinity, null, {}]) {
      for (const resetsAt of [-1, 0, '5', Number.NaN, 1e300, 8.64e15, RESET, null]) {
        const info = { status: 'allowed', rateLimitType: '__proto__', utilization, resetsAt };
        assert.deepEqual(claude(info), [{ id: '__proto__' }], JSON.stringify(info));
      }
    }
    const [long] = claude({ status: 'allowed', rateLimitType: 'x'.repeat(10_000) }) as { id: string }[];
    assert.equal(long?.id.length, 40);
  });

  it('an invalid cost is ignored', () => {
    for (const amount of [-1, Number.NaN, 1e300, '5', null])
      assert.deepEqual(translateUsage({ used: 1, size: 2, cost: { amount, currency: 'USD' } }, NOW), [
        { type: 'usageChanged', usage: { used: 1, size: 2 } },
      ]);
    const named = translateUsage({ used: 1, size: 2, cost: { amount: 1, currency: 'x'.repeat(500) } }, NOW);
    assert.deepEqual(named, [{ type: 'usageChanged', usage: { used: 1, size: 2 } }]);
  });

  // Unreleased: the shape in codex-acp's pull request 524.
  it('Codex (unreleased): two windows of the account', () => {
    const params = {
      limitId: 'codex',
      primary: { usedPercent: 47, windowDurationMins: 300, resetsAt: RESET / 1000 },
      secondary: { usedPercent: 100, windowDurationMins: 10_080, resetsAt: RESET / 1000 },
    };
    assert.deepEqual(parseAccountLimits(params, NOW), [
      { id: 'codex primary', minutes: 300, used: 0.47, resetsAt: RESET },
      { id: 'codex secondary', minutes: 10_080, used: 1, resetsAt: RESET, isReached: true },
    ]);
    for (const other of [null, 5, [], {}, { primary: 5 }, { primary: { usedPercent: '47' } }])
      assert.deepEqual(parseAccountLimits(other, NOW), []);
    const odd = { primary: { usedPercent: -5, windowDurationMins: 0.5, resetsAt: 1e300 } };
    assert.deepEqual(parseAccountLimits(odd, NOW), [{ id: 'account primary' }]);
  });
});
