import assert from 'node:assert/strict';
import { answerOnCard, attemptRequest } from '../../../../src/ui/worktrees/attemptRequest';
import { FakeSession, allowOnce, rejectOnce } from '../fakes';

const options = [allowOnce, rejectOnce];
const buttons = options.map(({ optionId, name }) => ({ optionId, name }));

describe('ui/worktrees/attemptRequest', () => {
  const answers = ({ calls }: FakeSession): unknown[] => calls.filter(([call]) => call === 'answer');

  it('shows all of a short request with the options of the agent, and answers it', () => {
    const session = new FakeSession('one');
    assert.equal(attemptRequest(session), undefined);
    const tool = { title: 'Build', rawInput: { command: 'make -C app' } };
    session.ask(options, tool, 'deletes files', { why: 'asked by a rule' });
    const permissionId = 'p1';
    const lines = ['Build', 'make -C app', 'Destructive: deletes files', 'Asked by a rule'];
    assert.deepEqual(attemptRequest(session), { permissionId, lines, options: buttons });
    assert.equal(answerOnCard(session, 'p0', allowOnce.optionId), false, 'another request');
    assert.equal(answerOnCard(session, permissionId, 'no such'), false, 'another option');
    assert.equal(answerOnCard(session, permissionId, allowOnce.optionId), true);
    assert.equal(answerOnCard(session, permissionId, allowOnce.optionId), false, 'answered already');
    assert.deepEqual(answers(session), [['answer', permissionId, allowOnce.optionId]]);
  });

  it('shows the oldest request first', () => {
    const session = new FakeSession('one');
    session.ask(options, { title: 'First' });
    session.ask(options, { title: 'Second' });
    assert.deepEqual(attemptRequest(session)?.lines, ['First']);
    answerOnCard(session, 'p1', rejectOnce.optionId);
    assert.deepEqual(attemptRequest(session)?.lines, ['Second']);
  });

  for (const [what, command] of [
    ['many lines', Array.from({ length: 30 }, (_, at) => `echo ${at}`).join('\n')],
    ['a long line', `echo ${'x'.repeat(3_000)}`],
  ] as const) {
    it(`answers no request of ${what}, of which a card shows only the title`, () => {
      const session = new FakeSession('one');
      session.ask(options, { title: 'Run', rawInput: { command } });
      assert.deepEqual(attemptRequest(session), { permissionId: 'p1', lines: ['Run'], options: [] });
      assert.equal(answerOnCard(session, 'p1', allowOnce.optionId), false);
      assert.deepEqual(answers(session), []);
    });
  }
});
