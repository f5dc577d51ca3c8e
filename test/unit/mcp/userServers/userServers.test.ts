import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/clock';
import { Emitter } from '../../../../src/base/event';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import type { ToolRules } from '../../../../src/mcp/availability/toolFilter';
import type { ServerDefinition, ServerLaunch } from '../../../../src/mcp/userServers/config/serverDefinition';
import { serverContent } from '../../../../src/mcp/userServers/config/serverDefinition';
import { UserServers } from '../../../../src/mcp/userServers/userServers';
import type { GatewayMode } from '../../../../src/mcp/userServers/serverRoute';
import { HostedServers } from '../../../../src/mcp/host/hostedServers';
import { ToolServers } from '../../../../src/mcp/toolServerRegistry';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { OpenGate, sampleServer } from '../sample';
import { memoryValues, noSignIn } from './userServersBench';
import { httpServer, node, realServer } from './testServers';

const own = { id: 'settings', words: 'your settings', isOfWorkspace: false };
const theirs = { id: 'mcp.json:/app', words: '.vscode/mcp.json', isOfWorkspace: true };

class Bench {
  readonly servers = new ToolServers();
  readonly gate = new OpenGate();
  readonly changed = new Emitter<void>();
  readonly rulesChanged = new Emitter<void>();
  readonly allowed = new Set<string>();
  readonly asked: string[] = [];
  definitions: readonly ServerDefinition[] = [];
  mode: GatewayMode = 'whenRules';
  rules: ToolRules = { trusted: true, isOn: () => true, deny: [], allow: [] };
  permissions: readonly string[] = [];
  readonly person: UserServers;
  readonly sessionServers: HostedServers;
  readonly session = {
    id: 's1',
    folders: ['/app'],
    state: emptySession('s1', { name: 'agent', title: 'Agent' }),
  } as never;

  constructor() {
    this.person = new UserServers({
      servers: this.servers,
      sources: { onDidChange: this.changed.event, ready: Promise.resolve(), definitions: () => this.definitions },
      mode: () => this.mode,
      rules: () => this.rules,
      permissions: () => this.permissions,
      onDidChangeRules: this.rulesChanged.event,
      changed: () => this.gate.changed.fire(),
      log: nullLogger,
      clock: systemClock,
      version: '1.0.0',
      consent: {
        isAllowed: (definition) => this.allowed.has(serverContent(definition)),
        ask: async (definition) => {
          this.asked.push(definition.name);
          return false;
        },
      },
      inputs: { get: async () => undefined, hide: () => undefined },
      folder: () => process.cwd(),
      folders: () => ['/app'],
      schemaCheck: async () => () => true,
      ...memoryValues(),
      ...noSignIn,
    });
    // As the real gate does.
    this.gate.offersServer = (session, registered) =>
      this.servers.get(registered.name)?.server.withheld?.(session) === undefined;
    this.sessionServers = new HostedServers({
      servers: this.servers,
      gate: this.gate,
      log: nullLogger,
      version: '1.0.0',
      relay: '/relay.js',
      elsewhere: this.person,
    });
  }

  define(...definitions: readonly ServerDefinition[]): void {
    this.definitions = definitions;
    this.changed.fire();
  }

  /** What `session/new` is sent. */
  declare(mcpCapabilities: JsonObject = {}): Promise<readonly JsonObject[]> {
    const reach = { capabilities: { mcpCapabilities }, isRemote: false };
    return this.sessionServers.declare(this.session, 'acp', false, reach);
  }

  get names(): readonly string[] {
    return this.servers.list().map(({ name }) => name);
  }

  async dispose(): Promise<void> {
    await this.sessionServers.dispose();
    this.person.dispose();
  }
}

function define(name: string, start: ServerLaunch, place = own): ServerDefinition {
  return { name, start, place, written: {}, inputs: new Map() };
}

