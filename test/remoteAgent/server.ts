import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { WebSocketServer } from 'ws';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { fakeAgent } from '../fakeAgent/definition';

type Connector = ReturnType<NonNullable<ConstructorParameters<typeof AcpServer>[0]['createAgent']>>;

/** The fake agent on a local port, over streamable HTTP and WebSocket; one process per connection. */
export interface RemoteServer {
  readonly port: number;
  /** Headers of every request and upgrade, oldest first. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Closes all connections, as a network failure does. New ones are accepted unless `refuse` is set. */
  drop(refuse?: boolean): void;
  close(): Promise<void>;
}

/** How the agent's processes are started. */
export type Launch = Pick<AgentDefinition, 'command' | 'args' | 'env'>;

/**
 * @param launched A program, or switches of the fake agent.
 * @param port A port that was used before.
 */
export async function startRemoteServer(
  launched: Launch | Record<string, string> = {},
  port = 0,
): Promise<RemoteServer> {
  const launch = 'command' in launched ? (launched as Launch) : fakeAgent(launched);
  const processes = new Set<ChildProcess>();
  const acp = new AcpServer({ createAgent: () => bridge(launch, processes) });
  const headers: IncomingHttpHeaders[] = [];
  let refuses = false;
  const handle = createNodeHttpHandler(acp);
  const server = createServer((request, response) => {
    headers.push(request.headers);
    if (refuses) request.destroy();
    else handle(request, response);
  });
  const sockets = new WebSocketServer({ noServer: true });
  const upgrade = createNodeWebSocketUpgradeHandler(acp, sockets);
  server.on('upgrade', (request, socket, head) => {
    headers.push(request.headers);
    if (refuses) socket.destroy();
    else upgrade(request, socket, head);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  };
  return {
    port: (server.address() as AddressInfo).port,
    headers,
    drop: (refuse = false) => {
      refuses = refuse;
      cut();
    },
    close: async () => {
      cut();
      const ends = Array.from(processes, (child) => once(child, 'exit'));
      for (const child of processes) child.kill();
      await Promise.all(ends);
      await acp.close().catch(() => undefined);
      const closed = new Promise((done) => server.close(done));
      // A disconnecting client has opened one more.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Forwards every message to an agent process, and back. */
function bridge({ command, args, env }: Launch, processes: Set<ChildProcess>): Connector {
  const connect: Connector['connect'] = (stream) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    processes.add(child);
    child.once('exit', () => processes.delete(child));
    const pipe = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
    void Promise.allSettled([stream.readable.pipeTo(pipe.writable), pipe.readable.pipeTo(stream.writable)]).then(() =>
      child.kill(),
    );
    return undefined;
  };
  return { connect };
}
