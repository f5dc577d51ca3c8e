import { isObject } from '../../base/json';
import type { PageEnvironment } from '../../shared/protocol/chatPageProtocol';
import { emptyQueue } from '../../shared/state/messageQueueState';
import type { Entry, EntryPages, SessionState } from '../../shared/state/sessionState';
import { ENTRIES_PER_PAGE } from '../../shared/state/sessionState';
import type { PageMemory, StoredConversation } from '../page/draftMemory';
import type { ChatStore } from './chatStore';
import { parseAnchor } from './scrollPosition';

/** Milliseconds without a change before the conversation is stored: never in the middle of an answer. */
const STORE_DELAY_MS = 1000;
/** UTF-16 units of what is stored: VS Code writes it to disk, and the page stores it again with each draft. */
const MAX_CHARS = 100_000;
/** Pages of entries that are stored: more than a screen shows. */
const MAX_PAGES = 2;

/** Stores what the page shows while nothing changes, for the time after a reload until the host answers. */
export function storeConversation(
  { latest, environment }: ChatStore,
  memory: { load(): PageMemory; save(memory: PageMemory): void },
  build: string,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const store = (): void => {
    const state = latest.peek();
    const stored = memory.load();
    if (!state) return;
    const { conversation: _old, ...others } = stored;
    const anchor = parseAnchor(stored.places?.[state.id]);
    const conversation = shownPart(state, environment.peek(), anchor?.entry, build);
    memory.save({ ...others, ...(conversation && { conversation }) });
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => requestIdleCallback(store), STORE_DELAY_MS);
  };
  latest.subscribe(later);
  environment.subscribe(later);
}

/**
 * What a page shows of a session, without a turn, requests and an agent that runs: nothing of it outlives the window.
 * @param anchor the first visible entry; undefined at the end
 * @returns undefined if it is too large
 */
export function shownPart(
  state: SessionState,
  { editor: _editor, ...environment }: PageEnvironment,
  anchor: number | undefined,
  build: string,
): StoredConversation | undefined {
  const first = anchor === undefined ? Infinity : Math.floor(anchor / ENTRIES_PER_PAGE);
  const pages = state.entries.pages.length;
  const from = Math.max(0, Math.min(first, pages - MAX_PAGES));
  const isStored = (page: number): boolean => page >= from && page < from + MAX_PAGES;
  const shown: SessionState = {
    ...state,
    entries: onlyPages(state.entries, isStored),
    turns: state.turns.filter(({ end }) => isStored(Math.floor((end - 1) / ENTRIES_PER_PAGE))),
    connection: { status: 'idle' },
    turn: { status: 'idle' },
    waiting: [],
    terminals: {},
    commands: [],
    background: [],
    queue: emptyQueue,
    checkpoints: [],
  };
  const conversation = { build, state: shown, environment };
  return isWithin(conversation, MAX_CHARS) ? conversation : undefined;
}

function onlyPages({ count, pages }: EntryPages, isStored: (page: number) => boolean): EntryPages {
  const none: readonly Entry[] = [];
  return { count, pages: pages.map((entries, at) => (isStored(at) ? entries : none)) };
}

/** Whether a value is about as long as JSON. Ends at the limit: texts of tools can have megabytes. */
function isWithin(value: unknown, limit: number): boolean {
  let left = limit;
  const visit = (one: unknown): void => {
    if (left < 0) return;
    if (typeof one === 'string') left -= one.length;
    left -= 2;
    if (Array.isArray(one)) for (const item of one) visit(item);
    else if (isObject(one))
      for (const [key, item] of Object.entries(one)) {
        left -= key.length;
        visit(item);
      }
  };
  visit(value);
  return left >= 0;
}
