import { resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import type { AuditLog } from '../../../../src/permissions/auditLog';
import type { AuditRecord } from '../../../../src/permissions/auditLog';
import type { AuditHostMessage } from '../../../../src/shared/protocol/auditPageProtocol';
import { parseAuditMessage } from '../../../../src/ui/messages/parsePageMessage';
import { AuditFeed } from '../../../../src/ui/permissions/auditView';
import { stubOf } from '../../../kit/stubOf';

const record = (title: string): AuditRecord => ({
  session: 'one',
  time: '2026-11-21T14:03:07.120Z',
  agent: 'fake',
  kind: 'execute',
  title,
  decision: 'allowed',
  by: 'person',
  ms: 1,
});

describe('ui/permissions/auditView', () => {
  beforeEach(resetStub);

  function setUp() {
    const kept = [record('first')];
    const appended = new Emitter<AuditRecord>();
    const posts: AuditHostMessage[] = [];
    const posted: ((message: AuditHostMessage) => void)[] = [];
    const reads: (() => void)[] = [];
    const audit = {
      entries: async () => {
        const read = createDeferred<void>();
        reads.push(() => read.resolve());
        await read.promise;
        return [...kept];
      },
      onDidAppend: appended.event,
    };
    const feed = new AuditFeed(stubOf<AuditLog>(audit), (message) => {
      posts.push(message);
      for (const resolve of posted.splice(0)) resolve(message);
    });
    const next = (): Promise<AuditHostMessage> => new Promise((resolve) => posted.push(resolve));
    return { kept, appended, posts, reads, feed, next };
  }

  it('sends the log when the page is ready, then added records in batches', async () => {
    const { appended, posts, reads, feed, next } = setUp();
    const started = feed.start();
    reads[0]?.();
    await started;
    assert.deepEqual(posts, [{ type: 'records', fresh: true, records: [record('first')] }]);
    const added = next();
    appended.fire(record('second'));
    appended.fire(record('third'));
    assert.deepEqual(await added, { type: 'records', fresh: false, records: [record('second'), record('third')] });
    feed.dispose();
  });

  it('sends nothing to a page that was hidden or reloaded meanwhile', async () => {
    const { appended, posts, reads, feed } = setUp();
    const first = feed.start();
    const second = feed.start();
    for (const read of reads) read();
    await Promise.all([first, second]);
    assert.equal(posts.length, 1);
    feed.onPageHidden();
    appended.fire(record('unseen'));
    const third = feed.start();
    feed.dispose();
    for (const read of reads) read();
    await third;
    assert.equal(posts.length, 1);
  });

  it('accepts only valid messages of its page', () => {
    assert.deepEqual(parseAuditMessage({ type: 'copy', text: 'x', more: 1 }), { message: { type: 'copy', text: 'x' } });
    assert.ok('problem' in parseAuditMessage({ type: 'copy' }));
    assert.ok('problem' in parseAuditMessage({ type: 'choose', id: 1 }));
  });
});
