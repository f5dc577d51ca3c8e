import assert from 'node:assert/strict';
import { limitText } from '../../../../src/webview/chat/composer/limitText';

describe('webview/chat/limitText', () => {
  const now = new Date(2026, 10, 23, 12, 0).getTime();
  const at = new Date(2026, 10, 23, 14, 30).getTime();
  const text = (limit: Parameters<typeof limitText>[0]): string | undefined => limitText(limit, now, 'en');

  it('names window, use and reset', () => {
    const five = { id: 'five_hour', minutes: 300 };
    assert.equal(text({ ...five, used: 0.47, resetsAt: at }), '5-hour window: 47% used, resets 14:30');
    assert.equal(text({ ...five, used: 0.47 }), '5-hour window: 47% used');
    assert.equal(text({ ...five, resetsAt: at }), '5-hour window: resets 14:30');
    assert.equal(text({ ...five, isReached: true, resetsAt: at }), '5-hour window: used up, resets 14:30');
    assert.equal(text({ ...five, isReached: true }), '5-hour window: used up');
    const later = new Date(2026, 10, 25, 9, 5).getTime();
    assert.equal(
      text({ id: 'w', minutes: 10_080, used: 1, resetsAt: later }),
      '7-day window: 100% used, resets Nov 25, 09:05',
    );
  });

  it('names other limits', () => {
    assert.equal(text({ id: 'seven_day_opus', minutes: 10_080, used: 0 }), '7-day window for Opus: 0% used');
    assert.equal(text({ id: 'a', minutes: 90, used: 0.5 }), '90-minute window: 50% used');
    assert.equal(text({ id: 'tokens', used: 0.5 }), 'Limit “tokens”: 50% used');
    assert.equal(text({ id: '', used: 0.5 }), 'Usage limit: 50% used');
    assert.equal(text({ id: 'constructor', used: 0.5 }), 'Limit “constructor”: 50% used');
  });

  it('omits unknown values and limits that were reset', () => {
    assert.equal(text({ id: 'five_hour', minutes: 300 }), undefined);
    assert.equal(text({ id: 'five_hour', minutes: 300, used: 0.4, resetsAt: now }), undefined);
  });
});
