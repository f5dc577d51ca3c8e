import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/clock';
import { systemClock } from '../../../../src/base/clock';
import { nullLogger } from '../../../../src/base/logger';
import { DefinitionPins } from '../../../../src/mcp/availability/definitionPins';
import type { ServerDefinition, ServerLaunch } from '../../../../src/mcp/userServers/config/serverDefinition';
import { UserServer } from '../../../../src/mcp/userServers/userServer';
import type { UserServerOptions } from '../../../../src/mcp/userServers/userServerOptions';
import type { KeyValueStore } from '../../../../src/node/fs/keyValueFiles';
import type { ElicitationRequest } from '../../../../src/session/sessionHandle';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import type { ElicitationAnswer } from '../../../../src/shared/state/elicitationState';

/** Stored values, as JSON: a restart reads what was written. */
export class MemoryValues implements KeyValueStore {
  readonly kept = new Map<string, string>();
  readonly #loaded = new Set<string>();

  async load(key: string): Promise<void> {
    this.#loaded.add(key);
  }

  get(key: string): unknown {
    assert.ok(this.#loaded.has(key), 'it is loaded before it is read');
    const text = this.kept.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.kept.delete(key);
    else this.kept.set(key, JSON.stringify(value));
  }
}

/** A separate memory for one server or window. */
export function memoryValues(kept = new MemoryValues()): { stored: MemoryValues; pins: DefinitionPins } {
  return { stored: kept, pins: new DefinitionPins(kept) };
}

/** Stores nothing, and the user never signs in. */
export const noSignIn = {
  vault: {
    read: async () => undefined,
    write: async () => undefined,
    onDidChange: () => ({ dispose: () => undefined }),
  },
  inTurn: <T>(_name: string, job: () => Promise<T>): Promise<T> => job(),
  signInUi: { open: async () => false, reachable: async (address: string) => address },
};

export const ownPlace = { id: 'settings', label: 'your settings', isOfWorkspace: false };

export interface Served {
  readonly kept?: MemoryValues;
  readonly clock?: Clock;
  readonly name?: string;
  readonly options?: Partial<UserServerOptions>;
}

/** User servers in gateway mode, and a user who answers their requests. */
export class PersonBench {
  readonly #started: UserServer[] = [];
  readonly asked: ElicitationRequest[] = [];
  /** How often the timeout of a call was paused for the user. */
  waits = 0;
  answer: ElicitationAnswer = { action: 'accept' };
  /** The user answers when it settles. */
  thinking: Promise<void> = Promise.resolve();

  serve(start: ServerLaunch, { kept, clock = systemClock, name = 'mine', options }: Served = {}): UserServer {
    const definition: ServerDefinition = { name, start, written: {}, inputs: new Map(), origin: ownPlace };
    const server = new UserServer(definition, {
      log: nullLogger,
      clock,
      version: '1.0.0',
      consent: { isAllowed: () => false, confirm: async () => false },
      inputs: { get: async () => undefined, hide: () => undefined },
      folder: () => process.cwd(),
      folders: () => ['/app'],
      route: () => ({ type: 'gateway' }),
      schemaCheck: async () => () => true,
      ...memoryValues(kept),
      ...noSignIn,
      ...options,
    });
    this.#started.push(server);
    return server;
  }

  context(signal = new AbortController().signal, id = 's1'): ToolContext {
    const elicit = (request: ElicitationRequest): object => {
      this.asked.push(request);
      return { answer: this.thinking.then(() => this.answer), complete: () => undefined };
    };
    return {
      session: { id, userRequests: { elicit } } as never,
      signal,
      progress: () => undefined,
      approve: async () => undefined,
      waitForUser: (given) => {
        this.waits += 1;
        return given;
      },
    };
  }

  call(server: UserServer, name: string, input: object = {}): Promise<ToolResult> {
    const tool = server.tools.find((one) => one.name === name);
    assert.ok(tool, `there is no tool ${name}`);
    return tool.call(input, this.context());
  }

  dispose(): void {
    for (const server of this.#started.splice(0)) server.dispose();
  }
}

/** Resolves when a condition holds; it is checked at every change. */
export function holds(server: UserServer, condition: () => boolean): Promise<void> {
  if (condition()) return Promise.resolve();
  return new Promise((resolve) => {
    const subscription = server.onDidChange(() => {
      if (!condition()) return;
      subscription.dispose();
      resolve();
    });
  });
}
