import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { replayAgent } from '../../src/agent/config/agentSettings';
import { AgentConnection } from '../../src/agent/connection/agentConnection';
import type { TrafficRecorder } from '../../src/agent/traffic/trafficRecorder';
import { systemClock } from '../../src/base/clock';
import { nullLogger } from '../../src/base/logger';
import { permissionFeature } from '../../src/client/permissionFeature';
import { sessionUpdateCapabilitiesFeature } from '../../src/session/agents/sessionUpdateCapabilities';
import { SharedAgents } from '../../src/session/agents/sharedAgents';
import type { LiveSession } from '../../src/session/liveSession';
import { WindowSessions } from '../../src/session/windowSessions';
import type { SessionState } from '../../src/shared/state/sessionState';
import { untilEvent } from '../kit/waiting';
import { emptyPolicy } from '../unit/permissions/emptyPolicy';

/** A window, without VS Code, whose only agent replays a saved file. `npm test` has built dist/replay.js. */
export class ReplayBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'parley-replay-'));
  readonly agents: SharedAgents;
  traffic: TrafficRecorder | undefined;
  #sessions: WindowSessions | undefined;

  constructor(
    file: string,
    agent: AgentDefinition = replayAgent('Replay', process.execPath, join(process.cwd(), 'dist/replay.js'), file),
  ) {
    this.agents = new SharedAgents({
      definitions: () => [agent],
      connect: (definition, lookup, onUpdate) => {
        const connection = new AgentConnection({
          definition,
          cwd: this.folder,
          clientInfo: { name: 'parley', title: 'Parley', version: '0.0.0' },
          features: [permissionFeature(lookup), sessionUpdateCapabilitiesFeature()],
          log: nullLogger,
          onUpdate,
        });
        this.traffic = connection.traffic;
        return { connection, services: { dispose() {} } };
      },
    });
  }

  async open(): Promise<LiveSession> {
    this.#sessions = await WindowSessions.open({
      clock: systemClock,
      policy: emptyPolicy(),
      agents: this.agents,
      log: nullLogger,
      folder: join(this.folder, '.sessions'),
      folders: () => [this.folder],
      home: this.folder,
      initialAgent: () => undefined,
      fallbackAgent: () => 'Replay',
      onHistoryError: (_session, message) => {
        throw new Error(message);
      },
    });
    return this.#sessions.active;
  }

  get session(): LiveSession {
    if (!this.#sessions) throw new Error('not open');
    return this.#sessions.active;
  }

  /** Waits until the state satisfies the predicate: checks after every action. */
  until(wished: (state: SessionState) => boolean): Promise<void> {
    const { session } = this;
    return untilEvent(session.onDidDispatch, () => wished(session.state));
  }

  /** All stderr output so far. */
  stderr(): string[] {
    return this.traffic?.entries().flatMap((entry) => ('stderr' in entry ? [entry.stderr] : [])) ?? [];
  }

  async close(): Promise<void> {
    await this.#sessions?.flush();
    await this.agents.shutdown();
    // The end of an agent is part of the transcript.
    await this.#sessions?.flush();
    this.#sessions?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
