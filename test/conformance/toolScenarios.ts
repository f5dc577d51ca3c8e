import { join } from 'node:path';
import type { Scenario } from './scenarios';

const json = (value: unknown): string => JSON.stringify(value);
const takes = (mcpCapabilities: object, more: object = {}) => ({
  FAKE_CAPABILITIES: json({ mcpCapabilities, ...more }),
});

/** Calls that every transport must carry: a result with data, and a failing tool. */
const CALLS = ['call-tool sample add {"a":1,"b":2}', 'call-tool sample fail'];
const RESUMES = { loadSession: true, sessionCapabilities: { resume: {} } };

/** Tool servers of the client, on each transport. */
export const TOOL_SCENARIOS: Readonly<Record<string, Scenario>> = {
  toolsAcp: {
    env: () => takes({ acp: true, http: true }),
    play: (bench) =>
      bench.send(
        ...CALLS,
        'call-tool-connected sample add {"a":3,"b":4}',
        `request mcp/message ${json({ serverId: 'nobody', requestId: 'r', method: 'tools/list' })}`,
        `request mcp/message ${json({ connectionId: 'nobody', method: 'tools/list' })}`,
        `request mcp/connect ${json({ serverId: 'nobody' })}`,
        `request mcp/disconnect ${json({ connectionId: 'nobody' })}`,
      ),
  },
  toolsHttp: {
    env: (root) => ({ FAKE_STORE: join(root, 'store'), ...takes({ http: true }, RESUMES) }),
    async play(bench) {
      await bench.send(...CALLS);
      await bench.session.restarter.forceStop();
      await bench.send(...CALLS);
    },
  },
  toolsStdio: {
    env: (root) => ({ FAKE_STORE: join(root, 'store'), ...takes({}, RESUMES) }),
    async play(bench) {
      await bench.send(...CALLS);
      await bench.session.restarter.forceStop();
      await bench.send(...CALLS);
    },
  },
  toolsFarAcp: {
    remote: 'ws',
    env: () => takes({ acp: true, http: true }),
    play: (bench) => bench.send(...CALLS),
  },
  toolsFar: {
    remote: 'http',
    env: () => takes({ http: true }),
    play: (bench) => bench.send('tell-servers'),
  },
};
