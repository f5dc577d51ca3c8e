import assert from 'node:assert/strict';
import type { EventEmitter } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { nullLogger } from '../../../../src/base/logger';
import type { HostedServer } from '../../../../src/mcp/host/hostedServer';
import { RelaySocket } from '../../../../src/mcp/transport/mcpOverStdio';
import { startCallbackServer } from '../../../../src/mcp/userServers/auth/oauthCallback';
import { createLocalServer } from '../../../../src/node/http/localHttpServer';

/** Every server that starts during the job. */
async function serversOf(start: () => unknown): Promise<readonly EventEmitter[]> {
  const servers: EventEmitter[] = [];
  const undo = [http, net].map((owner) => {
    const module = owner as { createServer: (...args: unknown[]) => EventEmitter };
    const own = module.createServer;
    module.createServer = (...args) => {
      const server = own(...args);
      servers.push(server);
      return server;
    };
    return () => void (module.createServer = own);
  });
  try {
    await start();
    return servers;
  } finally {
    for (const each of undo) each();
  }
}

describe('servers of the window', () => {
  const starts: Record<string, () => Promise<() => void>> = {
    'for tools and the A2A gateway': async () => {
      const { server } = createLocalServer();
      return () => server.close();
    },
    'for relays': async () => {
      const socket = new RelaySocket(nullLogger, '/relay.js');
      await socket.add({ identity: { token: 'token' } } as HostedServer);
      return () => socket.dispose();
    },
    'for sign-in': async () => {
      const server = await startCallbackServer();
      return () => server.close();
    },
  };
  for (const [what, start] of Object.entries(starts)) {
    it(`continue when connections cannot be accepted: ${what}`, async () => {
      let close: () => void = () => undefined;
      const servers = await serversOf(async () => (close = await start()));
      try {
        assert.equal(servers.length, 1);
        // Without a listener, this would throw.
        for (let count = 0; count < 2; count++) servers[0]?.emit('error', new Error('accept EMFILE'));
      } finally {
        close();
      }
    });
  }
});
