import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/clock';
import { systemClock } from '../../../../src/base/clock';
import type { Event } from '../../../../src/base/event';
import { Emitter } from '../../../../src/base/event';
import type { Logger } from '../../../../src/base/logger';
import { nullLogger } from '../../../../src/base/logger';
import { DefinitionPins } from '../../../../src/mcp/availability/definitionPins';
import type { McpTraffic } from '../../../../src/mcp/contract/recordedMcpConnection';
import type { SignInUi } from '../../../../src/mcp/userServers/auth/oauthGrant';
import type { ServerDefinition, ServerLaunch } from '../../../../src/mcp/userServers/config/serverDefinition';
import type { ServerSecrets } from '../../../../src/mcp/userServers/config/serverInputs';
import type { ServerConsent } from '../../../../src/mcp/userServers/serverLauncher';
import { ServerLauncher } from '../../../../src/mcp/userServers/serverLauncher';
import type { UserServer, UserServerOwner } from '../../../../src/mcp/userServers/userServer';
import { UserServerFactory } from '../../../../src/mcp/userServers/userServerFactory';
import type { KeyValueStore } from '../../../../src/node/fs/keyValueFiles';
import type {
  ElicitationRequest,
  PendingElicitation,
  RequestsToUser,
  SessionHandle,
} from '../../../../src/session/sessionHandle';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import type { ElicitationAnswer } from '../../../../src/shared/state/elicitationState';
import { stubOf } from '../../../kit/stubOf';

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

/** Stores nothing, and the user enters nothing. */
export const noSecrets: ServerSecrets = {
  read: async () => undefined,
  write: async () => undefined,
  onDidChange: () => ({ dispose: () => undefined }),
  get: async () => undefined,
  hide: () => undefined,
};

/** The user never signs in. */
export const noSignIn: SignInUi = {
  open: async () => false,
  reachable: async (address) => address,
  inTurn: (_name, job) => job(),
};

interface Choices {
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly consent?: ServerConsent;
  readonly secrets?: ServerSecrets;
  readonly signInUi?: SignInUi;
  readonly folders?: () => readonly string[];
  readonly onDidChangeFolders?: Event<unknown>;
  readonly kept?: MemoryValues;
  readonly traffic?: McpTraffic;
}

/** A factory of one window with its own memory, in which the user allows and enters nothing. */
export function factoryOf({
  log = nullLogger,
  clock = systemClock,
  consent = { isAllowed: () => false, confirm: async () => false },
  secrets = noSecrets,
  signInUi = noSignIn,
  folders = () => ['/app'],
  onDidChangeFolders = new Emitter<unknown>().event,
  kept = new MemoryValues(),
  traffic,
}: Choices = {}): UserServerFactory {
  const launcher = new ServerLauncher(consent, secrets, signInUi, log);
  const window = { folders, onDidChangeFolders, version: '1.0.0', clock, log, ...(traffic && { traffic }) };
  return new UserServerFactory(launcher, window, new DefinitionPins(kept), kept);
}

/** Sends every server through Parley. */
export const gatewayOwner: UserServerOwner = {
  routeOf: () => ({ type: 'gateway' }),
  folderOf: () => process.cwd(),
};

export const ownPlace = { id: 'settings', label: 'your settings', isOfWorkspace: false };

export interface Served extends Choices {
  readonly name?: string;
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

  serve(start: ServerLaunch, { name = 'mine', ...choices }: Served = {}): UserServer {
    const definition: ServerDefinition = { name, start, written: {}, inputs: new Map(), origin: ownPlace };
    const server = factoryOf(choices).create(definition, gatewayOwner);
    this.#started.push(server);
    return server;
  }

  context(signal = new AbortController().signal, id = 's1'): ToolContext {
    const elicit = (request: ElicitationRequest): PendingElicitation => {
      this.asked.push(request);
      return { answer: this.thinking.then(() => this.answer), complete: () => undefined };
    };
    return {
      session: stubOf<SessionHandle>({ id, userRequests: stubOf<RequestsToUser>({ elicit }) }),
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
