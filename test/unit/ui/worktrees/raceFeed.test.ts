import { resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { Deferred } from '../../../../src/base/async';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { Session } from '../../../../src/session/session';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { Sessions } from '../../../../src/session/sessions';
import type { Review } from '../../../../src/ui/window';
import { RaceFeed } from '../../../../src/ui/worktrees/raceFeed';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';
import { nextOf } from '../../../kit/waiting';

describe('ui/worktrees/raceFeed', () => {
  const IDS = ['one', 'two', 'three'];
  let counts: { readonly id: string; readonly result: Deferred<readonly object[]> }[];
  /** Activity by session. */
  let added: Map<string, number>;
  /** Paths by session. */
  let changed: Map<string, readonly string[]>;
  let reviewed: Emitter<void>;
  let feed: RaceFeed;

  function open(interval: number): void {
    const records = IDS.map((id) => ({ id, branch: id, path: `/${id}`, repository: '/r', session: id }));
    const worktrees = {
      usable: () => records,
      onDidChange: new Emitter<void>().event,
      changes: ({ id }: WorktreeRecord) => {
        const result = createDeferred<readonly object[]>();
        counts.push({ id, result });
        return result.promise;
      },
    };
    const item = (id: string): SessionListItem =>
      ({ id, status: 'running', added: added.get(id) ?? 0 }) as SessionListItem;
    const catalog = stubOf<SessionCatalog>({
      item,
      transcript: async () => undefined,
      onDidChange: new Emitter<void>().event,
    });
    const sessions = stubOf<Sessions>({ allOpen: () => [], onDidChange: new Emitter<Session>().event });
    reviewed = new Emitter<void>();
    const review = stubOf<Review>({ changedFiles: (id) => changed.get(id) ?? [], onDidChange: reviewed.event });
    feed = new RaceFeed(stubOf<Worktrees>(worktrees as object), catalog, sessions, review, interval);
  }
  const shown = (): (number | undefined)[] =>
    feed.races().flatMap(({ attempts }) => attempts.map(({ files }) => files));
  const failures = (): (string | undefined)[] =>
    feed.races().flatMap(({ attempts }) => attempts.map(({ filesFailure }) => filesFailure));
  /** The feed has notified its listeners. */
  const untilNotified = (): Promise<unknown> => nextOf(feed.onDidChange);
  async function end(at: number, count: number): Promise<void> {
    const next = untilNotified();
    counts[at]?.result.resolve(Array.from({ length: count }, () => ({})));
    await next;
  }

  beforeEach(() => {
    resetStub();
    [counts, added, changed] = [[], new Map(), new Map()];
  });

  afterEach(() => feed.dispose());

  it('counts the files of one attempt at a time', async () => {
    open(0);
    for (let time = 0; time < 5; time++) {
      added.set('one', time);
      shown();
    }
    assert.deepEqual(
      counts.map(({ id }) => id),
      ['one'],
    );
    await end(0, 4);
    added.set('one', 9);
    assert.deepEqual(shown(), [4, undefined, undefined]);
    assert.deepEqual(
      counts.map(({ id }) => id),
      ['one', 'two'],
      'not again the one that changes all the time',
    );
    await end(1, 2);
    shown();
    await end(2, 3);
    assert.deepEqual(shown(), [4, 2, 3]);
    assert.deepEqual(
      counts.map(({ id }) => id),
      ['one', 'two', 'three', 'one'],
    );
  });

  it('shows why the files of an attempt could not be counted', async () => {
    open(0);
    shown();
    const next = untilNotified();
    counts[0]?.result.reject(new Error('fatal: not a git repository'));
    await next;
    assert.deepEqual(failures(), ['fatal: not a git repository', undefined, undefined]);
  });

  it('tells how many files of the workspace have changes of an attempt that are not reviewed yet', async () => {
    open(0);
    const taken = (): (number | undefined)[] =>
      feed.races().flatMap(({ attempts }) => attempts.map((attempt) => attempt.taken));
    assert.deepEqual(taken(), [undefined, undefined, undefined]);
    changed.set('one', ['/one/a.txt', '/one/b.txt']);
    changed.set('two', ['/two/a.txt', '/r/a.txt', '/r/b.txt']);
    const next = untilNotified();
    reviewed.fire();
    await next;
    assert.deepEqual(taken(), [undefined, 2, undefined]);
  });

  it('does not count again before the interval has passed', async () => {
    open(1e9);
    for (const at of [0, 1, 2]) {
      shown();
      await end(at, at);
    }
    added.set('one', 1);
    assert.deepEqual(shown(), [0, 1, 2]);
    assert.equal(counts.length, 3);
  });
});
