import type { Lazy } from '../../base/lazy';
import type { Session } from '../../session/session';
import type { FolderWork } from '../git/workspaceSnapshots';
import type { FileContent } from '../storage/fileContent';
import type { Authorship, DiskChange, Writer } from './authorship';
import type { OtherWriters } from './otherWriters';
import type { ReviewScope, ReviewScopes } from './reviewScope';
import type { UserFileChanges } from './userFileChanges';
import type { WorkSigns } from './workSigns';

/** An agent in its turn. */
export interface WorkingAgent {
  readonly session: Session;
  /** Index of the prompt's entry. */
  readonly entry: number;
  /** The files that it may change. */
  readonly scope: ReviewScope;
  /** Files that the agent has reported, or written through Parley. */
  readonly reported: Set<string>;
  /** Files that another program changed. */
  readonly byOthers: Set<string>;
}

/** Which agents work now, and on which files. */
export class WorkingAgents implements Authorship, FolderWork {
  readonly #working = new Map<string, WorkingAgent>();
  /** The files of a turn that is being started. */
  starting: ReviewScope | undefined;

  /** @param writers loaded by the first turn */
  constructor(
    readonly scopes: ReviewScopes,
    readonly windows: WorkSigns,
    readonly writers: Lazy<OtherWriters>,
    private readonly userChanges: Lazy<UserFileChanges>,
  ) {}

  /** The agent counts as working from now on. */
  add(session: Session, entry: number): WorkingAgent {
    const scope = this.scopes.ofSession(session.id);
    const agent: WorkingAgent = { session, entry, scope, reported: new Set(), byOthers: new Set() };
    this.#working.set(session.id, agent);
    return agent;
  }

  delete(sessionId: string): void {
    this.#working.delete(sessionId);
  }

  get(sessionId: string): WorkingAgent | undefined {
    return this.#working.get(sessionId);
  }

  all(): readonly WorkingAgent[] {
    return [...this.#working.values()];
  }

  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  /** An agent works, or is about to. */
  get isBusy(): boolean {
    return this.isWorking || this.starting !== undefined;
  }

  /** An agent's work may go on elsewhere while its process waits: on another computer, or in a tool call. */
  get hasOpenWork(): boolean {
    return this.all().some(({ session, entry }) => this.writers.value?.hasOpenWork(session, entry) ?? true);
  }

  /** Whether an agent works in a git worktree, or in the workspace. */
  worksIn(worktree: string | undefined): boolean {
    return this.all().some(({ scope }) => scope.worktree === worktree);
  }

  /** As {@link worksIn}, also while a turn is being started. */
  isBusyIn(worktree: string | undefined): boolean {
    return (this.starting !== undefined && this.starting.worktree === worktree) || this.worksIn(worktree);
  }

  isWorkedIn(folder: string): boolean {
    return this.worksIn(this.scopes.worktreeAround(folder));
  }

  mayChange(folder: string): boolean {
    return this.isBusyIn(this.scopes.worktreeAround(folder));
  }

  sessionsWorkingOn(path: string): readonly string[] {
    const all = this.all().filter(({ scope }) => scope.has(path));
    const reported = all.filter((agent) => agent.reported.has(path));
    return (reported.length > 0 ? reported : all).map(({ session }) => session.id);
  }

  async writerOf(path: string, change: DiskChange): Promise<Writer> {
    const agents = this.all().filter(({ scope }) => scope.has(path));
    if (agents.some(({ reported }) => reported.has(path))) return 'agent';
    const writer = (await this.writers.value?.writerOf(path, change)) ?? 'agent';
    if (writer === 'other') for (const { byOthers } of agents) byOthers.add(path);
    if (writer !== 'agent' || agents.length === 0) return writer;
    const isRemote = agents.every(({ session }) => session.isRemote);
    return isRemote || this.windows.isElsewhere([path]) ? 'unknown' : writer;
  }

  async isMadeByUser(path: string, content: FileContent | undefined): Promise<boolean> {
    return (await this.userChanges.load()).isMade(path, content);
  }
}
