import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../../../../src/base/json';
import type { ToolRules } from '../../../../../src/mcp/availability/toolFilter';
import { withEnvFile } from '../../../../../src/mcp/userServers/config/envFile';
import { parseMcpJson } from '../../../../../src/mcp/userServers/config/mcpJson';
import { readServers } from '../../../../../src/mcp/userServers/config/readServerEntries';
import {
  serverContent,
  definitionKey,
  describeServer,
} from '../../../../../src/mcp/userServers/config/serverDefinition';
import type { ServerDefinition } from '../../../../../src/mcp/userServers/config/serverDefinition';
import { askInputs, readInputs } from '../../../../../src/mcp/userServers/config/serverInputs';
import { routeOf } from '../../../../../src/mcp/userServers/serverRoute';
import type { RouteRequest } from '../../../../../src/mcp/userServers/serverRoute';
import { noSecrets } from '../userServersBench';

const origin = { id: 'settings', label: 'your settings', isOfWorkspace: false };

interface Read {
  readonly found: readonly ServerDefinition[];
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

function read(servers: JsonObject, hasPlainNames = false): Read {
  const problems: string[] = [];
  const notes: string[] = [];
  const variables = { workspaceFolder: '/app', userHome: '/home/me', env: { KEY: 'k1', EMPTY: '' }, hasPlainNames };
  const forms = new Map([['note', { isSecret: false, description: 'A note' }]]);
  const found = readServers(servers, { origin, variables, forms }, (message, field, isNote) =>
    (isNote ? notes : problems).push(`${field}: ${message}`),
  );
  return { found, problems, notes };
}

describe('the entries of mcp.json and parley.mcpServers', () => {
  it('define servers that are started and servers that are contacted by URL', () => {
    const { found, problems } = read({
      files: {
        command: 'npx',
        args: ['-y', 'files', '${workspaceFolder}'],
        env: { KEY: '${env:KEY}', N: 3, GONE: null },
      },
      web: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${input:token}' } },
      old: { type: 'sse', url: 'http://127.0.0.1:8000/sse' },
      noted: { command: 'x', args: ['${input:note}'] },
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      found.map(({ start }) => start),
      [
        { type: 'stdio', command: 'npx', args: ['-y', 'files', '/app'], env: { KEY: 'k1', N: '3' } },
        { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${input:token}' } },
        { type: 'sse', url: 'http://127.0.0.1:8000/sse', headers: {} },
        { type: 'stdio', command: 'x', args: ['${input:note}'], env: {} },
      ],
    );
    assert.deepEqual([...(found[1]?.inputs ?? [])], [['token', { isSecret: true }]]);
    const url = 'https://example.com/mcp';
    assert.deepEqual(
      read({ a: { url }, b: { url, type: 'http' }, c: { httpUrl: url } }).found.map(({ mayBeSse }) => mayBeSse),
      [true, undefined, undefined],
    );
    assert.deepEqual([...(found[3]?.inputs ?? [])], [['note', { isSecret: false, description: 'A note' }]]);
  });

  it('may name the home folder by a tilde, but not in URLs and headers', () => {
    const local = {
      command: '~/bin/server',
      args: ['~', '--file=~/x'],
      env: { PATH: '~/bin:/bin:~/y' },
      cwd: '~/work',
    };
    const far = { type: 'http', url: 'https://a.test/~me', headers: { X: '~/x' } };
    const { found, problems } = read({ local, far });
    assert.deepEqual(problems, []);
    const [first, second] = found.map(({ start }) => start);
    assert.deepEqual(first, {
      type: 'stdio',
      command: '/home/me/bin/server',
      args: ['/home/me', '--file=~/x'],
      env: { PATH: '/home/me/bin:/bin:/home/me/y' },
      cwd: '/home/me/work',
    });
    assert.deepEqual(second, far);
  });

  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ type: 'constructor', url: 'https://x' }, /"type" is the string "constructor": expected "stdio"/],
    [{ type: 'ws', url: 'https://x' }, /\.url: .*starts with wss:/],
    [{ httpUrl: 'https://x', url: 'https://x' }, /both "url" and "httpUrl"/],
    [{ type: 'http', command: 'x' }, /expected "url"/],
    [{ command: 'a', includeTools: 'x' }, /\.includeTools: expected a list of strings/],
    [{ command: 'a', disabledTools: [1] }, /\.disabledTools: expected a list of strings/],
    [{ command: 'a', env: ['A=b', 'c'] }, /\.env: expected an object/],
    [{ command: 'a', envFile: '.env' }, /\.envFile: expected an absolute path/],
    [{ url: 'file:///x' }, /starts with https/],
    [{ url: 'https://me:pw@x.org' }, /user name and password/],
    [{ command: 'a', url: 'https://x' }, /both "command" and "url"/],
    [{ command: '' }, /expected "command"/],
    [{}, /expected "command"/],
    [{ command: 'a', args: 'b' }, /\.args: expected a list/],
    [{ command: 'a', args: [1] }, /\.args\[0\]: expected a string/],
    [{ command: 'a', env: { X: {} } }, /\.env\["X"\]: expected a string/],
    [{ command: 'a', cwd: 'sub' }, /\.cwd: expected an absolute path/],
    [{ command: '${selectedText}' }, /unknown variable/],
    [{ command: 'a', sandboxEnabled: true }, /sandbox/],
    [{ url: 'https://x', headers: { 'a b': 'c' } }, /not a valid header name/],
  ];
  for (const [entry, pattern] of wrong) {
    it(`are reported when invalid, and the others are kept: ${JSON.stringify(entry)}`, () => {
      const { found, problems } = read({ bad: entry, good: { command: 'ok' } });
      assert.deepEqual(
        found.map(({ name }) => name),
        ['good'],
      );
      assert.equal(problems.length, 1, problems.join('; '));
      assert.match(problems[0]!, /^\["bad"\]/);
      assert.match(problems[0]!, pattern);
    });
  }

  const remote = { type: 'http', url: 'https://x.test/mcp', headers: {} };
  const local = { type: 'stdio', command: 'a', args: [], env: {} };
  const forms: readonly (readonly [string, object, object])[] = [
    ['Gemini', { httpUrl: 'https://x.test/mcp' }, remote],
    ['Gemini', { tcp: '127.0.0.1:81' }, { ...remote, type: 'ws', url: 'ws://127.0.0.1:81' }],
    ['Gemini', { tcp: 'wss://x.test' }, { ...remote, type: 'ws', url: 'wss://x.test' }],
    ['Windsurf', { serverUrl: 'https://x.test/mcp' }, remote],
    ['Cline', { type: 'streamableHttp', url: 'https://x.test/mcp' }, remote],
    ['Claude', { type: 'streamable-http', url: 'https://x.test/mcp' }, remote],
    ['Cursor', { url: 'https://x.test/mcp' }, remote],
    ['Claude', { type: 'ws', url: 'wss://x.test' }, { ...remote, type: 'ws', url: 'wss://x.test' }],
    ['others', { url: 'wss://x.test' }, { ...remote, type: 'ws', url: 'wss://x.test' }],
    ['Copilot', { type: 'local', command: 'a', tools: ['*'] }, local],
    ['ACP', { command: 'a', env: [{ name: 'A', value: 'b' }] }, { ...local, env: { A: 'b' } }],
    ['Docker', { command: 'a', env: ['A=b=c', 'E='] }, { ...local, env: { A: 'b=c', E: '' } }],
    ['ACP', { url: remote.url, headers: [{ name: 'X', value: 'y' }] }, { ...remote, headers: { X: 'y' } }],
    ['others', { url: remote.url, headers: ['X: y:z'] }, { ...remote, headers: { X: 'y:z' } }],
  ];
  for (const [program, entry, start] of forms) {
    it(`may be written as for ${program}: ${JSON.stringify(entry)}`, () => {
      const { found, problems, notes } = read({ x: entry });
      assert.deepEqual([found[0]?.start, problems, notes], [start, [], []]);
    });
  }

  it('say how long a tool may run, and which tools agents get', () => {
    const toolsOf = (entry: object): unknown => read({ x: { command: 'a', ...entry } }).found[0]?.tools;
    const none = { exclude: [], trusted: [] };
    assert.deepEqual(toolsOf({ timeout: 90_000 }), { ...none, timeout: 90_000 });
    assert.deepEqual(toolsOf({ includeTools: ['a'], excludeTools: ['b'] }), {
      ...none,
      include: ['a'],
      exclude: ['b'],
    });
    assert.deepEqual(toolsOf({ tools: ['a'], disabledTools: ['c'] }), { ...none, include: ['a'], exclude: ['c'] });
    assert.deepEqual(toolsOf({ tools: [] }), { ...none, include: [] });
    const seconds = read({ x: { command: 'a', timeout: 60 } });
    assert.deepEqual(seconds.found[0]?.tools, none);
    assert.match(seconds.problems.join(), /^\["x"\]\.timeout: .*in milliseconds; ten minutes are used$/);
    const key = (entry: object): string => definitionKey(read({ x: { command: 'a', ...entry } }).found[0]!);
    assert.notEqual(key({ timeout: 90_000 }), key({}), 'a change takes effect');
    assert.equal(
      serverContent(read({ x: { command: 'a', tools: ['b'] } }).found[0]!),
      serverContent(read({ x: { command: 'a' } }).found[0]!),
    );
  });

  it('only offer rules for the tools that other programs would not ask about', () => {
    const { found, problems, notes } = read({
      cline: { command: 'a', alwaysAllow: ['search', 1], autoApprove: [] },
      gemini: { command: 'a', trust: true },
    });
    assert.deepEqual(
      found.map(({ tools }) => tools?.trusted),
      [['search'], ['*']],
    );
    assert.deepEqual(problems, []);
    assert.equal(notes.length, 2);
    assert.match(notes[0]!, /^\["cline"\]\.alwaysAllow: Parley asks about these tools nevertheless/);
  });

  it('may be disabled in two ways', () => {
    assert.deepEqual(read({ a: { command: 'a', disabled: true }, b: { command: 'b', enabled: false } }), {
      found: [],
      problems: [],
      notes: [],
    });
  });

  it('may have fields that Parley does not know, which are named once', () => {
    const { found, problems, notes } = read({ x: { command: 'a', description: 'known', oauth: {}, dev: 1 } });
    assert.equal(found.length, 1);
    assert.deepEqual([problems, notes], [[], ['["x"]: unknown fields are ignored: oauth, dev']]);
  });

  it('may have plain variables with defaults in files of Claude and Copilot, and nowhere else', () => {
    const entry = {
      command: '${userHome}/a',
      args: ['${KEY}', '${NONE:-d}', '${EMPTY:-e}', '${GONE}', '${workspaceFolder}'],
    };
    const { found, problems } = read({ x: entry }, true);
    assert.deepEqual(found[0]?.start, { ...local, command: '/home/me/a', args: ['k1', 'd', 'e', '', '/app'] });
    assert.deepEqual(problems, ['["x"].args[3]: the environment variable GONE is not set and is treated as empty']);
    assert.match(read({ x: entry }).problems.join(), /unknown variable/);
  });

  it('get the variables of a file, which are shown and compared like their own', async () => {
    const [definition] = read({ x: { command: 'a', env: { A: '1' }, envFile: '${workspaceFolder}/.env' } }).found;
    assert.equal(definition?.envFile, '/app/.env');
    const reports: string[] = [];
    const withText = (text: string): ReturnType<typeof withEnvFile> =>
      withEnvFile(
        definition,
        async (path) => (assert.equal(path, '/app/.env'), text),
        (message) => reports.push(message),
      );
    const complete = await withText('# note\nA=2\nB="two words"\n');
    assert.deepEqual(complete?.start, { ...local, env: { A: '1', B: 'two words' } });
    assert.ok(describeServer(complete, '/app').includes('  B=two words'));
    assert.notEqual(serverContent(complete), serverContent((await withText('B=3'))!));
    const gone = withEnvFile(
      definition,
      () => Promise.reject(new Error('no such file')),
      (message) => reports.push(message),
    );
    assert.equal(await gone, undefined);
    assert.deepEqual(reports, ['the file could not be read: no such file']);
  });

  it('may contain plain-text secrets and plain http, with a warning', () => {
    const { found, problems } = read({ lan: { url: 'http://box.lan/mcp', headers: { Authorization: 'Bearer abc' } } });
    assert.equal(found.length, 1);
    assert.deepEqual(problems.length, 2);
    assert.match(problems.join('\n'), /not encrypted/);
    assert.match(problems.join('\n'), /plain text; use \$\{input:NAME\}/);
  });

  it('may name an unset variable, with a report', () => {
    const { found, problems } = read({ x: { command: 'a', env: { K: '${env:NONE}-${env:NONE}', L: '${env:KEY}' } } });
    assert.deepEqual(found[0]?.start, { type: 'stdio', command: 'a', args: [], env: { K: '-', L: 'k1' } });
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^\["x"\]\.env\["K"\]: the environment variable NONE is not set/);
  });

