import assert from 'node:assert/strict';
import { ParleyError } from '../../../../src/base/errors';
import type { EditAndResend } from '../../../../src/session/commands/editAndResend';
import { handleBranch } from '../../../../src/ui/intents/branchIntents';
import type { IntentPage } from '../../../../src/ui/window';
import type { Notice } from '../../../../src/workbench/notice';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession } from '../fakes';

describe('a message that is sent again', () => {
  const told: unknown[] = [];
  const undone: string[] = [];
  const noticed: { readonly notice: Notice; readonly session: string }[] = [];
  const restored = {
    text: '1 file restored.',
    skipped: ['a.ts: It is open with unsaved text.'],
    undo: async () => void undone.push('undone'),
  };
  const page: IntentPage = stubOf<IntentPage>({
    post: (message) => void told.push(message),
    showNotice: (notice, { id }) => void noticed.push({ notice, session: id }),
    showChat: async () => page,
  });
  const from = { session: new FakeSession('one'), page };

  const two = new FakeSession('two');

  beforeEach(() => {
    noticed.length = 0;
    told.length = 0;
    undone.length = 0;
  });

  const resend = (resent: Awaited<ReturnType<EditAndResend['resend']>>): Promise<void> =>
    handleBranch(stubOf<EditAndResend>({ resend: async () => resent }), from, {
      type: 'resend',
      entry: 2,
      text: 'x',
    });

  it('reports after a failure that files were restored, and offers Undo', async () => {
    await resend({ type: 'failed', message: 'No room.', restored });
    assert.deepEqual(told, [
      {
        type: 'resendEnded',
        session: 'one',
        entry: 2,
        problem: 'No room. The files have already been restored to the state before this message.',
      },
    ]);
    const [{ notice, session }] = noticed as [(typeof noticed)[0]];
    assert.deepEqual([session, notice.text, notice.details], ['one', restored.text, restored.skipped]);
    assert.equal(notice.button?.label, 'Undo');
    await notice.button.run();
    assert.deepEqual(undone, ['undone']);
  });

  it('offers Undo also after it was sent, and does not mention unchanged files', async () => {
    await resend({ type: 'ready', session: two, start: async () => undefined, restored });
    assert.deepEqual([noticed[0]?.session, noticed[0]?.notice.text], ['two', '1 file restored.']);
    await resend({ type: 'failed', message: 'No room.' });
    assert.equal(noticed.length, 1);
    assert.equal((told.at(-1) as { problem: string }).problem, 'No room.');
  });

  it('reports the result in the page that sent it, whatever the user opened meanwhile', async () => {
    const steps: unknown[] = [];
    const other = stubOf<IntentPage>({ post: ({ type }) => void steps.push(`other page: ${type}`) });
    const asking = stubOf<IntentPage>({
      post: (message) => void steps.push(message),
      showChat: async ({ id }) => {
        steps.push(`shows ${id}`);
        return other;
      },
    });
    const ready = {
      type: 'ready' as const,
      session: two,
      start: async () => void steps.push('begins'),
    };
    const branches = stubOf<EditAndResend>({ resend: async () => ready });
    const source = { session: new FakeSession('one'), page: asking };
    await handleBranch(branches, source, { type: 'resend', entry: 2, text: 'x' });
    assert.deepEqual(steps, [
      'shows two',
      { type: 'resendEnded', session: 'one', entry: 2, sent: true },
      'other page: focusComposer',
      'begins',
    ]);
    const canceled = stubOf<EditAndResend>({ resend: async () => ({ type: 'canceled' }) });
    await handleBranch(canceled, source, { type: 'resend', entry: 2, text: 'x' });
    assert.deepEqual(steps.at(-1), { type: 'resendEnded', session: 'one', entry: 2 });
  });

  it('shows why it cannot be forked, and what to do, as two sentences', async () => {
    const fork = (): Promise<never> =>
      Promise.reject(new ParleyError('conflict', 'The disk is full', { nextStep: 'Free some space.' }));
    await handleBranch(stubOf<EditAndResend>({ fork }), from, { type: 'forkFrom', entry: 2 });
    assert.equal(noticed[0]?.notice.text, 'The disk is full. Free some space.');
  });
});
