import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import type { Logger } from '../../../../src/base/logger';
import type { BuiltInServers } from '../../../../src/mcp/builtin/builtInServers';
import { BUILT_IN_NAMES, lazyServers } from '../../../../src/mcp/builtin/lazyBuiltIns';
import { ToolServers } from '../../../../src/mcp/contract/toolServerRegistry';
import type { ToolServer } from '../../../../src/mcp/contract/toolServerTypes';
import { stubOf } from '../../../kit/stubOf';

describe('built-in tool servers', () => {
  /** A stub that records its calls. */
  function recorded(told: string[]): BuiltInServers {
    return stubOf<BuiltInServers>({
      noteChanges: () => told.push('changes'),
      noteTurnStart: (id) => told.push(`turn ${id}`),
      closeSession: (id) => told.push(`forget ${id}`),
      dispose: () => told.push('dispose'),
    });
  }

  function withName(name: string): ToolServer {
    return { name, title: name, description: name, tools: [] };
  }

  it('are loaded once, at first use, and receive later events', async () => {
    const told: string[] = [];
    let loads = 0;
    const load = async (): Promise<BuiltInServers> => {
      loads += 1;
      return recorded(told);
    };
    const builtIns = lazyServers(load, nullLogger);
    assert.deepEqual([loads, builtIns.isLoaded, builtIns.value], [0, false, undefined]);
    const [first, second] = await Promise.all([builtIns.load(), builtIns.load()]);
    assert.ok(first);
    assert.equal(first, second);
    assert.deepEqual([loads, builtIns.isLoaded], [1, true]);
    builtIns.value?.noteTurnStart('b');
    builtIns.value?.noteChanges();
    builtIns.value?.closeSession('b');
    builtIns.dispose();
    assert.deepEqual(told, ['turn b', 'changes', 'forget b', 'dispose']);
  });

  it('are disposed if the window closes while they are loading', async () => {
    const told: string[] = [];
    const builtIns = lazyServers(async () => recorded(told), nullLogger);
    const loading = builtIns.load();
    builtIns.dispose();
    await loading;
    assert.deepEqual(told, ['dispose']);
  });

  it('do not prevent a session from opening if they cannot be loaded', async () => {
    const errors: string[] = [];
    const log: Logger = { ...nullLogger, error: (_tag, text) => errors.push(text) };
    const builtIns = lazyServers(() => Promise.reject(new Error('The file is gone')), log);
    assert.equal(await builtIns.load(), undefined);
    assert.equal(builtIns.isLoaded, true);
    assert.deepEqual(errors, ['Failed to load tool servers: The file is gone']);
  });

  it('keep their names and the first positions, also if others were added before', () => {
    const servers = new ToolServers(BUILT_IN_NAMES);
    servers.add(withName('problems'), 'extension');
    servers.add(withName('mine'), 'extension');
    servers.add(withName('problems'), 'builtIn');
    assert.deepEqual(
      servers.list().map(({ name, origin, clash }) => [name, origin, clash]),
      [
        ['problems', 'builtIn', undefined],
        ['problems-2', 'extension', 'problems'],
        ['mine', 'extension', undefined],
      ],
    );
  });
});
