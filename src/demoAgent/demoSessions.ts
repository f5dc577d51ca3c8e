import { randomUUID } from 'node:crypto';
import { RequestError } from '@agentclientprotocol/sdk/unstable';
import type { EditorServer } from './demoMcpServers';
import { DemoOptions } from './demoOptions';
import { isLinkedWorktree } from './demoWorkspace';

/** The state of one session; sessions share nothing. */
export class DemoSession {
  readonly id = randomUUID();
  /** The workspace folder, absolute. */
  readonly cwd: string;
  readonly servers: readonly EditorServer[];
  /** The agent has introduced itself as scripted. */
  hasIntroduced = false;
  /** The user selected "Always allow edits in this chat". */
  canEditFreely = false;
  readonly options = new DemoOptions();
  /** Writes as little as possible. */
  isBrief = false;
  /** UTF-16 units of all messages. */
  characters = 0;
  /** Seconds since 1970; undefined while no limit is used up. */
  limitResetsAt: number | undefined;
  /** Aborts the running turn; undefined between turns. */
  running: AbortController | undefined;
  #tools = 0;

  constructor(cwd: string, servers: readonly EditorServer[]) {
    this.cwd = cwd;
    this.servers = servers;
  }

  /** Unique in this session. */
  nextToolCallId(): string {
    this.#tools += 1;
    return `demo-${this.#tools}`;
  }
}

export class DemoSessions {
  readonly #byId = new Map<string, DemoSession>();
  #inWorktrees = 0;

  /** Every second session in a git worktree is brief, so that a race against itself shows two different results. */
  create(cwd: string, servers: readonly EditorServer[]): DemoSession {
    const session = new DemoSession(cwd, servers);
    if (isLinkedWorktree(cwd) && this.#inWorktrees++ % 2 === 1) session.isBrief = true;
    this.#byId.set(session.id, session);
    return session;
  }

  find(id: string): DemoSession | undefined {
    return this.#byId.get(id);
  }

  /** @throws RequestError -32002 with the session id (ACP errors) */
  require(id: string): DemoSession {
    const session = this.#byId.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }
}
