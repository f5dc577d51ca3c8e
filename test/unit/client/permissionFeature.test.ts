import assert from 'node:assert/strict';
import { RpcError, rpcCodes } from '../../../src/base/jsonRpc';
import { parsePermission, permissionFeature } from '../../../src/client/permissionFeature';
import type { PermissionRequest, SessionHandle } from '../../../src/session/sessionHandle';
import type { Action } from '../../../src/shared/state/sessionActions';
import { emptySession } from '../../../src/shared/state/sessionState';
import type { PermissionOutcome } from '../../../src/shared/state/toolCallState';

describe('client/permissionFeature', () => {
  const setup = (outcome: PermissionOutcome) => {
    const asked: PermissionRequest[] = [];
    const actions: Action[] = [];
    const session: SessionHandle = {
      id: 's',
      cwd: '/',
      folders: [],
      state: emptySession('s'),
      dispatch: (action) => actions.push(action),
      userRequests: {
        authorize: () => assert.fail('Parley asks nothing itself'),
        judge: () => assert.fail('Parley asks nothing itself'),
        elicit: () => assert.fail('no form is asked for'),
        requestPermission: async (request) => {
          asked.push(request);
          return outcome;
        },
      },
    };
    const feature = permissionFeature({ find: (id) => (id === 'agent-1' ? session : undefined) });
    const [handler] = feature.handlers;
    assert.equal(handler?.method, 'session/request_permission');
    const { signal } = new AbortController();
    const call = async (params: unknown) => handler.handle(handler.parse(params), { signal });
    return { asked, actions, call, handler, signal };
  };
  const options = [
    { optionId: 'b', name: 'Always', kind: 'allow_always' },
    { optionId: 'a', name: 'Once', kind: 'allow_with_a_smile', more: 1 },
    { optionId: 'c' },
  ];
  const params = { sessionId: 'agent-1', toolCall: { toolCallId: 't' }, options, extra: true };

  it('keeps the agent’s order, unknown kinds and unknown fields, and returns the selected option', async () => {
    const { asked, call } = setup({ type: 'selected', optionId: 'a' });
    assert.deepEqual(await call(params), { outcome: { outcome: 'selected', optionId: 'a' } });
    assert.deepEqual(asked[0]?.options, [options[0], options[1], { optionId: 'c', name: 'c' }]);
    assert.deepEqual(asked[0]?.toolCall, { toolCallId: 't' });
    assert.equal(asked[0]?.sessionId, 'agent-1', 'it may be a child session');
  });

  it('answers cancelled when no option was selected', async () => {
    const { call } = setup({ type: 'canceled', reason: 'turn stopped' });
    assert.deepEqual(await call(params), { outcome: { outcome: 'cancelled' } });
  });

  it('never returns an option that was not offered', async () => {
    const { call } = setup({ type: 'selected', optionId: 'z' });
    assert.deepEqual(await call(params), { outcome: { outcome: 'cancelled' } });
  });

  it('shows the request synchronously, before any other work', () => {
    const { asked, handler, signal } = setup({ type: 'selected', optionId: 'a' });
    void handler.handle(handler.parse(params), { signal });
    assert.equal(asked.length, 1);
  });

  it('cancels a request without options', async () => {
    for (const none of [undefined, [], 'x', [{ name: 'no id' }, 7]]) {
      const { asked, actions, call } = setup({ type: 'selected', optionId: 'a' });
      assert.deepEqual(await call({ ...params, options: none }), { outcome: { outcome: 'cancelled' } });
      // Recorded, but without options nobody is asked.
      assert.deepEqual(
        asked.map((request) => request.options),
        [[]],
      );
      assert.equal(actions[0]?.type, 'noticeShown');
    }
  });

  it('rejects options with the same id, which no answer could tell apart', async () => {
    const { asked, actions, call } = setup({ type: 'selected', optionId: 'a' });
    const same = [
      { optionId: 'a', name: 'Allow', kind: 'allow_once' },
      { optionId: 'b', name: 'Always', kind: 'allow_always' },
      { optionId: 'a', name: 'Reject', kind: 'reject_once' },
    ];
    await assert.rejects(call({ ...params, options: same }), (error: RpcError) => {
      assert.equal(error.code, rpcCodes.invalidParams);
      return /several options with the optionId "a"/.test(error.message);
    });
    assert.deepEqual(
      asked.map((request) => request.options),
      [[]],
    );
    assert.match(asked[0]?.refusal ?? '', /the same id/);
    assert.equal(actions[0]?.type, 'noticeShown');
  });

  it('rejects thousands of options, and the transcript shows that', async () => {
    const { asked, actions, call } = setup({ type: 'selected', optionId: '1' });
    const many = Array.from({ length: 101 }, (_, id) => ({ optionId: `${id}`, name: 'Allow', kind: 'allow_once' }));
    await assert.rejects(call({ ...params, options: many }), /more than 100 options/);
    assert.match(asked[0]?.refusal ?? '', /more than 100 options/);
    assert.equal(actions[0]?.type, 'noticeShown');
    assert.deepEqual(await call({ ...params, options: many.slice(1) }), {
      outcome: { outcome: 'selected', optionId: '1' },
    });
  });

  it('offers an option only once that the agent repeats', async () => {
    const { asked, call } = setup({ type: 'selected', optionId: 'a' });
    const repeated = [
      { optionId: 'a', name: 'Allow', kind: 'allow_once' },
      { optionId: 'b', name: 'Reject', kind: 'reject_once' },
      { kind: 'allow_once', name: ' Allow', optionId: 'a' },
    ];
    assert.deepEqual(await call({ ...params, options: repeated }), { outcome: { outcome: 'selected', optionId: 'a' } });
    assert.deepEqual(asked[0]?.options, repeated.slice(0, 2));
  });

  it('names the unknown session and the missing field', async () => {
    const { call } = setup({ type: 'selected', optionId: 'a' });
    await assert.rejects(call({ ...params, sessionId: 'other' }), /sessionId "other"/);
    assert.throws(
      () => parsePermission({ options }),
      (error: RpcError) => /"sessionId"/.test(error.message),
    );
    assert.throws(() => parsePermission(null), RpcError);
  });
});
