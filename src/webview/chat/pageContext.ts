import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { defined } from '../../base/assert';
import type { Attachment, Mention } from '../../shared/protocol/attachments';
import type { HostMessage, PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { ResendResult } from '../../shared/protocol/turnIntents';
import type { DraftReporter, EditorContextMode, PageMemory } from './draftMemory';
import type { ChatStore } from './chatStore';

/** Shared by all parts of the page. */
export interface PageContext {
  readonly store: ChatStore;
  /** @param session the target, if not the one shown */
  readonly post: (message: PageMessage, session?: string) => void;
  readonly report: (error: unknown) => void;
  readonly memory: { load(): PageMemory; save(memory: PageMemory): void };
  readonly editor: Signal<EditorContextMode>;
  /** Index of the sent message being edited. */
  readonly editing: Signal<number | undefined>;
  readonly drafts: DraftReporter;
  /** Reports the drawn session, in which the user now acts. */
  readonly showing: (session: string | undefined) => void;
  /** Actions on parts of the page, set by each part while it is mounted. */
  readonly focus: {
    composer?: () => void;
    /** Scrolls to the end, and follows it. */
    latest?: () => void;
    /** The stored draft of this session has changed. */
    draft?: (session: string) => void;
    insert?: (text: string) => void;
    compose?: (begun: Extract<HostMessage, { type: 'compose' }>) => void;
    fill?: (session: string, text: string, remarks: readonly string[]) => void;
    /** @param words lower-case words to highlight in the entry */
    reveal?: (entry: number, words?: readonly string[]) => void;
    mentions?: (id: number, mentions: readonly Mention[]) => void;
    /** Replaces `attach` while a message is being edited. */
    attachHere?: (attachments: readonly Attachment[], remarks: readonly string[]) => void;
    attach?: (attachments: readonly Attachment[], remarks: readonly string[]) => void;
    refused?: (refused: Extract<HostMessage, { type: 'sendRefused' }>) => void;
    resendEnded?: (ended: ResendResult) => void;
  };
}

export const Page = createContext<PageContext | undefined>(undefined);

export function usePage(): PageContext {
  return defined(useContext(Page), 'page context');
}
