import assert from 'node:assert/strict';
import type { AgentExecutionEvent, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import type { CallAnswer, CallTargets } from '../../../../src/a2a/gateway/callTargets';
import { McpCommandExecutor } from '../../../../src/a2a/gateway/mcpCommandExecutor';
import { createDeferred } from '../../../../src/base/async';
import { nullLogger } from '../../../../src/base/logger';
import type { AuditLog } from '../../../../src/permissions/auditLog';
import type { McpCall } from '../../../../src/session/toolServer';
import { request } from '../../../a2a/client';
import { stubOf } from '../../../kit/stubOf';
import { TestClock } from '../../../kit/testClock';
import { settled } from '../../../kit/waiting';

describe('A command of an A2A client', () => {
  it('streams the first progress at once, then the latest of each window, and the last before the answer', async () => {
    const clock = new TestClock();
    const answer = createDeferred<CallAnswer>();
    let report: McpCall['progress'] = () => undefined;
    const targets = stubOf<CallTargets>({
      call: (_command, { progress }) => {
        report = progress;
        return answer.promise;
      },
    });
    const audit = stubOf<AuditLog>({ append: () => undefined });
    const executor = new McpCommandExecutor(targets, audit, nullLogger, clock);
    const streamed: string[] = [];
    const publish = (event: AgentExecutionEvent): void => {
      if (event.kind === 'artifactUpdate') streamed.push('answer');
      const progress = event.kind === 'statusUpdate' ? event.data.metadata?.['mcp_progress'] : undefined;
      if (progress) streamed.push(String(progress.message));
    };
    const { message } = request({ mcp_target_url: 'sample', mcp_method: 'ping' });
    const context = stubOf<RequestContext>({ taskId: 't', contextId: 'c', userMessage: message! });
    const done = executor.execute(context, stubOf<ExecutionEventBus>({ publish }));
    await settled();
    for (let number = 0; number < 10_000; number += 1) report({ message: `m${number}` });
    assert.deepEqual(streamed, ['m0']);
    await clock.pass(250);
    assert.deepEqual(streamed, ['m0', 'm9999']);
    await clock.pass(250);
    report({ message: 'later' });
    report({ message: 'last' });
    answer.resolve({ id: '1', outcome: { result: {} } });
    await done;
    assert.deepEqual(streamed, ['m0', 'm9999', 'later', 'last', 'answer']);
    assert.equal(clock.waiting, 0);
  });
});
