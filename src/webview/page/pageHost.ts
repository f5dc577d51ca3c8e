import { Emitter } from '../../base/event';
import { asString, isObject, parseJson } from '../../base/json';
import type { HostMessage, PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { Attachment } from '../../shared/state/attachments';
import type { Draft, PageMemory, StoredConversation } from './draftMemory';
import { readDraft } from './draftMemory';
import { readEdits } from './messageEditMemory';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The types of all messages of a union; the compiler reports a missing one. */
export type MessageTypes<Message extends { readonly type: string }> = Readonly<Record<Message['type'], true>>;

const MESSAGE_TYPES: MessageTypes<HostMessage> = {
  snapshot: true,
  actions: true,
  environment: true,
  focusComposer: true,
  find: true,
  fillComposer: true,
  insertText: true,
  compose: true,
  quoteSelection: true,
  sendDraft: true,
  playSound: true,
  showNotification: true,
  mentions: true,
  attach: true,
  sendRefused: true,
  draft: true,
  places: true,
  race: true,
  reveal: true,
  resendEnded: true,
  showTools: true,
  tools: true,
  notice: true,
};

/** The page's connection to the extension host. The only user of `acquireVsCodeApi`. */
export class PageHost {
  readonly #api = acquireVsCodeApi();
  readonly #onMessage = new Emitter<HostMessage>();

  readonly onMessage = this.#onMessage.event;

  constructor() {
    listen<HostMessage>(MESSAGE_TYPES, (message) => this.#onMessage.fire(message));
  }

  /** Id of the visible session, the target of the user's actions. */
  shown: string | undefined;

  /** @param session target session, if it is not the visible one */
  readonly post = (message: PageMessage, session = this.shown): void => {
    // Not a window: the API of VS Code has no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#api.postMessage(session === undefined ? message : { ...message, session });
  };

  /** Writes an error of the page to the extension's log. */
  readonly report = (error: unknown): void => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.post({ type: 'pageError', message });
  };

  get memory(): PageMemory {
    const state = this.#api.getState();
    const stored = isObject(state) ? state : {};
    const { editor, session, places, conversation } = stored;
    const drafts = isObject(stored['drafts']) ? Object.entries(stored['drafts']) : [];
    const spokenNotice = asString(stored['spokenNotice']);
    const read = drafts.map(([id, draft]) => [id, readDraft(draft)] as const);
    return {
      drafts: Object.fromEntries(read.filter((pair): pair is [string, Draft] => pair[1] !== undefined)),
      // Written by the page itself; the host validates it before sending.
      editor: isObject(editor) ? (editor as unknown as Attachment) : editor === 'off' ? 'off' : 'on',
      edits: readEdits(stored['edits']),
      ...(isObject(places) && { places }),
      ...(isObject(conversation) && { conversation: conversation as unknown as StoredConversation }),
      ...(isObject(session) && { session: session as unknown as NonNullable<PageMemory['session']> }),
      ...(spokenNotice !== undefined && { spokenNotice }),
      hiddenSuggestions: stringsIn(stored['hiddenSuggestions']),
    };
  }

  remember(memory: PageMemory): void {
    this.#api.setState(memory);
  }
}

function stringsIn(stored: unknown): Readonly<Record<string, string>> {
  const pairs = isObject(stored) ? Object.entries(stored) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/**
 * The connection to the host for a page with its own messages.
 * @param types all message types
 */
export function openHost<In extends { readonly type: string }>(
  types: MessageTypes<In>,
  receive: (message: In) => void,
): (message: { readonly type: string }) => void {
  const api = acquireVsCodeApi();
  listen(types, receive);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  return (message) => api.postMessage(message);
}

/** Receives messages, or their JSON; ignores those that are not from the host. */
function listen<In extends { readonly type: string }>(types: MessageTypes<In>, receive: (message: In) => void): void {
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = typeof data === 'string' ? parseJson(data) : data;
    const type = isObject(message) ? message['type'] : undefined;
    if (typeof type === 'string' && Object.hasOwn(types, type)) receive(message as In);
  });
}
