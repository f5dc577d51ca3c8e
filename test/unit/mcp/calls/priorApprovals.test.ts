import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Clock } from '../../../../src/base/clock';
import { canonicalJson } from '../../../../src/base/json';
import { PriorApprovals, isToolName } from '../../../../src/mcp/calls/priorApprovals';
import type { RegisteredServer, ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { Tool, ToolServer } from '../../../../src/mcp/contract/toolServerTypes';
import type { AgreedCall } from '../../../../src/session/sessionHandle';
import { stubOf } from '../../../kit/stubOf';

const NOW = 10_000_000;

/** Calls that the user has allowed by answering the agent's own permission request. */
function answered(...calls: readonly Partial<AgreedCall>[]): readonly AgreedCall[] {
  return calls.map((call, index) => ({ permissionId: `p${index}`, title: 'mcp__refactor__rename', at: NOW, ...call }));
}

/** @param tools of all servers, as `server/tool` or `server/tool/title` */
function ledger(now = NOW, ...tools: readonly string[]): PriorApprovals {
  const servers = tools.map((path) => {
    const [name = '', tool = '', title = tool] = path.split('/');
    return stubOf<RegisteredServer>({
      name,
      server: stubOf<ToolServer>({ tools: [stubOf<Tool>({ name: tool, title })] }),
    });
  });
  return new PriorApprovals(stubOf<Clock>({ elapsed: () => now }), stubOf<ToolServers>({ list: () => servers }));
}
const args = { symbol: 'x', new_name: 'y' };

describe('mcp/calls/priorApprovals', () => {
  it('uses an approval once', () => {
    const book = ledger();
    const state = answered({ rawInput: args });
    assert.equal(book.consume(state, 'refactor', 'rename', { new_name: 'y', symbol: 'x' }), true);
    assert.equal(book.consume(state, 'refactor', 'rename', args), false);
  });

  it('uses two approvals for two equal calls', () => {
    const book = ledger();
    const state = answered({ rawInput: args }, { rawInput: args });
    const taken = [1, 2, 3].map(() => book.consume(state, 'refactor', 'rename', args));
    assert.deepEqual(taken, [true, true, false]);
  });

  it('uses approvals of the last minute only', () => {
    const take = (at: number): boolean =>
      ledger().consume(answered({ rawInput: args, at }), 'refactor', 'rename', args);
    assert.deepEqual([NOW - 60_001, NOW - 59_000].map(take), [false, true]);
  });

  it('recognizes a call by the name beside its title', () => {
    const state = answered({ title: 'Rename x', name: 'mcp__refactor/rename', rawInput: args });
    assert.equal(ledger().consume(state, 'refactor', 'rename', args), true);
  });

  it('requires the same tool and the same arguments', () => {
    const take = (state: readonly AgreedCall[], tool: string, input: unknown) =>
      ledger().consume(state, 'refactor', tool, input);
    const state = answered({ rawInput: args });
    assert.equal(take(state, 'format', args), false);
    assert.equal(take(state, 'rename', { ...args, new_name: 'z' }), false);
    assert.equal(take(state, 'rename', { ...args, preview: true }), false);
    assert.equal(take(state, 'rename', {}), false);
    assert.equal(take(answered({ title: 'Rename everything', rawInput: args }), 'rename', args), false);
    assert.equal(take(answered({}), 'rename', {}), true);
  });

  it('recognizes a call by the title of the tool and its arguments, as Copilot asks', () => {
    const take = (input: unknown, title?: string): boolean =>
      ledger().consume(answered({ title: 'Rename symbol', rawInput: args }), 'refactor', 'rename', input, title);
    assert.equal(take(args, 'Rename symbol'), true);
    assert.equal(take({ ...args, new_name: 'z' }, 'Rename symbol'), false);
    assert.equal(take(args, 'Apply a change'), false);
    assert.equal(take(args), false);
    // A title alone does not identify the call.
    assert.equal(
      ledger().consume(answered({ title: 'Rename symbol' }), 'refactor', 'rename', {}, 'Rename symbol'),
      false,
    );
  });

  it('is not misled by a tool whose title is the name of another server’s tool', () => {
    for (const title of ['mcp__git__push', 'git/push', 'push (git MCP Server)', 'push']) {
      const state = answered({ title, rawInput: args });
      assert.equal(ledger().consume(state, 'evil', 'helper', args, title), false, title);
    }
  });

  it('never uses an approval for one of two tools that it may mean', () => {
    const cases = [
      { approved: 'mcp_a_b_c', server: 'a', tool: 'b_c', other: 'a_b/c' },
      { approved: 'a-b-c', server: 'a', tool: 'b-c', other: 'a-b/c' },
      { approved: 'mcp__code__hover', server: 'mcp', tool: 'code__hover', other: 'code/hover' },
      { approved: 'mcp__code__hover', server: '_code', tool: '_hover', other: 'code/hover' },
      { approved: 'a.b.c', server: 'a', tool: 'b.c', other: 'a.b/c' },
      {
        approved: 'Rename symbol',
        server: 'evil',
        tool: 'helper',
        title: 'Rename symbol',
        other: 'code/rename/Rename symbol',
      },
    ];
    for (const { approved, server, tool, title, other } of cases) {
      const take = (...others: readonly string[]): boolean =>
        ledger(NOW, `${server}/${tool}/${title ?? tool}`, ...others).consume(
          answered({ title: approved, rawInput: args }),
          server,
          tool,
          args,
          title,
        );
      assert.deepEqual([take(), take(other)], [true, false], `${approved} for ${other}`);
    }
  });

  it('uses an approval with a name although another tool has the same title', () => {
    const tools = ['code/rename/Rename symbol', 'evil/helper/Rename symbol'];
    const approved = answered({ title: 'Rename symbol', name: 'code/rename', rawInput: args });
    const take = (server: string, tool: string): boolean =>
      ledger(NOW, ...tools).consume(approved, server, tool, args, 'Rename symbol');
    assert.deepEqual([take('code', 'rename'), take('evil', 'helper')], [true, false]);
  });

  it('reads the title and arguments from the fields that Codex by Zed uses', () => {
    const rawInputOf = (server: string): object => ({
      server_name: server,
      request: {
        mode: 'form',
        _meta: { codex_approval_kind: 'mcp_tool_call', tool_title: 'Rename symbol', tool_params: args },
      },
    });
    const take = (server: string, input: unknown, title?: string): boolean =>
      ledger().consume(
        answered({ title: 'Approve Rename symbol', rawInput: rawInputOf(server) }),
        'refactor',
        'rename',
        input,
        title,
      );
    assert.equal(take('refactor', args, 'Rename symbol'), true);
    assert.equal(take('other', args, 'Rename symbol'), false);
    assert.equal(take('refactor', { ...args, new_name: 'z' }, 'Rename symbol'), false);
    assert.equal(take('refactor', args, 'Format'), false);
    assert.equal(take('refactor', args), false);
  });

  it('ignores an approval without arguments, as Gemini asks, because the user did not see them', () => {
    const state = answered({ title: 'rename (refactor MCP Server)' });
    assert.equal(ledger().consume(state, 'refactor', 'rename', args, 'Rename symbol'), false);
  });

  it('reads the arguments from the field that Codex uses', () => {
    const rawInput = { server: 'refactor', tool: 'rename', arguments: args };
    assert.equal(ledger().consume(answered({ title: 'A tool', rawInput }), 'refactor', 'rename', args), true);
    const nested = { invocation: rawInput };
    assert.equal(ledger().consume(answered({ title: 'A tool', rawInput: nested }), 'refactor', 'rename', args), true);
    assert.equal(ledger().consume(answered({ title: 'A tool', rawInput }), 'other', 'rename', args), false);
  });

  it('recognizes tool names in the notations of agents', () => {
    const names = ['mcp__code__hover', 'mcp_code_hover', 'code__hover', 'code/hover', ' code.hover '];
    for (const one of names) assert.ok(isToolName(one, 'code', 'hover'), one);
    for (const one of ['hover', 'mcp__code__hover2', 'xmcp__code__hover', 'code hover', '']) {
      assert.ok(!isToolName(one, 'code', 'hover'), one);
    }
  });

  it('property: canonical JSON depends on everything but the order of fields', () => {
    const shuffle = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffle);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, shuffle(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const plainA = JSON.parse(JSON.stringify(a)) as unknown;
        const plainB = JSON.parse(JSON.stringify(b)) as unknown;
        assert.equal(canonicalJson(plainA), canonicalJson(shuffle(plainA)));
        if (plainA === null || plainB === null) return;
        const isEqual = canonicalJson(plainA) === canonicalJson(plainB);
        assert.equal(isEqual, isDeepEqual(plainA, plainB));
      }),
    );
  });
});

function isDeepEqual(a: unknown, b: unknown): boolean {
  try {
    assert.deepStrictEqual(a, b);
    return true;
  } catch {
    return false;
  }
}
