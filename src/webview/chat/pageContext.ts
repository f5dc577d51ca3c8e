import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { assertDefined } from '../../base/assert';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { ChatPageLocation, HostMessage, PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { Attachment } from '../../shared/state/attachments';
import type { StickToEnd } from '../controls/stickToEnd';
import type { DraftReporter, EditorContextMode, PageMemory } from '../page/draftMemory';
import type { ChatStore } from './chatStore';

type MessageOf<T extends HostMessage['type']> = Extract<HostMessage, { readonly type: T }>;

/** Shows an entry of the conversation, and marks words in it. */
interface RevealRequest {
  readonly entry: number;
  readonly words?: readonly string[];
  /** Called when the entry is drawn, instead of focusing it and scrolling to it. */
  readonly onDidDraw?: (slot: HTMLElement) => void;
}

/** What the parts of the page ask of each other, and the host of them. Handled by {@link useEvent}. */
export class PageEvents {
  /** Moves the focus to the message box. */
  readonly focusComposer = new Emitter<void>();
  /** Inserts a text below the draft. */
  readonly insertText = new Emitter<string>();
  /** Opens the find box, or moves the focus to it. */
  readonly find = new Emitter<void>();
  readonly reveal = new Emitter<RevealRequest>();
}

/** Shared by all parts of the page. */
export interface PageContext {
  readonly store: ChatStore;
  readonly location: ChatPageLocation;
  /** @param session the target, if not the one shown */
  readonly post: (message: PageMessage, session?: string) => void;
  readonly report: (error: unknown) => void;
  readonly memory: { load(): PageMemory; save(memory: PageMemory): void };
  readonly editor: Signal<EditorContextMode>;
  /** Index of the sent message being edited. */
  readonly editing: Signal<number | undefined>;
  readonly drafts: DraftReporter;
  /** Reports the drawn session, in which the user now acts. */
  readonly onDidShow: (session: string | undefined) => void;
  /** Messages of the host for mounted components. Handled by {@link useHostMessage}. */
  readonly onHostMessage: Event<HostMessage>;
  readonly events: PageEvents;
  /** Gets the next attachments instead of the message box. */
  readonly attachTarget: Signal<((attachments: readonly Attachment[], remarks: readonly string[]) => void) | undefined>;
  /** Had the focus when the Tools panel was opened, whose code may load first while the focus moves. */
  toolsOpener?: Element | null;
  /** Controls the scroll position of the mounted conversation. */
  readonly stick: Signal<StickToEnd | undefined>;
}

export const Page = createContext<PageContext | undefined>(undefined);

export function usePage(): PageContext {
  return assertDefined(useContext(Page), 'page context');
}

/** Handles one type of messages while mounted, from the first layout on: the host may send them right after the snapshot. */
export function useHostMessage<T extends HostMessage['type']>(type: T, handle: (message: MessageOf<T>) => void): void {
  useEvent(usePage().onHostMessage, (message) => {
    if (isOfType(message, type)) handle(message);
  });
}

/** Handles an event while mounted, by the handler of the latest rendering. */
export function useEvent<T>(event: Event<T>, handle: (value: T) => void): void {
  const latest = useRef(handle);
  latest.current = handle;
  useLayoutEffect(() => {
    const subscription = event((value) => latest.current(value));
    return () => subscription.dispose();
  }, [event]);
}

function isOfType<T extends HostMessage['type']>(message: HostMessage, type: T): message is MessageOf<T> {
  return message.type === type;
}