describe('the servers of the person', function () {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.dispose());

  it('are declared as they are, with the whole path of their command', async () => {
    bench.define(
      define('one', { type: 'stdio', command: 'node', args: ['-v'], env: { A: 'b' } }),
      define('web', { type: 'http', url: 'https://example.com/mcp', headers: { X: 'y' } }),
      define('gone', { type: 'stdio', command: 'no-such-program-here', args: [], env: {} }),
    );
    const [one, web, ...others] = await bench.declare({ http: true });
    assert.deepEqual(others, []);
    assert.match(String(one?.['command']), /^\/.*\/node$/);
    assert.deepEqual(
      { ...one, command: '' },
      { name: 'one', command: '', args: ['-v'], env: [{ name: 'A', value: 'b' }] },
    );
    assert.deepEqual(web, {
      type: 'http',
      name: 'web',
      url: 'https://example.com/mcp',
      headers: [{ name: 'X', value: 'y' }],
    });
    assert.match(bench.person.stateOf('gone') ?? '', /was not found/);
    assert.deepEqual(bench.person.unknown(), ['one', 'web', 'gone']);
  });

  it('go through Parley where the agent has not the transport, or a rule speaks of their tools', async () => {
    const web = await httpServer();
    bench.define(define('web', { type: 'http', url: web.url, headers: {} }));
    assert.deepEqual(
      (await bench.declare()).map(({ type, name }) => [type, name]),
      [['acp', 'web']],
    );
    assert.equal((await bench.declare({ http: true }))[0]?.['type'], 'http');
    bench.permissions = ['web__add'];
    assert.equal((await bench.declare({ http: true }))[0]?.['type'], 'acp');
    assert.equal(bench.person.stateOf('web'), 'ready');
    bench.mode = 'never';
    assert.equal((await bench.declare({ http: true }))[0]?.['type'], 'http');
    assert.deepEqual(await bench.declare(), []);
    web.close();
  });

  it('never keep a session from opening', async () => {
    bench.mode = 'always';
    bench.define(define('mute', node('process.stdin.resume()')), define('real', realServer()));
    const declared = await bench.declare();
    assert.deepEqual(
      declared.map(({ name }) => name),
      ['real'],
    );
    assert.equal(bench.person.stateOf('mute'), 'connecting');
  });

  it('of a workspace wait for the person, and are asked about again after every change', async () => {
    const start: ServerLaunch = { type: 'stdio', command: 'node', args: ['a'], env: {} };
    const changed: ServerLaunch = { ...start, args: ['b'] };
    bench.define(define('ws', start, theirs));
    assert.deepEqual(await bench.declare(), []);
    assert.deepEqual(bench.asked, ['ws']);
    bench.allowed.add(serverContent(define('ws', start, theirs)));
    assert.equal((await bench.declare()).length, 1);
    bench.define(define('ws', changed, theirs));
    assert.deepEqual(await bench.declare(), []);
    assert.deepEqual([...new Set(bench.asked)], ['ws']);
    assert.ok(bench.asked.length >= 2);
  });

  it('are not even asked about in an untrusted workspace, or when they are switched off', async () => {
    bench.rules = { ...bench.rules, trusted: false };
    bench.define(define('ws', realServer(), theirs));
    await bench.declare();
    bench.rules = { ...bench.rules, trusted: true, isOn: () => false };
    await bench.declare();
    assert.deepEqual(bench.asked, []);
  });

  it('are made ready for no session that was closed', async () => {
    bench.define(define('own', { type: 'stdio', command: 'node', args: [], env: {} }));
    await bench.declare();
    bench.define(define('first', realServer(), theirs));
    await bench.person.refresh();
    assert.deepEqual([...new Set(bench.asked.splice(0))], ['first']);
    await bench.sessionServers.close('s1');
    bench.define(define('second', realServer(), theirs));
    await bench.person.refresh();
    assert.deepEqual(bench.asked, []);
  });

  it('keep their names before those of the workspace, whenever they come', () => {
    bench.servers.add(sampleServer('problems').server, 'builtIn');
    bench.define(define('gh', realServer(), theirs));
    assert.deepEqual(bench.names, ['problems', 'gh']);
    bench.define(define('problems', realServer()), define('gh', realServer()), define('gh', realServer(), theirs));
    assert.deepEqual(bench.names, ['problems', 'problems-2', 'gh', 'gh-2']);
    const places = bench.servers.list().map(({ server }) => server.description);
    assert.deepEqual(places.slice(2), ['Defined in your settings', 'Defined in .vscode/mcp.json']);
    bench.define();
    assert.deepEqual(bench.names, ['problems']);
  });
});
