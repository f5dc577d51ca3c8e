import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ToolRules } from '../../../../src/mcp/availability/toolFilter';
import {
  toolId,
  serverUnavailable,
  unavailableText,
  toolUnavailable,
} from '../../../../src/mcp/availability/toolFilter';
import type { AvailabilitySettings } from '../../../../src/mcp/availability/toolFilterSettings';
import { isEnabledBySettings, availabilityRules } from '../../../../src/mcp/availability/toolFilterSettings';

const open: ToolRules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };
const why = (server: string, tool: string, rules: Partial<ToolRules>): string | undefined =>
  toolUnavailable(server, { name: tool }, { ...open, ...rules })?.why;

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/);
const toolName = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
/** Patterns related to the names above. */
const pattern = fc
  .tuple(fc.oneof(name, fc.constant('*')), fc.oneof(toolName, fc.constant('*')), fc.boolean())
  .map(([server, tool, cut]) => (cut ? `${server.slice(0, 1)}*` : `${server}__${tool}`));
const rulesArb = fc.record({
  isTrusted: fc.boolean(),
  isOn: fc.func(fc.boolean()),
  deny: fc.array(pattern, { maxLength: 3 }),
  allow: fc.array(fc.array(pattern, { maxLength: 3 }), { maxLength: 2 }),
});

describe('mcp/availability/toolFilter', () => {
  it('returns the first reason, in the order trust, switch, agent, deny, allow', () => {
    const all = {
      isTrusted: false,
      isOn: () => false,
      agentServers: [],
      deny: ['code__hover'],
      allow: [['problems__*']],
    };
    assert.equal(why('code', 'hover', all), 'untrusted');
    assert.equal(why('code', 'hover', { ...all, isTrusted: true }), 'off');
    assert.equal(why('code', 'hover', { ...all, isTrusted: true, isOn: () => true }), 'notForAgent');
    const given = { ...all, isTrusted: true, isOn: () => true, agentServers: ['code'] };
    assert.equal(why('code', 'hover', given), 'denied');
    assert.equal(why('code', 'hover', { ...given, deny: [] }), 'notAllowed');
    assert.equal(why('code', 'hover', { ...given, deny: [], allow: [['code__h*'], []] }), undefined);
  });

  it('matches whole ids, case-sensitively, with `*` for any text', () => {
    assert.equal(why('context7', 'get', { deny: ['context7__*'] }), 'denied');
    assert.equal(why('context7x', 'get', { deny: ['context7__*'] }), undefined);
    assert.equal(why('db', 'table_delete_all', { deny: ['*__table_delete_*'] }), 'denied');
    assert.equal(why('db', 'read', { deny: ['*__'] }), undefined, 'names no tool');
    assert.equal(why('db', 'delete', { deny: ['DB__delete', 'db__del', 'b__delete'] }), undefined);
    assert.equal(why('a.b', 'c', { deny: ['aXb__c', 'a?b__c', '(a.b)__c'] }), undefined);
  });

  it('requires a match in every list of allow rules', () => {
    const allow = [['code__*'], ['*__hover']];
    assert.equal(why('code', 'hover', { allow }), undefined);
    assert.equal(why('code', 'outline', { allow }), 'notAllowed');
    assert.equal(why('problems', 'hover', { allow }), 'notAllowed');
    assert.equal(why('problems', 'list', { allow: [[], []] }), undefined);
    const excluded = toolUnavailable('docs', { name: 'search', isExcluded: true }, open);
    assert.equal(excluded && unavailableText(excluded), 'excluded by the entry of its server');
  });

  it('disables the whole server by `server__*`, but not by one tool', () => {
    assert.deepEqual(serverUnavailable('code', { ...open, deny: ['code__*'] }), { why: 'denied', pattern: 'code__*' });
    assert.deepEqual(serverUnavailable('code', { ...open, deny: ['*'] }), { why: 'denied', pattern: '*' });
    assert.equal(serverUnavailable('code', { ...open, deny: ['code__hover', '*__hover', 'code__h*'] }), undefined);
  });

  it('describes every reason', () => {
    assert.equal(unavailableText({ why: 'denied', pattern: 'a"b__*' }), 'denied by "a\\"b__*"');
    assert.equal(unavailableText({ why: 'off' }), 'Off');
    for (const reason of ['untrusted', 'notForAgent', 'notAllowed'] as const) {
      assert.ok(unavailableText({ why: reason }).length > 5);
    }
  });

  it('property: disables each tool of a disabled server for the same reason', () => {
    fc.assert(
      fc.property(name, toolName, rulesArb, (server, tool, rules) => {
        const withheld = serverUnavailable(server, rules);
        if (withheld) assert.deepEqual(toolUnavailable(server, { name: tool }, rules), withheld);
      }),
    );
  });

  it('property: offers no more tools after another deny rule or allow list', () => {
    fc.assert(
      fc.property(name, toolName, rulesArb, pattern, (server, tool, rules, more) => {
        if (toolUnavailable(server, { name: tool }, rules) === undefined) return;
        assert.ok(toolUnavailable(server, { name: tool }, { ...rules, deny: [...rules.deny, more] }));
        assert.ok(toolUnavailable(server, { name: tool }, { ...rules, allow: [...rules.allow, [more]] }));
      }),
    );
  });

  it('property: always disables a tool whose id is denied', () => {
    fc.assert(
      fc.property(name, toolName, rulesArb, (server, tool, rules) => {
        assert.ok(toolUnavailable(server, { name: tool }, { ...rules, deny: [...rules.deny, toolId(server, tool)] }));
      }),
    );
  });
});

