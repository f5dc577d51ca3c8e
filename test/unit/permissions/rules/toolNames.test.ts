import assert from 'node:assert/strict';
import { mayNameTool } from '../../../../src/permissions/rules/toolNames';

describe('names of tools, for rules that ask or deny', () => {
  for (const [pattern, names] of Object.entries({
    'My Server__drop all': ['mcp__My Server__drop all', 'mcp__my_server__drop_all', 'My Server__drop all'],
    größe__t: ['mcp__größe__t', 'mcp_größe_t', 'mcp__GRÖSSE__t', 'mcp__gr__e__t', 't (Größe MCP Server)'],
    'my server__*': ['t (My Server MCP Server)', 'mcp__my_server__t'],
    'context7.io__t': ['mcp__context7_io__t', 'mcp__context7.io__t'],
    s__t: [`${'x '.repeat(10)}mcp__s__t`, '\u202emcp__s__t', 'mcp__s\u0332__t'.normalize('NFD').replace('\u0332', '')],
  })) {
    it(`match ${pattern} in every form`, () => {
      for (const name of names) assert.ok(mayNameTool(pattern, [name]), JSON.stringify(name));
    });
  }

  it('match no other tool', () => {
    const others = ['mcp__s__other', 'mcp__other__t', 's', 't', 'read src/t.ts', 'grep -rn s t', 'mcp__ss__t'];
    for (const name of others) assert.ok(!mayNameTool('s__t', [name]), name);
    assert.ok(!mayNameTool('read__file', ['read file']));
  });
});
