import assert from 'node:assert/strict';
import type { Tool } from '../../../../src/mcp/contract/toolServerTypes';
import type { AuthorizationRequest } from '../../../../src/session/sessionHandle';
import { until } from '../../../kit/waiting';
import { GateBench, toolOf } from './gateBench';

describe('mcp/calls: what an answer about a tool is tied to', () => {
  async function question(tool: Tool, origin: 'person' | 'builtIn'): Promise<AuthorizationRequest> {
    const bench = new GateBench();
    const call = bench.call(tool, {}, { origin });
    // A tool that asks itself does so in its call.
    await until(() => bench.questions.length > 0);
    bench.answer();
    await call;
    return bench.questions[0]!;
  }

  it('is the definition of a tool of another server, its title and description included', async () => {
    const identities = await Promise.all(
      [{}, { description: 'Deletes it' }, { title: 'Delete it' }, {}].map(async (more) => {
        const tool = toolOf(() => ({ text: '', structured: {} }), { approval: 'policy', ...more });
        return (await question(tool, 'person')).toolIdentity;
      }),
    );
    assert.equal(new Set(identities).size, 3);
    assert.equal(identities[0], identities[3]);
  });

  it('is what the tool acts on, such as a debug session, if the tool names that', async () => {
    const tool = toolOf(
      async (_input, { approve }) => {
        await approve({ title: 'Continue', about: 'session 1' });
        return { text: '', structured: {} };
      },
      { approval: 'policy', asksItself: true },
    );
    const { toolIdentity, isPassing } = await question(tool, 'builtIn');
    assert.deepEqual({ toolIdentity, isPassing }, { toolIdentity: 'session 1', isPassing: true });
  });
});
