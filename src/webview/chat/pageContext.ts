import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { defined } from '../../base/assert';
import type { Attachment, Mention } from '../../shared/protocol/attachments';
import type { HostMessage, PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { ResendResult } from '../../shared/protocol/turnIntents';
import type { DraftReporter, EditorContextMode, PageMemory } from './draftMemory';
import type { ChatStore } from './chatStore';

/** What every part of the page can reach. */
export interface PageContext {
  readonly store: ChatStore;
  /** @param session the one that is meant, where it is not the one that is shown */
  readonly post: (message: PageMessage, session?: string) => void;
  readonly report: (error: unknown) => void;
  readonly memory: { load(): PageMemory; save(memory: PageMemory): void };
  /** Whether what is in the editor goes with messages. */
  readonly editor: Signal<EditorContextMode>;
  /** Index of the sent message that is being changed. */
  readonly editing: Signal<number | undefined>;
  readonly drafts: DraftReporter;
  /** This session is drawn: from here on the user acts in it. */
  readonly showing: (session: string | undefined) => void;
  /** Commands of the host to parts of the page, each set by the part while it is shown. */
  readonly focus: {
    composer?: () => void;
    /** Goes to the end of the conversation, and stays there. */
    latest?: () => void;
    /** The draft of this session in the page's memory is another one. */
    draft?: (session: string) => void;
    insert?: (text: string) => void;
    compose?: (begun: Extract<HostMessage, { type: 'compose' }>) => void;
    fill?: (session: string, text: string, remarks: readonly string[]) => void;
    /** @param words folded: marked in the entry */
    reveal?: (entry: number, words?: readonly string[]) => void;
    mentions?: (id: number, mentions: readonly Mention[]) => void;
    /** In place of `attach`: the message that is being changed asked for it. */
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
