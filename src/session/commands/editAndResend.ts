import { ParleyError, errorSentences } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { listTitle } from '../../history/sessionSummary';
import type { Attachment } from '../../shared/state/attachments';
import type { Block } from '../../shared/state/contentBlocks';
import { entryAt } from '../../shared/state/entryPages';
import type { AgentRef } from '../../shared/state/sessionState';
import { messageAttachments } from '../../shared/text/priorConversation';
import type { LiveSession } from '../liveSession';
import type { Session } from '../session';
import type { WindowSessions } from '../windowSessions';
import { forkFromEntry, forkCut } from './forkFromEntry';

export interface Restored {
  /** A sentence that says which files were restored. */
  readonly text: string;
  /** Files that were not restored, with the reasons. */
  readonly skipped: readonly string[];
  /** Undoes the restoration. Never rejects. */
  readonly undo: () => Promise<void>;
}

export type FileRestoreOutcome =
  /** `note` says why nothing was restored, `restored` what was. */
  | { readonly type: 'ready'; readonly note?: string; readonly restored?: Restored }
  | { readonly type: 'canceled' }
  | { readonly type: 'failed'; readonly message: string };

export interface EditAndResendOptions {
  readonly sessions: WindowSessions;
  /**
   * Reads attachments when a message is sent.
   * @throws ParleyError
   */
  readonly read: (session: Session, attachments: readonly Attachment[]) => Promise<readonly Block[]>;
  /** Restores files to the state before a message; confirms where that loses something. Never rejects. */
  readonly filesBefore: (session: Session, entry: number) => Promise<FileRestoreOutcome>;
  /** Copies pending reviews and checkpoints before an entry to the new session. Never rejects. */
  readonly inherit: (from: string, to: string, before: number) => Promise<void>;
  readonly log: Logger;
}

export type ResendOutcome =
  /** The new session; `start` sends the message there and settles at the end of its turn. */
  | {
      readonly type: 'ready';
      readonly session: Session;
      readonly start: () => Promise<void>;
      readonly restored?: Restored;
    }
  | { readonly type: 'canceled' }
  /** `restored`: the files have already been changed. */
  | { readonly type: 'failed'; readonly message: string; readonly restored?: Restored };

/** Continues from an earlier message in a new session; the source stays unchanged. */
export class EditAndResend {
  /** Running operations by session and entry: a reopened page does not know of them. */
  readonly #running = new Map<string, Promise<ResendOutcome>>();

  constructor(private readonly options: EditAndResendOptions) {}

  /**
   * Sends an edited message again. Never rejects. A concurrent call shares the first one's result.
   * @param sourceId of an open session
   * @param entry its index
   */
  resend(sourceId: string, entry: number, text: string, attachments: readonly Attachment[]): Promise<ResendOutcome> {
    const key = `${sourceId} ${entry}`;
    const earlier = this.#running.get(key);
    if (earlier) return earlier;
    const running = this.#resend(sourceId, entry, text, attachments).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #resend(
    sourceId: string,
    entry: number,
    text: string,
    attachments: readonly Attachment[],
  ): Promise<ResendOutcome> {
    const { filesBefore, sessions } = this.options;
    const source = sessions.getOpen(sourceId);
    if (!source) return { type: 'failed', message: missingMessageText() };
    const problem = resendProblem(source, entry);
    if (problem !== undefined) return { type: 'failed', message: problem };
    let restored: Restored | undefined;
    try {
      const before = await this.#read(source, attachments);
      const files = await filesBefore(source, entry);
      if (files.type !== 'ready') return files;
      ({ restored } = files);
      // Reads files as they are now; missing ones are sent as before.
      const blocks = await this.#read(source, attachments).catch(() => before);
      const session = await this.#branch(source, entry, t('{0} (edited)', listTitle(source.state.title)));
      if (files.note !== undefined) {
        const title = t('The files were not restored');
        session.dispatch({ type: 'noticeShown', severity: 'info', title, text: files.note, at: Date.now() });
      }
      let started: Promise<void> | undefined;
      // Sends the message once, whichever caller is first.
      const start = (): Promise<void> => (started ??= session.send(text, blocks, { attachments }));
      return { type: 'ready', session, start, ...omitUndefined({ restored }) };
    } catch (error) {
      return { type: 'failed', message: errorSentences(error), ...omitUndefined({ restored }) };
    }
  }

  /**
   * A session with the conversation up to an entry. `draft` is the message to continue with, when the fork is before a user message.
   * @param sourceId of an open session
   * @throws ParleyError with a sentence for the user
   */
  async fork(sourceId: string, entry: number): Promise<{ session: LiveSession; draft?: Draft }> {
    const source = this.options.sessions.getOpen(sourceId);
    const found = source && entryAt(source.state.entries, entry);
    if (!found) throw new ParleyError('notFound', missingMessageText());
    if (source.state.turn.status === 'running') throw new ParleyError('conflict', agentBusyText());
    const cut = forkCut(source.state, entry);
    const session = await this.#branch(source, cut, t('{0} (fork)', listTitle(source.state.title)));
    if (found.kind !== 'user') return { session };
    return { session, draft: { text: found.text, attachments: messageAttachments(found.blocks) } };
  }

  /**
   * Continues a session with another agent in a new session, and starts the agent. The first message includes the conversation.
   * @param sourceId of an open session
   * @throws ParleyError with a sentence for the user
   */
  async continueWith(sourceId: string, agent: AgentRef): Promise<LiveSession> {
    const source = this.options.sessions.getOpen(sourceId);
    if (!source) throw new ParleyError('notFound', missingMessageText());
    const { state } = source;
    if (state.turn.status === 'running') throw new ParleyError('conflict', agentBusyText());
    const title = `${listTitle(state.title)} (${agent.title})`;
    const session = await this.#branch(source, state.entries.count, title, agent.name);
    void session.turn.start(agent.name);
    return session;
  }

  async #branch(source: LiveSession, cut: number, title: string, agent?: string): Promise<LiveSession> {
    const { sessions, inherit, log } = this.options;
    const session = await forkFromEntry(source, { cut, title, ...omitUndefined({ agent }) }, sessions, log);
    await inherit(source.id, session.id, cut);
    return session;
  }

  async #read(session: LiveSession, attachments: readonly Attachment[]): Promise<readonly Block[]> {
    return attachments.length === 0 ? [] : this.options.read(session, attachments);
  }
}

interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

function resendProblem({ state }: LiveSession, entry: number): string | undefined {
  if (state.turn.status === 'running') return agentBusyText();
  return entryAt(state.entries, entry)?.kind === 'user' ? undefined : missingMessageText();
}

function missingMessageText(): string {
  return t('This message no longer exists.');
}

function agentBusyText(): string {
  return t('The agent is working. Stop it first, or wait until it finishes.');
}
