import { allowed, names, toolServers } from '../agent/toolSettings';
import type { JsonObject } from '../base/json';
import { isObject } from '../base/json';
import type { Reader } from '../base/settings';
import { inWords } from '../base/settings';
import { rulesReader } from './rules/rule';

/**
 * Settings that are read per scope, by their key without `parley.`. Each of them is in `restrictedConfigurations` of package.json:
 * an untrusted workspace sets none of them. A test compares the table with package.json.
 */
export const scopedSettings = {
  /** Entries are checked by `readAgents`. */
  agents: object(),
  /** Of a workspace only `ask` and `deny` count. */
  'permissions.rules': rulesReader,
  /** Names of built-in tool servers. A workspace's list only takes away. */
  'tools.servers': toolServers(),
  /** Of a workspace it does not count: only the person says what is offered. */
  'tools.allow': allowed(),
  /** The lists of all scopes unite. */
  'tools.deny': names(),
  /** Language model tools of the editor. Of a workspace it does not count. */
  'tools.ide': names(),
} satisfies Record<string, Reader<unknown>>;

export type ScopedSettings = { readonly [K in keyof typeof scopedSettings]: ReturnType<(typeof scopedSettings)[K]> };

/** An object whose fields are checked elsewhere. */
function object(): Reader<JsonObject> {
  return (value, report) => {
    if (value === undefined || isObject(value)) return value ?? {};
    report(`expected an object, got ${inWords(value)}`);
    return {};
  };
}
