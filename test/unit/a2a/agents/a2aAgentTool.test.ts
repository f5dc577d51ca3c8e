import assert from 'node:assert/strict';
import type { AgentSkill, Artifact, StreamResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { agentTool } from '../../../../src/a2a/agents/a2aAgentTool';
import type { ToolContext, ToolResult } from '../../../../src/session/toolServer';
import { stubOf } from '../../../kit/stubOf';

const skill: AgentSkill = {
  id: 'do',
  name: 'x'.repeat(10_000),
  description: '\u202e'.repeat(10_000),
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
};

function artifact(artifactId: string, text: string): Artifact {
  const part = { content: { $case: 'text' as const, value: text }, mediaType: '', filename: '', metadata: undefined };
  return { artifactId, name: '', description: '', parts: [part], metadata: undefined, extensions: [] };
}

function taskWith(...artifacts: Artifact[]): StreamResponse {
  const status = { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: undefined };
  const value: Task = { id: 't', contextId: 'c', status, artifacts, history: [], metadata: undefined };
  return { payload: { $case: 'task', value } };
}

function update(value: Artifact): StreamResponse {
  const event = { taskId: 't', contextId: 'c', artifact: value, append: true, lastChunk: false, metadata: undefined };
  return { payload: { $case: 'artifactUpdate', value: event } };
}

async function textsOf(events: readonly StreamResponse[]): Promise<readonly unknown[]> {
  const client = stubOf<Client>({
    sendMessageStream: async function* () {
      yield* events;
    },
  });
  const tool = agentTool(async () => client, 'do', skill);
  const context = stubOf<ToolContext>({ signal: new AbortController().signal, progress: () => undefined });
  const { content = [] }: ToolResult = await tool.call({ message: 'hello' }, context);
  return content.map(({ text }) => text);
}

describe('A tool of an A2A agent', () => {
  it('returns the parts of an artifact as they are appended', async () => {
    const events = [update(artifact('a', '1')), update(artifact('b', '2')), update(artifact('a', '3'))];
    assert.deepEqual(await textsOf([taskWith(), ...events]), ['1', '3', '2']);
  });

  it('returns the artifacts of the newest state of a task, so that many states do not add up', async () => {
    const events = [taskWith(artifact('a', '1')), taskWith(artifact('b', '2'), artifact('c', '3')), taskWith()];
    assert.deepEqual(await textsOf(events), ['2', '3']);
  });

  it('has a short title and description', () => {
    const { title, description } = agentTool(async () => stubOf<Client>({}), 'do', skill);
    assert.deepEqual([title?.length, description.length], [200, 4_000]);
  });
});
