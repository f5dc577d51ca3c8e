import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/event';
import type { JsonObject } from '../../../src/base/json';
import type { Logger } from '../../../src/base/logger';
import { nullLogger } from '../../../src/base/logger';
import type { ToolFilterSettings } from '../../../src/mcp/availability/toolFilterSettings';
import type { AccessRequest, CallGate, FinishedCall, ToolCall } from '../../../src/mcp/calls/callGate';
import { toErrorResult } from '../../../src/mcp/calls/toolCallRun';
import type { McpTraffic } from '../../../src/mcp/contract/recordedMcpConnection';
import type { RegisteredServer } from '../../../src/mcp/contract/toolServerRegistry';
import { inSession, ToolServers } from '../../../src/mcp/contract/toolServerRegistry';
import type { Tool, ToolServer } from '../../../src/mcp/contract/toolServerTypes';
import { tool, ToolError } from '../../../src/mcp/contract/toolServerTypes';
import { HostedServers } from '../../../src/mcp/hostedServers';
import { LocalTransports } from '../../../src/mcp/transport/localTransports';
import type { RequestsToUser, SessionHandle } from '../../../src/session/sessionHandle';
import type { ToolResult } from '../../../src/session/toolServer';
import { emptySession } from '../../../src/shared/state/sessionState';
import { stubOf } from '../../kit/stubOf';

/** A gate for tests: all tools are available except those in `hidden`, and no call needs approval. */
export class OpenGate implements CallGate {
  readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  readonly onDidEnd = new Emitter<FinishedCall>().event;
  readonly hidden = new Set<string>();

  constructor(private readonly servers = new ToolServers()) {}

  availableServers(session: SessionHandle): readonly RegisteredServer[] {
    return this.servers
      .list()
      .map((registered) => inSession(registered, session))
      .filter((registered) => this.isServerAvailable(session, registered));
  }

  isServerAvailable(_session: SessionHandle, { name }: RegisteredServer): boolean {
    return !this.hidden.has(name);
  }

  isToolAvailable(_session: SessionHandle, { name }: RegisteredServer, { name: toolName }: Tool): boolean {
    return !this.hidden.has(`${name}__${toolName}`);
  }

  async call({ tool: called, input, session, signal, progress, meta }: ToolCall): Promise<ToolResult> {
    try {
      const approve = (): Promise<void> => Promise.resolve();
      const waitForUser = <T>(answer: Promise<T>): Promise<T> => answer;
      return await called.call(input, { session, signal, progress, approve, waitForUser, ...(meta && { meta }) });
    } catch (error) {
      return toErrorResult(error, nullLogger, called.name);
    }
  }

  access<T extends JsonObject>(_request: AccessRequest, run: () => Promise<T>): Promise<T> {
    return run();
  }

  invalidate(): void {
    this.changed.fire();
  }

  closeSession(): void {}
}

/** Rules under which everything is available. */
export function openRules(): ToolFilterSettings {
  const rules = { isTrusted: true, isOn: () => true, deny: [], allow: [] };
  return stubOf<ToolFilterSettings>({ rulesOf: () => rules, onDidChange: new Emitter<void>().event });
}

/** Events of the sample server, and controls for tests. */
export interface Sample {
  readonly server: ToolServer;
  readonly noteChanged: Emitter<void>;
  /** Abort signals of started calls of `wait`. */
  readonly waiting: AbortSignal[];
  /** Completes a call of `step`. */
  readonly goOn: Emitter<void>;
  /** Fires when a call of `wait` or `step` has started. */
  readonly begun: Emitter<AbortSignal>;
}

export function sampleServer(name = 'sample'): Sample {
  const noteChanged = new Emitter<void>();
  const begun = new Emitter<AbortSignal>();
  const goOn = new Emitter<void>();
  const waiting: AbortSignal[] = [];
  const add = tool({
    name: 'add',
    title: 'Add',
    description: 'Adds two numbers',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: (z) => z.object({ a: z.number(), b: z.number() }),
    output: (z) => z.object({ sum: z.number() }),
    call: async ({ a, b }) => ({ text: String(a + b), structured: { sum: a + b } }),
  });
  const wait = tool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits until it is canceled',
    annotations: {},
    approval: 'free',
    input: (z) => z.object({}),
    output: (z) => z.object({}),
    call: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('canceled')), { once: true });
        waiting.push(signal);
        begun.fire(signal);
      }),
  });
  const step = tool({
    name: 'step',
    title: 'Step',
    description: 'Tells how far it is, and goes on when it is told to',
    annotations: {},
    approval: 'free',
    input: (z) => z.object({}),
    output: (z) => z.object({}),
    call: (_input, { progress, signal }) =>
      new Promise((resolve) => {
        goOn.event(() => resolve({ text: 'done', structured: {} }));
        progress('half of it', 0.5);
        begun.fire(signal);
      }),
  });
  const big = tool({
    name: 'big',
    title: 'Big',
    description: 'Answers with many characters',
    annotations: {},
    approval: 'free',
    input: (z) => z.object({ length: z.int() }),
    output: (z) => z.object({ length: z.int() }),
    call: async ({ length }) => ({ text: 'x'.repeat(length), structured: { length } }),
  });
  const fail = tool({
    name: 'fail',
    title: 'Fail',
    description: 'Fails',
    annotations: {},
    approval: 'free',
    input: (z) => z.object({}),
    output: (z) => z.object({}),
    call: () => Promise.reject(new ToolError('It did not work.', 'Try the other one.')),
  });
  let note = 1;
  const server: ToolServer = {
    name,
    title: 'Sample',
    description: 'For tests',
    tools: [wait, add, fail, step, big],
    resources: [
      {
        uri: 'ide://note',
        name: 'note',
        title: 'Note',
        description: 'A note',
        mimeType: 'text/plain',
        onDidChange: noteChanged.event,
        read: async () => `note ${note++}`,
      },
    ],
    prompts: () => [
      {
        name: 'greet',
        description: 'Greets',
        arguments: [{ name: 'whom', required: true }],
        render: async ({ whom }) => `Hello ${whom}`,
      },
    ],
  };
  return { server, noteChanged, waiting, begun, goOn };
}

export function fakeSession(id: string): SessionHandle {
  return stubOf<SessionHandle>({ id, folders: [], state: emptySession(id), userRequests: stubOf<RequestsToUser>({}) });
}

export interface Bench {
  readonly servers: ToolServers;
  readonly gate: OpenGate;
  readonly hostedServers: HostedServers;
  readonly sample: Sample;
  readonly session: SessionHandle;
}

/** The servers of one session that includes the sample. */
export function createBench(log: Logger = nullLogger, traffic?: McpTraffic): Bench {
  const servers = new ToolServers();
  const sample = sampleServer();
  servers.add(sample.server, 'builtIn');
  const gate = new OpenGate(servers);
  const hostedServers = new HostedServers(
    gate,
    new LocalTransports(log, builtRelay()),
    log,
    '1.0.0',
    undefined,
    traffic,
  );
  return { servers, gate, hostedServers, sample, session: fakeSession('session-1') };
}

/** The bundled relay, relative to any bundled test in `out/test`. */
export function builtRelay(from = __dirname): string {
  const path = join(from, 'dist', 'relay.js');
  if (existsSync(path)) return path;
  if (join(from, '..') === from) throw new Error('The relay is not built: run "node esbuild.mjs"');
  return builtRelay(join(from, '..'));
}
