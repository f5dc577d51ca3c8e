import type { DisposableStore, Disposable } from '../../base/lifecycle';
import type { RaceIntent } from '../../shared/protocol/racePageProtocol';
import { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import type { Worktrees } from '../../worktrees/worktrees';
import { UnsentMessages } from '../messages/unsentMessages';
import type { Chat, IntentPage, IntentSource, Window } from '../window';
import { CleanUpWorktrees } from './cleanUpWorktrees';
import { DiscardWorktree } from './discardWorktree';
import { RaceBoard } from './raceBoard';
import { RaceCommands } from './raceCommands';
import { RaceFeed } from './raceFeed';
import { TakeChanges } from './takeChanges';
import { WorktreeActions } from './worktreeActions';
import { WorktreeChats } from './worktreeChats';
import { WorktreeCreator } from './worktreeCreator';
import { WorktreePicker } from './worktreePicker';
import { SetupCommands, WorktreeSetup } from './worktreeSetup';

interface WorktreeServices {
  readonly setup: WorktreeSetup;
  readonly chats: WorktreeChats;
  readonly races: RaceCommands;
  readonly actions: WorktreeActions;
  readonly cleaning: CleanUpWorktrees;
  readonly board: RaceBoard;
  readonly chatRaces: ChatRaces;
}

/** @param store disposes them */
export function createWorktreeServices(window: Window, store: DisposableStore): WorktreeServices {
  const { worktrees, sessions, catalog, settings, approvals, log, chat, attachments, notices, review } = window;
  const allowed = new SetupCommands(settings, approvals, store.add(new ReadOnlyDocuments('parley-worktree')));
  const setup = new WorktreeSetup(allowed, worktrees, notices, log);
  const picker = new WorktreePicker(worktrees, sessions);
  const creator = new WorktreeCreator(worktrees, settings, setup);
  const unsent = new UnsentMessages(window.memory);
  const chats = new WorktreeChats(creator, sessions, attachments, unsent, chat, notices);
  const discarding = new DiscardWorktree(worktrees, sessions, setup, notices);
  const cleaning = new CleanUpWorktrees(worktrees, sessions, discarding);
  const take = new TakeChanges(worktrees, sessions, review, notices);
  const actions = new WorktreeActions(worktrees, picker, discarding, take);
  const feed = store.add(new RaceFeed(worktrees, catalog, sessions, review));
  const board = store.add(new RaceBoard(window.extension.uri, worktrees, feed, actions.onAttempt, log));
  const chatRaces = store.add(new ChatRaces(worktrees, feed, chat, board));
  const races = new RaceCommands(creator, sessions, attachments, unsent, settings, board, chat);
  return { setup, chats, races, actions, cleaning, board, chatRaces };
}

/** Keeps the race of the session current in the chat pages that asked for it. */
export class ChatRaces implements Disposable {
  readonly #subscription: Disposable;
  /** The last message to each page, as JSON. */
  readonly #lastPosted = new WeakMap<IntentPage, string>();

  constructor(
    private readonly worktrees: Worktrees,
    private readonly feed: RaceFeed,
    private readonly chat: Chat,
    private readonly board: RaceBoard,
  ) {
    this.#subscription = feed.onDidChange(() => this.#update());
  }

  /** Acts on an attempt, or shows the race in a page that has no race yet. */
  async handle(source: IntentSource, intent: RaceIntent): Promise<void> {
    if (intent.type === 'actOnAttempt') return this.board.act(intent.action, intent.attempt);
    this.#lastPosted.delete(source.page);
    return this.#postRaces(source);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #update(): void {
    for (const { isVisible, page } of this.chat.locations()) {
      if (isVisible && this.#lastPosted.has(page)) this.#postRaces({ session: page.session, page });
    }
  }

  #postRaces({ session, page }: IntentSource): void {
    const id = this.worktrees.around(session.cwd)?.race?.id;
    const race = id === undefined ? undefined : this.feed.races().find((each) => each.id === id);
    const message = { type: 'race', session: session.id, ...(race && { race }) } as const;
    const text = JSON.stringify(message);
    if (text === this.#lastPosted.get(page)) return;
    this.#lastPosted.set(page, text);
    page.post(message);
  }
}
