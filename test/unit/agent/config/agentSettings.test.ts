import assert from 'node:assert/strict';
import {
  DEMO_AGENT,
  defaultAgent,
  demoAgent,
  isNothingConfigured,
  readAgents,
  unusableAgentReason,
} from '../../../../src/agent/config/agentSettings';
import type { SettingProblem } from '../../../../src/base/settings';
import { DEFAULT_REGISTRY, readPlainSettings } from '../../../../src/base/settings';
import { readPlainSetting } from '../../../../src/base/settingScopes';

const variables = { workspaceFolder: '/ws', userHome: '/home/me', env: { KEY: 'k' } };

function read(value: unknown, more: { trusted?: boolean; workspaceFolder?: undefined } = {}) {
  const problems: SettingProblem[] = [];
  const folder = 'workspaceFolder' in more ? undefined : '/ws';
  const agents = readAgents(value, { ...variables, workspaceFolder: folder }, more.trusted ?? true, problems);
  return {
    agents,
    names: agents.map(({ name }) => name),
    problems: problems.map(({ path, message }) => `${path}: ${message}`),
  };
}

describe('agent/config/agentSettings', () => {
  it('reads an entry with all fields', () => {
    const entry = {
      command: '${userHome}/bin/agent',
      args: ['--root', '${workspaceFolder}', '${env:KEY}'],
      env: { TOKEN: '${env:KEY}' },
      cwd: '${workspaceFolder}/sub',
    };
    const { agents, problems } = read({ Mine: entry });
    assert.deepEqual(problems, []);
    assert.deepEqual(agents, [
      {
        name: 'Mine',
        title: 'Mine',
        description: '/home/me/bin/agent --root /ws k',
        command: '/home/me/bin/agent',
        args: ['--root', '/ws', 'k'],
        env: { TOKEN: 'k' },
        cwd: '/ws/sub',
      },
    ]);
  });

  it('expands the home folder as shells do, but not in URLs and headers', () => {
    const env = { HOME_OF_AGENT: '~/.agent', PLAIN: 'a~b', OTHER: '~user/x', PATH: '~/bin:/bin:~:~me/x:~/y' };
    const local = { command: '~/bin/agent', args: ['~', '~/x', '--file=~/x', 'x~/y', '~user'], env, cwd: '~/work' };
    const { agents, problems } = read({
      local,
      far: { type: 'http', url: 'https://a.test/~me', headers: { X: '~/x' } },
    });
    assert.deepEqual(problems, []);
    const [first, second] = agents;
    assert.deepEqual([first?.command, first?.cwd], ['/home/me/bin/agent', '/home/me/work']);
    assert.deepEqual(first?.args, ['/home/me', '/home/me/x', '--file=~/x', 'x~/y', '~user']);
    const path = '/home/me/bin:/bin:/home/me:~me/x:/home/me/y';
    assert.deepEqual(first?.env, { ...env, HOME_OF_AGENT: '/home/me/.agent', PATH: path });
    assert.deepEqual(second?.remote?.headers, { X: '~/x' });
  });

  it('reads the transport of tool servers, and names an invalid value', () => {
    const transportOf = (transport: unknown) => {
      const { agents, problems } = read({ Mine: { command: 'a', mcp: { transport } } });
      return [agents[0]?.tools?.transport, problems.length];
    };
    for (const transport of ['acp', 'http', 'stdio']) assert.deepEqual(transportOf(transport), [transport, 0]);
    for (const wrong of ['sse', 1, null, ['http']]) assert.deepEqual(transportOf(wrong), [undefined, 1]);
  });

  it('reads bare tool names in "mcp", which mean the tool of every server, beside the patterns in "tools"', () => {
    const mcp = { servers: ['docs'], allow: ['search', 'code__*', '*'], deny: ['delete_*', 7] };
    const { agents, problems } = read({ Mine: { command: 'a', tools: { allow: ['x__y'], deny: ['z'] }, mcp } });
    assert.deepEqual(agents[0]?.tools, {
      servers: ['docs'],
      allow: ['x__y', '*__search', 'code__*', '*'],
      deny: ['z', '*__delete_*'],
    });
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /^parley\.agents\["Mine"\]\.mcp\.deny\[1\]: /);
    const invalid = read({ Mine: { command: 'a', mcp: { allow: 7 } } });
    assert.deepEqual(invalid.agents[0]?.tools?.allow, [''], 'it allows nothing');
  });

  it('reports the position of every invalid value, and keeps the valid entries', () => {
    const { names, problems } = read({
      good: { command: 'agent' },
      list: [],
      none: {},
      number: { command: 5 },
      empty: { command: ' ' },
      args: { command: 'a', args: ['x', 7, null] },
      argsText: { command: 'a', args: '--acp' },
      env: { command: 'a', env: { 'A=B': 'x', C: true } },
      cwd: { command: 'a', cwd: 'sub' },
      relative: { command: './agent' },
      variable: { command: '${file}' },
      'also good': { command: '/bin/agent', type: 'custom' },
    });
    assert.deepEqual(names, ['good', 'also good']);
    const expected = [
      /^parley\.agents\["list"\]: expected an object, got a list$/,
      /^parley\.agents\["none"\]\.command: expected a string, got undefined$/,
      /^parley\.agents\["number"\]\.command: expected a string, got the number 5$/,
      /^parley\.agents\["empty"\]\.command: expected a command, got an empty string$/,
      /^parley\.agents\["args"\]\.args\[1\]: expected a string, got the number 7$/,
      /^parley\.agents\["args"\]\.args\[2\]: expected a string, got null$/,
      /^parley\.agents\["argsText"\]\.args: expected a list of strings/,
      /^parley\.agents\["env"\]\.env: .*"A=B".* is not a valid variable name$/,
      /^parley\.agents\["env"\]\.env\["C"\]: expected a string, got the boolean true$/,
      /^parley\.agents\["cwd"\]\.cwd: expected an absolute path/,
      /^parley\.agents\["relative"\]\.command: expected an absolute path or a name found on PATH/,
      /^parley\.agents\["variable"\]\.command: unknown variable "\$\{file\}"/,
    ];
    assert.equal(problems.length, expected.length, problems.join('\n'));
    expected.forEach((pattern, index) => assert.match(problems[index] ?? '', pattern));
  });

  it('accepts an entry with an unknown field, and reports the field', () => {
    const { names, problems } = read({ typo: { command: 'a', arg: ['x'] } });
    assert.deepEqual(names, ['typo']);
    assert.match(problems[0] ?? '', /\["typo"\]\.arg: unknown field, ignored by this version of Parley$/);
  });

  it('accepts remote agents, encrypted or on this machine', () => {
    const { names, problems } = read({
      far: { type: 'http', url: 'https://example.test/acp', headers: { Authorization: 'Bearer ${input:token}' } },
      near: { type: 'ws', url: 'ws://127.0.0.1:81/' },
    });
    assert.deepEqual([names, problems], [['far', 'near'], []]);
  });

  it('names invalid fields of a remote agent', () => {
    const { names, problems } = read({
      a: { url: 'wss://example.test' },
      b: { type: 'http', url: 'http://example.test' },
      c: { type: 'ws', url: 'https://example.test' },
      d: { type: 'ws', url: 'wss://me:pass@example.test' },
      e: { type: 'ws', url: 'nowhere' },
      f: { type: 'http', url: 'https://x.test', headers: { 'a b': 'x', c: 'two\nlines' } },
      g: { type: 'http' },
    });
    assert.deepEqual(names, []);
    const expected = [
      /\["a"\]\.type: expected "http" or "ws" when "url" is set/,
      /\["b"\]\.url: http:\/\/ is not encrypted/,
      /\["c"\]\.url: expected a URL that starts with wss:/,
      /\["d"\]\.url: put the user name and password in "headers"/,
      /\["e"\]\.url: expected a URL such as wss:/,
      /\["f"\]\.headers\["a b"\]: this is not a valid header name/,
      /\["f"\]\.headers\["c"\]: a header must not contain a line break/,
      /\["g"\]\.url: expected a string/,
    ];
    assert.equal(problems.length, expected.length, problems.join('\n'));
    expected.forEach((pattern, index) => assert.match(problems[index] ?? '', pattern));
  });

  it('keeps the name of the built-in agent', () => {
    assert.match(read({ [DEMO_AGENT]: { command: 'a' } }).problems[0] ?? '', /built-in/);
  });

  it('ignores workspace programs while the workspace is not trusted', () => {
    const agents = {
      inside: { command: '${workspaceFolder}/x' },
      script: { command: 'node', args: ['${workspaceFolder}/x.js'] },
      own: { command: 'x' },
    };
    assert.deepEqual(read(agents, { trusted: false }).names, ['own']);
    assert.deepEqual(read(agents, { trusted: true }).names, ['inside', 'script', 'own']);
  });

  it('rejects values that are not objects', () => {
    assert.deepEqual(read(undefined), { agents: [], names: [], problems: [] });
    assert.deepEqual(read('x').problems, ['parley.agents: expected an object, got the string "x"']);
  });

  it('selects the agent of a new chat', () => {
    const demo = demoAgent('/node', '/demo.js');
    const one = { ...demo, name: 'one' };
    const two = { ...demo, name: 'two' };
    assert.equal(defaultAgent([one, two, demo], 'two', 'one'), two);
    assert.equal(defaultAgent([one, two, demo], '', 'one'), one);
    assert.equal(defaultAgent([one, two, demo], '', 'gone'), undefined);
    assert.equal(defaultAgent([one, demo], '', undefined), one);
    assert.equal(defaultAgent([demo], '', undefined), undefined);
    assert.equal(defaultAgent([one, demo], 'gone', 'one'), undefined, 'no other agent takes its place');
    assert.equal(demo.env['ELECTRON_RUN_AS_NODE'], '1');
  });

  it('says why the agent of the settings cannot be used, and when nothing is configured', () => {
    const demo = demoAgent('/node', '/demo.js');
    const one = { ...demo, name: 'one' };
    const invalid: SettingProblem = { path: 'parley.agents["tilde"].command', message: 'expected an absolute path' };
    const unknown: SettingProblem = { path: 'parley.defaultAgent', message: 'no agent is named "gone"' };
    const reasons = [
      unusableAgentReason([one, demo], 'tilde', [unknown, invalid]),
      unusableAgentReason([one, demo], 'gone', [invalid, unknown]),
      unusableAgentReason([demo], '', [invalid]),
      unusableAgentReason([one, demo], '', [invalid]),
      unusableAgentReason([one, demo], 'one', []),
      unusableAgentReason([demo], '', []),
    ];
    assert.deepEqual(reasons, [
      'The agent “tilde” cannot be used. parley.agents["tilde"].command: expected an absolute path',
      'The agent “gone” cannot be used. parley.defaultAgent: no agent is named "gone"',
      'No agent can be used. parley.agents["tilde"].command: expected an absolute path',
      undefined,
      undefined,
      undefined,
    ]);
    assert.ok(isNothingConfigured([demo], '', [{ path: 'parley.budget', message: 'x' }]));
    assert.ok(!isNothingConfigured([demo], '', [invalid]));
    assert.ok(!isNothingConfigured([demo], 'gone', []));
    assert.ok(!isNothingConfigured([one, demo], '', []));
  });
});

