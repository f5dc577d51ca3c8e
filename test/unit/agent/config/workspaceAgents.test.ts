import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DEMO_AGENT, defaultAgent, demoAgent, findAgent } from '../../../../src/agent/config/agentSettings';
import type { WorkspaceAgent } from '../../../../src/agent/config/workspaceAgents';
import {
  contentHash,
  definitionContent,
  describeAgent,
  readWorkspaceAgents,
} from '../../../../src/agent/config/workspaceAgents';
import type { JsonObject } from '../../../../src/base/json';
import type { SettingProblem } from '../../../../src/base/settings';
import { settingProblemText } from '../../../../src/base/settings';

const env = { TOKEN: 'from-outside' };

function read(
  workspace: JsonObject | undefined,
  folders: readonly { name: string; path: string; value: JsonObject }[] = [],
  taken: readonly string[] = [DEMO_AGENT],
) {
  const problems: SettingProblem[] = [];
  const variables = (folder = '/ws') => ({ workspaceFolder: folder, userHome: '/home/me', env });
  const agents = readWorkspaceAgents({ workspace, folders }, variables, true, taken, problems);
  return { agents, names: agents.map(({ name }) => name), problems: problems.map(settingProblemText) };
}

function one(entry: JsonObject, name = 'Tool'): WorkspaceAgent {
  const { agents, problems } = read({ [name]: entry });
  assert.ok(agents[0], problems.join('\n'));
  return agents[0];
}

describe('agent/config/workspaceAgents', () => {
  it('gives each a unique name and shows its origin', () => {
    const { agents, problems } = read({ Tool: { command: 'tool', args: ['--acp'] } });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      agents.map(({ name, title, description }) => ({ name, title, description })),
      [
        {
          name: 'Tool (workspace)',
          title: 'Tool (workspace)',
          description: 'Defined by this workspace: tool --acp',
        },
      ],
    );
  });

  it('distinguishes the folders of a workspace, each with its own ${workspaceFolder}', () => {
    const value = { Tool: { command: '${workspaceFolder}/tool' } };
    const folders = ['a', 'b'].map((name) => ({ name, path: `/ws/${name}`, value }));
    const { agents, names } = read(value, folders);
    assert.deepEqual(names, ['Tool (workspace)', 'Tool (a)', 'Tool (b)']);
    assert.deepEqual(
      agents.map(({ command }) => command),
      ['/ws/tool', '/ws/a/tool', '/ws/b/tool'],
    );
  });

  it('rejects a name that an agent of the user has', () => {
    const { names, problems } = read({ Tool: { command: 'evil' } }, [], ['Tool (workspace)', 'Tool']);
    assert.deepEqual(names, []);
    assert.deepEqual(problems, [
      'parley.agents["Tool"] (settings of this workspace): an agent named “Tool (workspace)” already exists; rename this agent',
    ]);
  });

  it('rejects incomplete and invalid entries, and reports them', () => {
    const { names, problems } = read({
      Claude: {},
      List: [],
      Env: { env: { A: 'b' } },
      [DEMO_AGENT]: { command: 'x' },
    });
    assert.deepEqual(names, []);
    assert.equal(problems.length, 4);
    for (const problem of problems) assert.match(problem, /\(settings of this workspace\): /);
  });

  it('prefers the agent of the user for the same name, and is not selected by default', () => {
    const demo = demoAgent('/node', '/demo.js');
    const mine = { ...demo, name: 'Tool' };
    const theirs = one({ command: 'evil' });
    assert.equal(findAgent([theirs, mine], 'Tool'), mine);
    assert.equal(findAgent([theirs, demo], 'Tool'), theirs);
    assert.equal(defaultAgent([theirs, demo], '', undefined), undefined);
    assert.equal(defaultAgent([mine, theirs, demo], '', undefined), mine);
  });

  it('shows everything that would be run, with hidden characters and variables unexpanded', () => {
    const local = one({
      command: 'tool',
      args: ['a b', '\u202egpj.exe', 'line\nbreak'],
      env: { KEY: '${env:TOKEN}', LD_PRELOAD: '/ws/x.so\u200b' },
    });
    assert.deepEqual(describeAgent(local, '/ws'), [
      'Command: tool',
      'Arguments: "a b" "\\u{202e}gpj.exe" "line\\nbreak"',
      'Variables:',
      '  KEY=${env:TOKEN}',
      '  LD_PRELOAD=/ws/x.so\\u{200b}',
      'Folder: /ws',
    ]);
    assert.equal(describeAgent(one({ command: 'npx', args: ['tool'] }), '/ws').at(-1), 'Folder: outside the workspace');
    assert.equal(describeAgent(one({ command: 'npx', cwd: '/ws/a' }), '/ws').at(-1), 'Folder: /ws/a');
    assert.equal(local.env['KEY'], 'from-outside');
    const remote = one({ type: 'ws', url: 'wss://example.test/', headers: { A: 'Bearer ${env:TOKEN}' } });
    assert.deepEqual(describeAgent(remote, '/ws'), [
      'URL: wss://example.test/',
      'Headers:',
      '  A: Bearer ${env:TOKEN}',
    ]);
  });

  const entry = fc.record({
    command: fc.constantFrom('tool', '/bin/tool', '/bin/tool '),
    args: fc.array(fc.constantFrom('a', 'b', 'a,b', '["a"]', ''), { maxLength: 3 }),
    env: fc.dictionary(fc.constantFrom('A', 'B'), fc.constantFrom('', 'x', '${env:TOKEN}', 'from-outside')),
    cwd: fc.constantFrom('/ws', '/ws/sub', undefined),
  });

  it('has equal definition content only for equal definitions', () => {
    fc.assert(
      fc.property(entry, entry, (a, b) => {
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        assert.equal(definitionContent(one(a)) === definitionContent(one(b)), same);
      }),
      { numRuns: 500 },
    );
  });

  it('has different definition content after a change of one character, in any field', () => {
    const base = { command: 'tool', args: ['--acp'], env: { A: 'x' }, cwd: '/ws' };
    const remote = { type: 'ws', url: 'wss://example.test/', headers: { A: 'x' } };
    const entries: JsonObject[] = [
      base,
      { ...base, command: 'tool2' },
      { ...base, args: ['--acp '] },
      { ...base, args: ['--acp', ''] },
      { ...base, env: { A: 'y' } },
      { ...base, env: { B: 'x' } },
      { ...base, cwd: '/ws/' },
      remote,
      { ...remote, type: 'http', url: 'https://example.test/' },
      { ...remote, url: 'wss://example.tesT/' },
      { ...remote, headers: { A: 'X' } },
    ];
    const hashes = entries.map((changed) => contentHash(definitionContent(one(changed))));
    assert.equal(new Set(hashes).size, entries.length);
    assert.match(hashes[0] ?? '', /^[0-9a-f]{64}$/);
  });
});

function sorted({ env: variables, ...rest }: { env: Readonly<Record<string, string>> }): unknown {
  return { ...rest, env: Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1)) };
}
