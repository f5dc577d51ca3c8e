import { anything, fileUri } from './windowStub';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionContext, TreeView } from 'vscode';
import { App } from '../../src/app';
import type { Disposable } from '../../src/base/lifecycle';
import { DisposableStore } from '../../src/base/lifecycle';
import { Redactor } from '../../src/base/redactor';
import type { SharedParts } from '../../src/entryPoints';
import { ToolServers } from '../../src/mcp/contract/toolServerRegistry';
import { McpService } from '../../src/mcp/mcpService';
import { WorkspaceStateFile } from '../../src/node/fs/workspaceStateFile';
import type { OutputLog } from '../../src/outputLog';
import { AuditLog } from '../../src/permissions/auditLog';
import { WindowReview } from '../../src/review/windowReview';
import { SharedAgents } from '../../src/session/agents/sharedAgents';
import { WindowSessions } from '../../src/session/windowSessions';
import type { SessionNode } from '../../src/ui/sessions/sessionTree';
import { stubOf } from '../kit/stubOf';
import { temporaryFolder } from '../kit/temporaryFolder';

/** The first column of the table that follows this sentence of docs/architecture.md. */
function documentedList(sentence: string): string[] {
  const text = readFileSync(join(process.cwd(), 'docs/architecture.md'), 'utf8');
  const [, rest = ''] = text.split(sentence);
  const [table = ''] = rest.trimStart().split('\n\n');
  return Array.from(table.matchAll(/^\| `([\w.]+)` \|/gm), ([, name = '']) => name);
}

/** The bundler puts an underscore before the name of a class that names itself. */
function classOf(part: object): string {
  return part.constructor.name.replace(/^_/, '');
}

const PARTS = documentedList('`app.ts` creates the parts of a window in this order, and disposes them in reverse:');
const STEPS = documentedList('Before it disposes them, it ends the work in this order:');

/** The methods that end work when the window closes. */
const ENDING = [
  [WindowSessions, 'interrupt'],
  [WindowSessions, 'flush'],
  [WindowReview, 'flush'],
  [SharedAgents, 'shutdown'],
  [McpService, 'shutdown'],
  [AuditLog, 'flush'],
  [WorkspaceStateFile, 'flush'],
] as const;

describe('app', () => {
  const add: <T extends Disposable>(this: DisposableStore, item: T) => T = Reflect.get(
    DisposableStore.prototype,
    'add',
  );
  const restored: (() => void)[] = [];
  let folder: string;
  /** Names of parts that got an owner, of parts that were disposed, and of calls that ended work. */
  let created: string[];
  let disposed: string[];
  let ended: string[];

  beforeEach(() => {
    folder = temporaryFolder();
    [created, disposed, ended] = [[], [], []];
    DisposableStore.prototype.add = function <T extends Disposable>(this: DisposableStore, item: T): T {
      const name = classOf(item);
      if (PARTS.includes(name)) {
        created.push(name);
        const dispose = item.dispose.bind(item);
        item.dispose = () => {
          if (disposed.push(name) === 1) ended.push('dispose');
          dispose();
        };
      }
      return add.call(this, item) as T;
    };
    for (const [part, method] of ENDING) {
      const original = Reflect.get(part.prototype, method) as (...given: unknown[]) => unknown;
      const recorded = function (this: unknown, ...given: unknown[]): unknown {
        ended.push(`${classOf(part.prototype)}.${method}`);
        return original.apply(this, given);
      };
      Reflect.set(part.prototype, method, recorded);
      restored.push(() => Reflect.set(part.prototype, method, original));
    }
  });

  afterEach(() => {
    DisposableStore.prototype.add = add;
    for (const restore of restored.splice(0)) restore();
  });

  function sharedParts(): SharedParts {
    const memento = { get: () => undefined, update: async () => undefined, keys: () => [] };
    const nothing = (): void => undefined;
    return stubOf<SharedParts>({
      context: stubOf<ExtensionContext>({
        extension: { packageJSON: { version: '1.0.0' } },
        extensionPath: folder,
        extensionUri: fileUri(folder),
        globalState: { ...memento, setKeysForSync: nothing },
        workspaceState: memento,
        secrets: {},
        storageUri: fileUri(join(folder, 'own')),
        globalStorageUri: fileUri(join(folder, 'shared')),
      }),
      log: stubOf<OutputLog>({ trace: nothing, info: nothing }),
      redactor: new Redactor(),
      servers: new ToolServers(new Set()),
      vendor: {},
      baselines: { refresh: nothing },
      sessionsView: anything as TreeView<SessionNode>,
      releasePlaceholder: nothing,
    });
  }

  it('creates the parts of a window in the documented order, and disposes them in reverse', async () => {
    const app = await App.start(sharedParts());
    await app.stop();
    assert.ok(PARTS.length > 15);
    assert.deepEqual(created, PARTS);
    assert.deepEqual(disposed, PARTS.toReversed());
  });

  it('ends the work of a window in the documented order before it disposes the parts', async () => {
    const app = await App.start(sharedParts());
    assert.deepEqual(ended, []);
    await app.stop();
    assert.deepEqual(ended, [...STEPS, 'dispose']);
  });
});
