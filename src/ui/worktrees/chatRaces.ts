import type { Disposable } from '../../base/lifecycle';
import type { RaceIntent } from '../../shared/protocol/racePageProtocol';
import type { Worktrees } from '../../worktrees/worktrees';
import type { ChatPages } from '../chat/chatPages';
import type { IntentPage, IntentSource } from '../uiTypes';
import type { RaceBoard } from './raceBoard';
import type { RaceFeed } from './raceFeed';

/** Keeps the race of the session current in the chat pages that asked for it. */
export class ChatRaces implements Disposable {
  readonly #subscription: Disposable;
  /** The last message to each page, as JSON. */
  readonly #lastPosted = new WeakMap<IntentPage, string>();

  constructor(
    private readonly worktrees: Pick<Worktrees, 'around'>,
    private readonly feed: RaceFeed,
    private readonly chat: Pick<ChatPages, 'view' | 'tabs'>,
    private readonly board: Pick<RaceBoard, 'act'>,
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
    for (const { isVisible, page } of [this.chat.view, ...this.chat.tabs.all()]) {
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