  it('are limited in number and size, with a report', () => {
    const many = (count: number, value: unknown): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, value]));
    const { found, problems } = read(many(25_000, { command: 'a' }));
    assert.deepEqual([found.length, problems], [100, [': only the first 100 servers are used']]);
    const args = read({ x: { command: 'a', args: Array(400_000).fill('b') }, y: { command: 'a' } });
    assert.deepEqual(
      args.found.map(({ name }) => name),
      ['y'],
    );
    assert.match(args.problems.join(), /^\["x"\]\.args\[\d+\]: an entry must not have more than 1000 arguments[^[]*$/);
    assert.equal(read({ x: { command: 'a', args: Array(400_000).fill(1) } }).problems.length, 100);
    assert.equal(read({ x: { command: 'a', env: many(90_000, '${env:NONE}') } }).problems.length, 100);
  });

  it('are accepted or rejected without throwing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (servers) => {
        const { found } = read(servers);
        for (const definition of found) assert.ok(definitionKey(definition).length === 64);
      }),
    );
  });

  it('have other content after a change of what is run, but not after a change of the environment', () => {
    const base = { command: 'a', args: ['b'], env: { K: '${env:KEY}' } };
    const content = (entry: object): string => serverContent(read({ x: entry }).found[0]!);
    const others = [
      { ...base, command: 'aa' },
      { ...base, args: ['b', ''] },
      { ...base, env: { K: 'v' } },
      { ...base, cwd: '/x' },
    ];
    for (const other of others) assert.notEqual(content(other), content(base));
    const web = { url: 'https://example.com/mcp', headers: { X: 'y' } };
    for (const other of [
      { ...web, url: 'https://example.com/mcp2' },
      { ...web, headers: { X: 'z' } },
      { ...web, type: 'sse' },
    ])
      assert.notEqual(content(other), content(web));
    assert.ok(!content(base).includes('k1'));
  });

  it('are shown completely, with hidden characters escaped', () => {
    const [definition] = read({ x: { command: 'a', args: ['\u202eb', 'c'], env: { K: '${env:KEY}' } } }).found;
    assert.deepEqual(describeServer(definition!, '/app'), [
      'Command: a',
      'Argument 1: \\u{202e}b',
      'Argument 2: c',
      'Variables:',
      '  K=${env:KEY}',
      'Folder: /app',
    ]);
  });
});

