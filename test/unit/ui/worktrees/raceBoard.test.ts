import { diagnostics, resetStub, stub, toasts } from '../vscodeStub';
import { extensionUri, panels, resetWebviews } from '../webviewStub';
import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import { Emitter } from '../../../../src/base/event';
import { nullLogger } from '../../../../src/base/logger';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import type { Session } from '../../../../src/session/session';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { Sessions } from '../../../../src/session/sessions';
import type { HostMessage } from '../../../../src/shared/protocol/chatPageProtocol';
import type { RaceHostMessage } from '../../../../src/shared/protocol/racePageProtocol';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { Chat, ChatLocation, IntentSource, Review } from '../../../../src/ui/window';
import { ChatRaces } from '../../../../src/ui/worktrees/createWorktreeServices';
import type { AttemptActions } from '../../../../src/ui/worktrees/raceBoard';
import { RaceBoard } from '../../../../src/ui/worktrees/raceBoard';
import { RaceFeed } from '../../../../src/ui/worktrees/raceFeed';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf, standIn } from '../../../kit/stubOf';
import { nextOf, settled, until } from '../../../kit/waiting';
import { FakeSession, allowOnce, rejectOnce } from '../fakes';

const item = (id: string, status: SessionListItem['status']): SessionListItem =>
  ({ id, status, agent: { name: id, title: id } }) as SessionListItem;
const record = (session: string): WorktreeRecord => ({
  id: session,
  repository: '/work/app',
  path: `/store/${session}/app`,
  prefix: '',
  branch: `parley/${session}`,
  head: '',
  createdAt: 1,
  isReady: true,
  isDiscarded: false,
  session,
  race: { id: 'r', title: 'Improve it' },
});
/** A turn that was interrupted, or that has ended after a time. */
const turn = (id: string, stopReason?: string): SessionState => {
  const started = reduce(emptySession(id), { type: 'promptSent', text: 'go', blocks: [], at: 1_000 });
  return stopReason === undefined ? started : reduce(started, { type: 'turnEnded', stopReason, at: 6_000 });
};