describe('mcp/availability/toolFilterSettings: availability rules', () => {
  const scopes = <T>(user: T, workspace?: T, folder?: T) => ({
    user,
    workspace,
    folders: folder === undefined ? [] : [{ name: 'app', path: '/app', value: folder }],
  });
  const settings = (more: Partial<AvailabilitySettings> = {}): AvailabilitySettings => ({
    servers: scopes(['code', 'problems']),
    allow: scopes([]),
    deny: scopes([]),
    ...more,
  });

  it('enables servers by user settings; a workspace can only disable them', () => {
    const code = { name: 'code', origin: 'builtIn' as const };
    const tasks = { name: 'tasks', origin: 'builtIn' as const };
    assert.ok(isEnabledBySettings(code, settings()));
    assert.ok(!isEnabledBySettings(tasks, settings()));
    assert.ok(!isEnabledBySettings(tasks, settings({ servers: scopes(['code'], ['code', 'tasks']) })));
    assert.ok(!isEnabledBySettings(code, settings({ servers: scopes(['code'], undefined, ['problems']) })));
    assert.ok(isEnabledBySettings({ name: 'weather', origin: 'extension' }, settings({ servers: scopes([]) })));
  });

  it('combines the deny rules of all scopes, the agent and the preset; only the user can allow', () => {
    const given = settings({
      deny: scopes(['a__*'], ['b__*'], ['c__*']),
      allow: scopes(['code__*'], ['*'], ['*']),
    });
    const agent = { allow: ['code__h*'], deny: ['d__*'], servers: ['code'] };
    const preset = { allow: ['code__hover', 'tasks__*'], deny: ['e__*'] };
    const rules = availabilityRules(given, agent, preset, { isTrusted: true, isOn: () => true });
    assert.deepEqual(rules.deny, ['a__*', 'b__*', 'c__*', 'd__*', 'e__*']);
    assert.deepEqual(rules.allow, [['code__*'], ['code__h*'], ['code__hover', 'tasks__*']]);
    const isAvailable = (server: string, name: string): boolean => !toolUnavailable(server, { name }, rules);
    assert.deepEqual([isAvailable('code', 'hover'), isAvailable('code', 'highlight')], [true, false]);
    assert.ok(!isAvailable('tasks', 'run'), 'a preset does not widen what the user allows');
    assert.deepEqual(rules.agentServers, ['code']);
    assert.equal(
      availabilityRules(given, undefined, undefined, { isTrusted: true, isOn: () => true }).agentServers,
      undefined,
    );
  });
});