describe('the text of mcp.json', () => {
  it('may have comments and trailing commas', () => {
    assert.deepEqual(parseMcpJson('{ // mine\n "servers": { "a": { "command": "x", }, }, }'), {
      servers: { a: { command: 'x' } },
      inputs: undefined,
    });
    assert.deepEqual(parseMcpJson(' '), { servers: {}, inputs: undefined });
  });

  it('is reported with the position of an error', () => {
    assert.deepEqual(parseMcpJson('{\n "servers": {,}}'), { problem: 'ValueExpected in line 2, column 14' });
    assert.match(JSON.stringify(parseMcpJson('{"mcpServers": {}}')), /VS Code reads/);
    assert.match(JSON.stringify(parseMcpJson('[]')), /expected an object/);
    assert.match(JSON.stringify(parseMcpJson('{"servers": 1}')), /"servers\\" to be an object/);
  });

  it('may have the field of other programs in their files', () => {
    const servers = { a: { command: 'x' } };
    for (const field of ['mcpServers', 'servers'])
      assert.deepEqual(parseMcpJson(JSON.stringify({ [field]: servers }), 'mcpServers'), {
        servers,
        inputs: undefined,
      });
    assert.match(JSON.stringify(parseMcpJson('{"mcpServers": 1}', 'mcpServers')), /mcpServers\\" to be an object/);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMcpJson(text)));
  });
});

describe('the inputs of mcp.json', () => {
  it('are requested as defined, in order, until one is not given', async () => {
    const problems: string[] = [];
    const forms = readInputs(
      [
        { id: 'k', type: 'promptString', password: true, description: 'Key' },
        { id: 'p', type: 'pickString', options: ['a', { label: 'B', value: 'b' }], default: 'a' },
        { id: 'c', type: 'command', command: 'evil.run' },
        7,
      ],
      (message, field) => problems.push(`${field}: ${message}`),
    );
    assert.deepEqual(
      [...forms],
      [
        ['k', { isSecret: true, description: 'Key' }],
        ['p', { isSecret: false, initial: 'a', options: ['a', 'b'] }],
      ],
    );
    assert.match(
      problems.join('\n'),
      /\.inputs\[2\]: the input "c" has the type "command", which is not supported[^]*\.inputs\[3\]: expected an object/,
    );
    const asked: string[] = [];
    const get = async (owner: string, name: string): Promise<string | undefined> => {
      asked.push(`${owner}/${name}`);
      return name === 'k' ? 'v' : undefined;
    };
    assert.deepEqual(await askInputs('me', forms, { ...noSecrets, get }, new AbortController().signal), {
      missing: 'p',
    });
    assert.deepEqual(asked, ['me/k', 'me/p']);
  });
});

describe('the connection of an agent to a server', () => {
  const stdio = { type: 'stdio', command: 'x', args: [], env: {} } as const;
  const http = { type: 'http', url: 'https://x', headers: {} } as const;
  const open: ToolRules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };
  const base: RouteRequest = {
    name: 'gh',
    start: stdio,
    mode: 'whenRules',
    rules: open,
    permissions: [],
    transports: { capabilities: {}, isRemote: false },
  };
  const way = (change: Partial<RouteRequest>): string => routeOf({ ...base, ...change }).type;
  const withHttp = { capabilities: { mcpCapabilities: { http: true } }, isRemote: false };

  it('is direct if the agent supports it and no rule matches its tools', () => {
    assert.equal(way({}), 'asItIs');
    assert.equal(way({ start: http }), 'gateway');
    assert.equal(way({ start: http, transports: withHttp }), 'asItIs');
    assert.equal(way({ start: { ...stdio, cwd: '/x' } }), 'gateway');
    const acp = { mcpCapabilities: { acp: true } };
    assert.equal(way({ transports: { capabilities: acp, isRemote: true } }), 'gateway');
    assert.equal(way({ rules: { ...open, deny: ['other__*', 'git__x'], allow: [[], ['gh__*', 'x__y']] } }), 'asItIs');
  });

  it('goes through Parley if a rule could match one of its tools', () => {
    for (const deny of ['gh__delete', 'gh__delete_*', '*__delete_*', '*delete', 'g*delete']) {
      assert.equal(way({ rules: { ...open, deny: [deny] } }), 'gateway', deny);
      assert.equal(way({ permissions: [deny] }), 'gateway', deny);
      assert.equal(way({ mode: 'never', rules: { ...open, deny: [deny] } }), 'none', deny);
    }
    assert.equal(way({ rules: { ...open, allow: [['gh__read']] } }), 'gateway');
    assert.equal(way({ mode: 'always' }), 'gateway');
    assert.equal(way({ isFiltered: true }), 'gateway', 'its entry excludes tools');
    assert.equal(way({ isFiltered: true, mode: 'never' }), 'none');
  });

  it('goes through Parley for a WebSocket server, which ACP does not have', () => {
    const start = { type: 'ws', url: 'wss://example.com', headers: {} } as const;
    const transports = { capabilities: { mcpCapabilities: { ws: true } }, isRemote: false };
    assert.equal(way({ start, transports }), 'gateway');
    assert.equal(way({ start, transports, mode: 'never' }), 'none');
  });

  it('is direct from a remote agent to a public https server, otherwise as its settings say', () => {
    const far = { ...withHttp, isRemote: true };
    const at = (url: string, reach: RouteRequest['transports'] = far): string =>
      way({ start: { ...http, url }, transports: reach });
    for (const url of ['https://example.com/mcp', 'https://93.184.216.34/', 'https://example.com./'])
      assert.equal(at(url), 'asItIs', url);
    const near = [
      'http://example.com/',
      'https://localhost/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.0.0.5/',
    ];
    for (const url of [
      ...near,
      'https://192.168.1.2/',
      'https://nas.local/',
      'https://intranet/',
      'https://169.254.169.254/',
      'x',
    ])
      assert.equal(at(url), 'none', url);
    const overAcp = { ...far, capabilities: { mcpCapabilities: { http: true, acp: true } } };
    assert.equal(at('https://intranet/', overAcp), 'gateway');
    assert.equal(
      way({ start: { ...http, url: 'https://example.com/' }, transports: far, permissions: ['gh__x'] }),
      'none',
    );
    assert.equal(way({ transports: far }), 'none');
    assert.equal(way({ transports: { ...far, transport: 'http' } }), 'gateway');
    assert.equal(at('http://127.0.0.1:1/', { ...far, transport: 'http' }), 'asItIs');
    assert.equal(way({ transports: { ...far, transport: 'stdio' } }), 'asItIs');
  });

  it('does not exist if the user disallows the only possible one', () => {
    assert.equal(way({ mode: 'never', start: http }), 'none');
    assert.equal(way({ mode: 'never', permissions: ['gh__x'] }), 'asItIs');
  });
});
