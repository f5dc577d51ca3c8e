import { randomUUID } from 'node:crypto';
import { DelayedCall } from '../base/clock';
import { ParleyError } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import { DisposableStore } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { Memento } from '../base/memento';
import { SessionLockedError } from '../history/sessionLocks';
import type { SessionListItem, SessionStatus, SessionSummary } from '../history/sessionSummary';
import { listTitle, summaryOf } from '../history/sessionSummary';
import type { AgentRef, SessionState } from '../shared/state/sessionState';
import type { AgentPool } from './agents/agentPool';
import { AgentSessionActions, agentSideOf } from './agents/agentSessionActions';
import { AgentSessionLists } from './agents/agentSessionLists';
import type { ListedSession } from './agents/storedSessionLists';
import type { LiveSession } from './liveSession';
import { RestorableSessions } from './restorableSessions';
import type { ChangedLines, OpenChanges, SessionCatalog } from './sessionCatalog';
import { agentSessionKey, agentSessionItem, ownSessionItem, sessionStatus, summaryFrom } from './sessionListItem';
import type { WindowSessions } from './windowSessions';

/** Milliseconds for which changes under review are merged. */
const MERGE_WINDOW_MS = 300;

export class MergedCatalog implements SessionCatalog, Disposable {
  readonly #store = new DisposableStore();
  readonly #lists: AgentSessionLists;
  readonly #agentActions: AgentSessionActions;
  readonly #statuses = new Map<string, SessionStatus>();
  readonly #restorable: RestorableSessions;
  readonly #onDidChange = this.#store.add(new Emitter<void>());

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  /** @param memory of the workspace */
  constructor(
    private readonly sessions: WindowSessions,
    private readonly agents: AgentPool,
    private readonly changes: OpenChanges,
    log: Logger,
    memory?: Memento,
  ) {
    this.#restorable = new RestorableSessions(sessions);
    this.#agentActions = new AgentSessionActions(agents, log);
    this.#lists = this.#store.add(new AgentSessionLists(agents, log, memory));
    const fireChange = (): void => this.#onDidChange.fire();
    const later = this.#store.add(new DelayedCall(MERGE_WINDOW_MS, fireChange));
    this.#store.add(this.#lists.onDidChange(fireChange));
    this.#store.add(changes.onDidChange(() => later.schedule()));
    this.#store.add(sessions.store.onDidChange(fireChange));
    this.#store.add(sessions.onDidChangeActive(fireChange));
    this.#store.add(sessions.onDidChange((session) => this.#onDidChangeSession(session)));
    this.#store.add(
      agents.onDidChangeState((link) => {
        if (link.connection.state.status === 'ready') void this.#lists.refresh(link, sessions.active);
        fireChange();
      }),
    );
  }

  items(): SessionListItem[] {
    const hiddenKeys = this.sessions.store
      .listDeleted()
      .map(({ agent, agentSession }) => agentSessionKey(agent?.name, agentSession?.id));
    const listed = new Map(this.#lists.all().map((one) => [agentSessionKey(one.agentName, one.id), one]));
    const lines = this.changes.lineCounts();
    const ours = this.#ours().map((summary) => {
      const key = agentSessionKey(summary.agent?.name, summary.agentSession?.id);
      const item = this.#toOwnItem(summary, listed.get(key), lines.get(summary.id));
      hiddenKeys.push(key);
      return item;
    });
    for (const { warmStart, state } of this.sessions.allOpen())
      if (warmStart.isWaiting) hiddenKeys.push(agentSessionKey(state.agent?.name, state.agentSession?.id));
    for (const key of [...hiddenKeys, ...this.#restorable.ids()]) listed.delete(key);
    const theirs = Array.from(listed.values())
      .filter(({ agentName, id }) => !this.sessions.store.isDeleted(agentName, id))
      .map((one) => this.#toAgentItem(one));
    return [...ours, ...theirs].toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  item(id: string): SessionListItem | undefined {
    return this.items().find((item) => item.id === id);
  }

  async transcript(id: string): Promise<SessionState | undefined> {
    const { readConversation } = await import('./readConversation');
    return (await readConversation(this.sessions, id))?.state;
  }

  async refresh(): Promise<void> {
    await Promise.all([
      this.sessions.refresh(),
      ...this.agents.all().map((link) => this.#lists.refresh(link, this.sessions.active)),
    ]);
  }

  listNotRunning(): readonly AgentRef[] {
    return this.#lists.listNotRunning();
  }

  /** As {@link AgentSessionLists.start}. */
  loadSessionsOf(agentName: string): Promise<void> {
    return this.#lists.start(agentName, this.sessions.active);
  }

  async open(id: string, show?: (session: LiveSession) => void): Promise<LiveSession> {
    await this.#refreshUnlessOpen(id);
    const item = this.#require(id);
    const loaded = await this.sessions.open.load(item.id);
    // Another call may have created it meanwhile.
    const session = loaded ?? this.sessions.getOpen(this.#require(id).id) ?? createFromList(item, this.sessions);
    if (show) show(session);
    else this.sessions.activate(session);
    const wasEmpty = session.state.entries.count === 0;
    const isReopened = await session.reopen();
    if (isReopened && wasEmpty && session.state.entries.count === 0) explainEmpty(session);
    return session;
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#refreshUnlessOpen(id);
    const item = this.#requireFree(id);
    const requested = listTitle(title);
    const given = await this.#agentActions.rename(this.#agentSideOf(item), requested);
    const shown = typeof given === 'string' ? listTitle(given) : requested;
    const action = { type: 'sessionRenamed', title: shown } as const;
    const open = this.sessions.getOpen(id);
    if (open) open.dispatch(action);
    else if (item.isOurs) {
      await this.sessions.store.append(id, action);
      this.sessions.store.saveSummary({ ...this.#summary(item), title: shown, renamed: true });
    }
    this.#patch(item, { title: shown });
  }

  async setArchived(id: string, isArchived: boolean): Promise<void> {
    await this.#refreshUnlessOpen(id);
    const item = this.#requireFree(id);
    const open = this.sessions.getOpen(id);
    // ACP: archiving implies closing.
    if (open && isArchived) await this.sessions.close(open);
    await this.#agentActions.setArchived(this.#agentSideOf(item), isArchived);
    if (item.isOurs) this.sessions.store.saveSummary({ ...this.#summary(item), archived: isArchived });
    this.#patch(item, { archived: isArchived });
  }

  async hide(id: string): Promise<void> {
    await this.#refreshUnlessOpen(id);
    const item = this.#requireFree(id);
    const open = this.sessions.getOpen(id);
    open?.turn.stop();
    if (open) await this.sessions.close(open);
    if (item.isOurs) this.sessions.store.saveSummary({ ...this.#summary(item), deletedAt: Date.now() });
    this.#restorable.add(id);
    this.#onDidChange.fire();
  }

  unhide(id: string): void {
    const { store } = this.sessions;
    const { deletedAt, ...summary } = store.get(id) ?? {};
    if (deletedAt !== undefined && 'id' in summary) store.saveSummary(summary);
    this.#restorable.remove(id);
    this.#onDidChange.fire();
  }

  async remove(id: string): Promise<void> {
    const item = this.#findHidden(id) ?? this.#requireFree(id);
    const open = this.sessions.getOpen(id);
    open?.turn.stop();
    if (open) await this.sessions.close(open);
    const { agent, agentSession } = this.#agentSideOf(item);
    const isDeleted = await this.#agentActions.delete({ agent, agentSession });
    if (agent && agentSession) {
      // An agent that cannot delete still lists it.
      if (!isDeleted) this.sessions.store.markDeleted(agent.name, agentSession.id);
      this.#lists.drop(agent.name, agentSession.id);
    }
    if (item.isOurs) await this.sessions.store.remove(id);
    this.#restorable.remove(id);
  }

  async purge(now: number): Promise<void> {
    const { purgeSessions } = await import('./purgeSessions');
    await purgeSessions(this.sessions, this.#restorable, now, (id) => this.remove(id));
  }

  async fork(id: string): Promise<LiveSession> {
    const source = await this.open(id);
    const { forkSession } = await import('./commands/forkSession');
    const fork = await forkSession(source, this.sessions);
    this.sessions.activate(fork);
    return fork;
  }

  async statusAtAgent(id: string): Promise<'open' | 'saved' | undefined> {
    const item = this.item(id);
    return item && this.#agentActions.status(item);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Called for every chunk, so it only checks this session. */
  #onDidChangeSession(session: LiveSession): void {
    const status = sessionStatus(session, this.sessions.isUnread(session.id));
    if (this.#statuses.get(session.id) === status) return;
    this.#statuses.set(session.id, status);
    this.#onDidChange.fire();
  }

  /** The current summary: the item predates the request to the agent. */
  #summary(item: SessionListItem): SessionSummary {
    return this.sessions.store.get(item.id) ?? summaryFrom(item);
  }

  /**
   * @throws ParleyError `notFound`
   * @throws SessionLockedError
   */
  async #refreshUnlessOpen(id: string): Promise<void> {
    // Another window may have opened, renamed or deleted the session meanwhile.
    if (!this.sessions.getOpen(id)) await this.sessions.refresh();
  }

  #requireFree(id: string): SessionListItem {
    const item = this.#require(id);
    if (this.sessions.open.isElsewhere(item.id)) throw new SessionLockedError(item.id);
    return item;
  }

  /** @param id ours, or the key of a session that only the agent has */
  #require(id: string): SessionListItem {
    const item =
      this.item(id) ?? this.items().find((one) => agentSessionKey(one.agent?.name, one.agentSession?.id) === id);
    if (!item) throw new ParleyError('notFound', t('This session no longer exists.'));
    return item;
  }

  /** Sessions on disk, and open ones without a transcript that are bound to an agent's session. */
  #ours(): SessionSummary[] {
    const stored = this.sessions.store.list();
    const unsaved = this.sessions
      .allOpen()
      .filter(({ hasTranscript, state, warmStart }) => !hasTranscript && state.agentSession && !warmStart.isWaiting);
    return [...stored, ...unsaved.map(({ state }) => summaryOf(state, { updatedAt: 0, archived: false }))];
  }

  #findHidden(id: string): SessionListItem | undefined {
    const summary = this.sessions.store.get(id);
    if (summary) return summary.deletedAt === undefined ? undefined : this.#toOwnItem(summary);
    const listed =
      this.#restorable.has(id) && this.#lists.all().find((one) => agentSessionKey(one.agentName, one.id) === id);
    return listed ? this.#toAgentItem(listed) : undefined;
  }

  #toAgentItem(listed: ListedSession): SessionListItem {
    const { agentName } = listed;
    return agentSessionItem(listed, this.agents.refOf(agentName), this.#agentActions.capabilities(agentName));
  }

  #toOwnItem(summary: SessionSummary, listed?: ListedSession, lines?: ChangedLines): SessionListItem {
    const session = this.sessions.getOpen(summary.id);
    return ownSessionItem(summary, {
      state: session?.state,
      isActive: session !== undefined && session === this.sessions.active,
      lines,
      capabilities: this.#agentActions.capabilities(summary.agent?.name),
      isAgentRunning: this.#agentActions.link(summary.agent?.name)?.connection.state.status === 'ready',
      listed,
    });
  }

  #agentSideOf(item: SessionListItem): ReturnType<typeof agentSideOf> {
    const { store } = this.sessions;
    const open = this.sessions.allOpen().map(({ state }) => state);
    return agentSideOf(item, [...store.list(), ...store.listDeleted(), ...open]);
  }

  #patch(item: SessionListItem, patch: { title?: string; archived?: boolean }): void {
    const { agent, agentSession } = this.#agentSideOf(item);
    if (agent && agentSession) this.#lists.patch(agent.name, agentSession.id, patch);
  }
}

/**
 * Creates Parley's session for a session that only the agent has stored.
 * @throws ParleyError `notFound` when the item names no agent
 */
function createFromList({ agent, agentSession, title }: SessionListItem, sessions: WindowSessions): LiveSession {
  if (!agent || !agentSession) throw new ParleyError('notFound', t('The transcript of this session no longer exists.'));
  const session = sessions.open.create(randomUUID());
  session.dispatch({ type: 'agentNamed', agent });
  session.dispatch({ type: 'agentSessionOpened', session: agentSession });
  session.dispatch({ type: 'titleChanged', title });
  return session;
}

/** Says why a session that was resumed has no messages. */
function explainEmpty(session: LiveSession): void {
  const title = t('{0} resumed this session', session.state.agent?.title ?? t('The agent'));
  const text = t('The agent cannot show the earlier messages of this session.');
  session.dispatch({ type: 'noticeShown', severity: 'info', title, text, at: Date.now() });
}