describe('ui/worktrees/raceBoard', () => {
  const states = new Map([
    ['cut', turn('cut')],
    ['ended', turn('ended', 'end_turn')],
    ['asking', turn('asking')],
  ]);
  const open: Session[] = [];
  const read: string[] = [];
  const acted: string[] = [];
  let board: RaceBoard;
  let feed: RaceFeed;
  let chats: ChatRaces;
  let changed: Emitter<void>;
  const told: Extract<HostMessage, { type: 'race' }>[] = [];
  const page = { post: (message: HostMessage) => void (message.type === 'race' && told.push(message)) };
  /** The chat view, which shows a session of the race. */
  const view = { isVisible: true, page: Object.assign(page, { session: { id: 'cut', cwd: '/store/cut/app' } }) };

  beforeEach(() => {
    resetStub();
    resetWebviews();
    open.length = 0;
    read.length = 0;
    acted.length = 0;
    told.length = 0;
    const [file, message] = [{ scheme: 'file', fsPath: '/store/ended/app/a.ts' }, 'wrong'];
    diagnostics.splice(0, Infinity, [file, [0, 3].map((severity) => ({ severity, message }))]);
    Object.assign(stub.workspace, { workspaceFolders: [{ uri: { scheme: 'file', fsPath: '/store/ended/app' } }] });
    changed = new Emitter<void>();
    const worktrees = {
      usable: () => [...states.keys(), 'gone'].map(record),
      get: (id: string) => (states.has(id) ? record(id) : undefined),
      changes: async () => [],
      onDidChange: changed.event,
      refresh: async () => undefined,
    };
    const catalog = stubOf<SessionCatalog>({
      item: (id: string) => (states.has(id) ? item(id, id === 'asking' ? 'waiting' : 'idle') : undefined),
      transcript: async (id: string) => {
        read.push(id);
        return states.get(id);
      },
      onDidChange: changed.event,
    });
    const note =
      (action: string) =>
      async ({ id }: WorktreeRecord): Promise<void> =>
        void acted.push(`${action} ${id}`);
    const actions: AttemptActions = {
      allow: note('allow'),
      open: note('open'),
      compare: note('compare'),
      takeAll: note('take'),
      reviewTaken: note('review'),
      openInNewWindow: note('window'),
      discard: note('discard'),
    };
    const uri = extensionUri as Uri;
    const sessions = stubOf<Sessions>({ allOpen: () => open, onDidChange: new Emitter<Session>().event });
    const review = stubOf<Review>({ changedFiles: () => [], onDidChange: new Emitter<void>().event });
    feed = new RaceFeed(stubOf<Worktrees>(worktrees), catalog, sessions, review);
    board = new RaceBoard(uri, stubOf<Worktrees>(worktrees), feed, actions, nullLogger);
    const around = (folder: string) => worktrees.usable().find(({ path }) => path === folder);
    const chat = stubOf<Chat>({ locations: () => [stubOf<ChatLocation>(view)] });
    chats = new ChatRaces(stubOf<Worktrees>({ around }), feed, chat, board);
  });
  afterEach(() => {
    chats.dispose();
    board.dispose();
    feed.dispose();
  });

  const tab = () => standIn<{ posted: RaceHostMessage[]; say(message: unknown): void }>(panels[0]?.webview);

  it('shows status, time and new problems of each attempt, even if its chat is not open', async () => {
    board.show();
    tab().say({ type: 'ready' });
    const last = () => tab().posted.at(-1)?.races[0]?.attempts ?? [];
    // The states are read in the background, and the attempts are sent again.
    await until(() => last().some(({ outcome }) => outcome === 'Interrupted'));
    assert.deepEqual(
      last().map(({ agent, status, outcome, ms, problems }) => [agent, status, outcome, ms, problems]),
      [
        ['cut', 'stopped', 'Interrupted', 0, undefined],
        ['ended', 'done', undefined, 5000, 1],
        ['asking', 'waiting', undefined, 0, undefined],
        ['parley/gone', 'none', undefined, 0, undefined],
      ],
    );
    assert.deepEqual(read.toSorted(), ['asking', 'cut', 'ended', 'gone'], 'each is read once');
  });

  it('shows what an attempt asks, and answers it only once', async () => {
    const asking = new FakeSession('asking');
    open.push(asking);
    const permissionId = `p${asking.ask([allowOnce, rejectOnce], { title: 'Edit a.ts' }) - 1}`;
    board.show();
    tab().say({ type: 'ready' });
    const request = tab()
      .posted.at(-1)
      ?.races[0]?.attempts.find(({ id }) => id === 'asking')?.request;
    assert.deepEqual([request?.lines, request?.options.length], [['Edit a.ts'], 2]);
    const answer = { type: 'answer', attempt: 'asking', permissionId, optionId: allowOnce.optionId };
    tab().say({ ...answer, attempt: 'ended' });
    tab().say(answer);
    tab().say(answer);
    await settled();
    assert.deepEqual(asking.calls, [['answer', permissionId, allowOnce.optionId]]);
    assert.deepEqual(
      toasts.map(({ message }) => message),
      [1, 2].map(() => 'This request was already answered or withdrawn. Nothing was changed.'),
    );
  });

  it('acts on existing attempts, and ignores invalid messages of its page', async () => {
    board.show();
    tab().say({ type: 'act', action: 'takeAll', attempt: 'ended' });
    tab().say({ type: 'act', action: 'discard', attempt: 'no such' });
    tab().say({ type: 'act', action: 'deleteEverything', attempt: 'ended' });
    tab().say('garbage');
    await settled();
    assert.deepEqual(acted, ['take ended']);
    board.show();
    assert.equal(panels.length, 1, 'there is one board');
  });

  it('sends chat pages the race of their session, and then only changes', async () => {
    const source = standIn<IntentSource['page'] & IntentSource['session']>(view.page);
    const ask = (session = view.page.session): void =>
      void chats.handle({ session: session as IntentSource['session'], page: source }, { type: 'watchRace' });
    const agents = (): string[][] =>
      told.map(({ race }) => race?.attempts.map(({ agent, status }) => `${agent} ${status}`) ?? []);
    changed.fire();
    await nextOf(feed.onDidChange);
    assert.equal(told.length, 0, 'no page has asked');
    ask();
    assert.deepEqual(told[0]?.session, 'cut');
    assert.equal(told[0]?.race?.title, 'Improve it');
    const isCounted = (): boolean => told.at(-1)?.race?.attempts.every(({ files }) => files !== undefined) === true;
    await until(() => agents().at(-1)?.[0] === 'cut stopped' && isCounted());
    const { length } = told;
    changed.fire();
    await nextOf(feed.onDidChange);
    assert.equal(told.length, length, 'nothing has changed');
    ask();
    assert.equal(told.length, length + 1, 'a new page is told again');
    await chats.handle(
      { session: source, page: source },
      { type: 'actOnAttempt', action: 'takeAll', attempt: 'ended' },
    );
    assert.deepEqual(acted, ['take ended']);
    ask({ id: 'other', cwd: '/work/app' });
    assert.deepEqual(told.at(-1), { type: 'race', session: 'other' });
  });
});
