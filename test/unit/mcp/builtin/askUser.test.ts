import assert from 'node:assert/strict';
import { userServer } from '../../../../src/mcp/builtin/user/askUserServer';
import type { PromptFileStore } from '../../../../src/session/promptFiles/promptFileStore';
import type { ElicitationRequest, RequestsToUser, SessionHandle } from '../../../../src/session/sessionHandle';
import type { FormField } from '../../../../src/shared/state/elicitationState';
import { stubOf } from '../../../kit/stubOf';

describe('user__ask', () => {
  it('masks the answer to a question for a secret, as a form of the agent does', async () => {
    let fields: readonly FormField[] = [];
    const elicit = ({ question }: ElicitationRequest) => {
      if (question.mode === 'form') fields = question.fields;
      return { answer: Promise.resolve({ action: 'decline' as const }), complete: () => undefined };
    };
    const [ask] = userServer(stubOf<PromptFileStore>({ onDidChange: () => ({ dispose: () => undefined }) })).tools;
    const context = {
      session: stubOf<SessionHandle>({ userRequests: stubOf<RequestsToUser>({ elicit }) }),
      signal: new AbortController().signal,
      progress: () => undefined,
      approve: async () => undefined,
      waitForUser: <T>(answer: Promise<T>) => answer,
    };
    for (const [question, isSecret] of [
      ['What is your database password?', true],
      ['Please paste the API key', true],
      ['Which folder shall I use?', false],
    ] as const) {
      await ask?.call({ question }, context);
      assert.deepEqual(
        fields.map((field) => field.type === 'text' && field.isSecret === true),
        [isSecret],
        question,
      );
    }
  });
});
