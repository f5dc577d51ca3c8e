import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/base/json';
import { cursorFeature } from '../../../src/client/cursorFeature';
import type {
  ElicitationRequest,
  PermissionRequest,
  RequestsToUser,
  SessionHandle,
} from '../../../src/session/sessionHandle';
import type { ElicitationReply } from '../../../src/shared/state/elicitationState';
import type { PlanItem } from '../../../src/shared/state/planState';
import type { PermissionOutcome } from '../../../src/shared/state/toolCallState';
import { stubOf } from '../../kit/stubOf';

/** The methods of Cursor's CLI (cursor.com/docs/cli/acp). */
describe('client: the requests of Cursor', () => {
  const forms: ElicitationRequest[] = [];
  const permissions: PermissionRequest[] = [];
  let plan: readonly PlanItem[] = [];
  let reply: ElicitationReply = { action: 'decline' };
  let outcome: PermissionOutcome = { type: 'canceled', reason: 'stopped' };
  const session = stubOf<SessionHandle>({
    dispatch: (action) => void (action.type === 'planChanged' && (plan = action.items)),
    userRequests: stubOf<RequestsToUser>({
      elicit: (request) => {
        forms.push(request);
        return { answer: Promise.resolve(reply), complete: () => undefined };
      },
      requestPermission: async (request) => {
        permissions.push(request);
        return outcome;
      },
    }),
  });
  const feature = cursorFeature({ find: () => undefined, activeSession: () => session });

  function ask(method: string, params: JsonObject): Promise<unknown> {
    const handler = feature.handlers.find((one) => one.method === method) ?? assert.fail(method);
    return handler.handle(handler.parse(params), { signal: new AbortController().signal });
  }

  const options = [
    { id: 'a', label: 'A' },
    { id: 'b', label: 'B' },
  ];
  const questions = [
    { id: 'one', prompt: 'Which?', options },
    { id: 'more', prompt: 'Which ones?', options, allowMultiple: true },
  ];

  it('show questions as one form, whose answers have the ids of the options', async () => {
    reply = { action: 'accept', content: { one: 'b', more: ['a', 'b'] } };
    assert.deepEqual(await ask('cursor/ask_question', { toolCallId: 't', title: 'Login', questions }), {
      outcome: {
        outcome: 'answered',
        answers: [
          { questionId: 'one', selectedOptionIds: ['b'] },
          { questionId: 'more', selectedOptionIds: ['a', 'b'] },
        ],
      },
    });
    const [form] = forms;
    assert.equal(form?.message, 'Login');
    assert.ok(form.question.mode === 'form');
    assert.deepEqual(
      form.question.fields.map(({ label, type, required }) => [label, type, required]),
      [
        ['Which?', 'choice', true],
        ['Which ones?', 'choices', true],
      ],
    );
  });

  it('tell a declined form from a canceled one, and refuse a request without questions', async () => {
    reply = { action: 'decline' };
    assert.deepEqual(await ask('cursor/ask_question', { questions }), { outcome: { outcome: 'skipped' } });
    reply = { action: 'cancel' };
    assert.deepEqual(await ask('cursor/ask_question', { questions }), { outcome: { outcome: 'cancelled' } });
    await assert.rejects(ask('cursor/ask_question', { questions: [{ prompt: 'no id' }] }), /"questions" must have/);
  });

  it('ask whether a plan is accepted, and show its steps', async () => {
    const todos = [{ id: 'x', content: 'X', status: 'pending' }];
    const params = {
      toolCallId: 't',
      name: 'Login',
      overview: 'Short',
      plan: '# Long',
      phases: [{ name: 'P', todos }],
    };
    for (const [optionId, expected] of [
      ['accept', 'accepted'],
      ['reject', 'rejected'],
    ] as const) {
      outcome = { type: 'selected', optionId };
      assert.deepEqual(await ask('cursor/create_plan', params), { outcome: { outcome: expected } });
    }
    outcome = { type: 'canceled', reason: 'stopped' };
    assert.deepEqual(await ask('cursor/create_plan', params), { outcome: { outcome: 'cancelled' } });
    const content = [{ type: 'content', content: { type: 'text', text: 'Short\n\n# Long' } }];
    assert.deepEqual(permissions[0]?.toolCall, { toolCallId: 't', title: 'Login', kind: 'switch_mode', content });
    assert.deepEqual(
      plan.map((item) => item.content),
      ['X'],
    );
  });

  it('replace or merge the to-dos, whether Cursor waits for an answer or not', async () => {
    const [notification] = feature.notifications ?? [];
    notification?.handle({ todos: [{ id: 'x', content: 'X', status: 'TODO_STATUS_IN_PROGRESS' }] });
    const changed = [
      { id: 'x', status: 'completed' },
      { id: 'y', content: 'Y' },
    ];
    assert.deepEqual(await ask('cursor/update_todos', { merge: true, todos: changed }), {
      outcome: { outcome: 'accepted' },
    });
    const steps = (): readonly string[] => plan.map(({ content, status }) => `${content} ${status}`);
    assert.deepEqual(steps(), ['X completed', 'Y pending']);
    await ask('cursor/update_todos', { merge: false, todos: [{ id: 'z', content: 'Z', status: 'in_progress' }] });
    assert.deepEqual(steps(), ['Z in_progress']);
  });

  it('keep at most 5,000 to-dos, however often new ones are merged', async () => {
    for (const round of [1, 2]) {
      const todos = Array.from({ length: 3_000 }, (_, n) => ({ id: `${round}-${n}`, content: 'X' }));
      await ask('cursor/update_todos', { merge: true, todos });
    }
    const { content = '' } = plan.at(-1) ?? {};
    assert.equal(plan.length - 1 + Number.parseInt(content.replace(',', ''), 10), 5_000);
  });
});