describe('base/settings', () => {
  function plain(values: Record<string, unknown>) {
    const problems: SettingProblem[] = [];
    return {
      settings: readPlainSettings((key, reader) =>
        readPlainSetting(key, { user: values[key], workspace: undefined, folders: [] }, reader, problems),
      ),
      problems,
    };
  }

  it('has defaults', () => {
    const { settings, problems } = plain({});
    assert.deepEqual([settings.defaultAgent, settings['registry.url'], problems], ['', DEFAULT_REGISTRY, []]);
  });

  it('reads each amount of a budget separately, and reports invalid ones', () => {
    const budget = (value: unknown): [unknown, string[]] => {
      const { settings, problems } = plain({ budget: value });
      return [settings.budget, problems.map(({ path, message }) => `${path}: ${message}`)];
    };
    assert.deepEqual(budget({ session: 5, day: 0.5 }), [{ session: 5, day: 0.5 }, []]);
    assert.deepEqual(budget({ session: -1, day: 20 }), [
      { day: 20 },
      ['parley.budget.session: expected a number greater than 0 and at most 1000000, got the number -1'],
    ]);
    for (const wrong of [0, -5, 1e300, Infinity, NaN, '5', null, {}, true]) {
      const [value, problems] = budget({ session: wrong });
      assert.deepEqual([value, problems.length], [{}, 1]);
    }
    assert.deepEqual(budget({ week: 5 }), [{}, ['parley.budget.week: expected only "session" and "day"']]);
    for (const wrong of [5, 'x', [], null]) assert.deepEqual([budget(wrong)[0], budget(wrong)[1].length], [{}, 1]);
  });

  it('accepts valid values and names invalid ones', () => {
    const good = {
      defaultAgent: 'x',
      'registry.url': 'http://127.0.0.1:80/r',
      'permissions.notify': 'never',
      'terminal.outputLimit': 1024,
      'traffic.record': false,
      sound: true,
    };
    assert.deepEqual(plain(good), { settings: { ...plain({}).settings, ...good }, problems: [] });
    const wrong = plain({
      defaultAgent: 1,
      'registry.url': 'http://mirror/',
      'permissions.notify': 'sometimes',
      'terminal.outputLimit': 3.5,
    });
    assert.deepEqual(wrong.settings, plain({}).settings);
    assert.deepEqual(
      wrong.problems.map(({ path, message }) => `${path}: ${message}`),
      [
        'parley.defaultAgent: expected a string, got the number 1',
        'parley.registry.url: http://mirror/ is not allowed; use https, or http on this machine',
        'parley.permissions.notify: expected "whenHidden", "always", "never", got the string "sometimes"',
        'parley.terminal.outputLimit: expected an integer from 1024 to 67108864, got the number 3.5',
      ],
    );
  });
});
