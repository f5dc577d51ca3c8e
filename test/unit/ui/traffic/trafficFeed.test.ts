import assert from 'node:assert/strict';
import type { AgentConnection } from '../../../../src/agent/connection/agentConnection';
import type { AgentState } from '../../../../src/agent/connection/agentLaunch';
import { TrafficConnections } from '../../../../src/agent/connection/trafficConnections';
import { TrafficRecorder } from '../../../../src/agent/traffic/trafficRecorder';
import { Emitter } from '../../../../src/base/event';
import type { TrafficHostMessage } from '../../../../src/shared/protocol/trafficPageProtocol';
import { TrafficFeed } from '../../../../src/ui/traffic/trafficFeed';
import { stubOf } from '../../../kit/stubOf';
import { TestClock } from '../../../kit/testClock';

describe('ui/traffic/trafficFeed', () => {
  let connections: TrafficConnections;
  let posted: TrafficHostMessage[];
  let clock: TestClock;
  let feed: TrafficFeed;

  beforeEach(() => {
    connections = new TrafficConnections();
    posted = [];
    clock = new TestClock();
    feed = new TrafficFeed(
      connections,
      { get: () => true, onDidChange: new Emitter<void>().event },
      { postMessage: async (message: TrafficHostMessage) => posted.push(message) > 0 },
      clock,
    );
  });
  afterEach(() => {
    feed.dispose();
    connections.dispose();
  });

  function connect(title: string, protocol?: 'mcp') {
    const traffic = new TrafficRecorder();
    const states = new Emitter<AgentState>();
    const state: AgentState = { status: 'starting' };
    const agent = stubOf<AgentConnection>({ traffic, state, onDidChangeState: states.event });
    const connection = connections.add(title, agent, protocol);
    return { traffic, states, end: () => connection.dispose() };
  }

  const listed = (): string[] => connections.all().map(({ title, status }) => `${title}: ${status}`);
  const entries = (): number[][] =>
    posted.flatMap((message) => (message.type === 'entries' ? [message.entries.map(({ seq }) => seq)] : []));

  const afterPause = (): Promise<void> => clock.pass(100);

  it('sends recorded messages in batches, then new ones, after the page is ready', async () => {
    const { traffic } = connect('A');
    for (let n = 0; n < 150; n++) traffic.invalidLine('x');
    assert.deepEqual(posted, []);
    feed.ready();
    await afterPause();
    traffic.invalidLine('new');
    traffic.invalidLine('newer');
    await afterPause();
    assert.deepEqual(
      entries().map((batch) => [batch[0], batch.at(-1)]),
      [
        [0, 99],
        [100, 149],
        [150, 151],
      ],
    );
    await afterPause();
    assert.equal(entries().length, 3);
  });

  it('starts again for a page that was hidden', async () => {
    const { traffic } = connect('A');
    traffic.invalidLine('x');
    feed.ready();
    feed.onPageHidden();
    traffic.invalidLine('y');
    await afterPause();
    assert.deepEqual(entries(), [[0]]);
    feed.ready();
    assert.deepEqual(entries(), [[0], [0, 1]]);
  });

  it('shows the newest connection until another is selected, and keeps ended ones', () => {
    const first = connect('A');
    first.states.fire({ status: 'exited', stderr: '' });
    first.end();
    const second = connect('B');
    feed.ready();
    assert.equal(feed.shownConnection?.title, 'B');
    second.end();
    assert.deepEqual(listed(), ['A: exited', 'B: stopped']);
    first.traffic.invalidLine('x');
    feed.show(connections.all()[0]?.id);
    assert.deepEqual(entries().at(-1), [0]);
  });

  it('removes the oldest ended connection, but no open one', () => {
    connect('alive');
    for (let n = 0; n < 12; n++) connect(`ended ${n}`).end();
    assert.deepEqual([listed().length, listed()[0], listed()[1]], [9, 'alive: starting', 'ended 4: stopped']);
  });

  it('shows an agent rather than a newer MCP connection, whose end does not remove those of agents', () => {
    const agent = connect('agent');
    for (let n = 0; n < 12; n++) connect(`server ${n}`, 'mcp').end();
    feed.ready();
    assert.equal(feed.shownConnection?.title, 'agent');
    agent.end();
    assert.deepEqual([listed().length, listed()[0], listed()[1]], [9, 'agent: stopped', 'server 4: stopped']);
  });
});
