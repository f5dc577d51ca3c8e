import assert from 'node:assert/strict';
import { Emitter } from '../../src/base/event';
import type { PlainSettings, PlainSettingsReader } from '../../src/base/settings';

/** Settings with these values, which never change. Reading another setting throws, so that a test says what it relies on. */
export function settingsOf(values: Partial<PlainSettings>): PlainSettingsReader {
  return {
    get: <Key extends keyof PlainSettings>(key: Key) => {
      assert.ok(key in values, `This test has no setting "${key}"`);
      return values[key] as PlainSettings[Key];
    },
    onDidChange: new Emitter<void>().event,
  };
}
