import assert from 'node:assert/strict';
import type { AgentDefinition } from '../../../../src/agent/config/agentDefinition';
import { accountName, readAuthMethods } from '../../../../src/agent/connection/authMethods';

const definition: AgentDefinition = {
  name: 'mine',
  title: 'Mine',
  description: '',
  command: '/bin/agent',
  args: ['--acp'],
  env: { KEY: 'a', KEPT: 'b' },
  cwd: '/there',
};

describe('agent/connection/authMethods', () => {
  it('reads a method without a type as a method of type agent', () => {
    const [method] = readAuthMethods([{ id: 'oauth', name: ' Browser ', description: 'Opens it' }], definition);
    assert.deepEqual(method, { id: 'oauth', name: 'Browser', description: 'Opens it', type: 'agent' });
  });

  it('reads a hundred methods at most', () => {
    const many = Array.from({ length: 30_000 }, (_, id) => ({ id: `${id}` }));
    assert.equal(readAuthMethods(many, definition).length, 100);
  });

  it('terminal: appends the arguments to the command, and overrides its variables', () => {
    const [method] = readAuthMethods(
      [{ type: 'terminal', id: 'tui', name: 'Terminal', args: ['--login', 7], env: { KEY: 'c', BAD: 1 } }],
      definition,
    );
    assert.ok(method?.type === 'terminal');
    assert.deepEqual(method.launch, {
      agent: 'mine',
      title: 'Mine: Terminal',
      command: '/bin/agent',
      args: ['--acp', '--login'],
      env: { KEY: 'c', KEPT: 'b' },
      cwd: '/there',
    });
  });

  it('reads two older forms: a command in _meta["terminal-auth"], arguments in _meta.type', () => {
    const [copilot, qwen] = readAuthMethods(
      [
        {
          id: 'a',
          name: 'A',
          _meta: { 'terminal-auth': { command: 'copilot', args: ['login'], label: 'Copilot Login' } },
        },
        { id: 'b', name: 'B', _meta: { type: 'terminal', args: ['--auth-type=openai'] } },
      ],
      definition,
    );
    assert.ok(copilot?.type === 'terminal' && qwen?.type === 'terminal');
    assert.deepEqual(copilot.launch, {
      agent: 'mine',
      title: 'Copilot Login',
      command: 'copilot',
      args: ['login'],
      env: {},
    });
    assert.deepEqual(qwen.launch.args, ['--acp', '--auth-type=openai']);
  });

  it('skips a method with the id of an earlier one, whose command would run instead', () => {
    const terminal = (label: string): object => ({ 'terminal-auth': { command: label, label } });
    const methods = readAuthMethods(
      [
        { id: 'login', name: 'First', _meta: terminal('one') },
        { id: 'login', name: 'Second', _meta: terminal('two') },
      ],
      definition,
    );
    assert.deepEqual(
      methods.map(({ name }) => name),
      ['First'],
    );
  });

  it('reads a usable method after an unsupported one with the same id', () => {
    const methods = readAuthMethods(
      [
        { id: 'login', name: 'Unknown', type: 'env_var' },
        { id: 'other', name: 'Other' },
        { id: 'login', name: 'Usable', type: 'agent' },
        { id: 'login', name: 'Later', type: 'agent' },
        { id: 'other', name: 'Unknown, too', type: 'env_var' },
      ],
      definition,
    );
    assert.deepEqual(methods, [
      { id: 'login', name: 'Usable', type: 'agent' },
      { id: 'other', name: 'Other', type: 'agent' },
    ]);
  });

  it('marks a method of an unknown type as unsupported, and skips one without an id', () => {
    const methods = readAuthMethods([{ type: 'env_var', id: 'key', vars: [] }, { name: 'no id' }], definition);
    assert.deepEqual(methods, [{ id: 'key', name: 'key', type: 'unsupported', wireType: 'env_var' }]);
  });

  it('reads the account from both forms of the status', () => {
    const accounts = [{ label: 'one' }, { label: 'two', active: true }];
    assert.equal(accountName({ state: 'authenticated', accounts }), 'two');
    assert.equal(accountName({ authStatus: { kind: 'api_key', label: 'API key' } }), 'API key');
    for (const odd of [undefined, null, 'x', {}, { accounts: [3] }]) assert.equal(accountName(odd), undefined);
  });
});
