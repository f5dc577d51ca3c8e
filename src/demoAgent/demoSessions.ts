import { RequestError } from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { DemoOptions } from './demoOptions';

/** All that the demo remembers of one session. Nothing is shared between two of them. */
export class DemoSession {
  readonly id = randomUUID();
  /** The workspace folder, absolute. */
  readonly cwd: string;
  /** It has said that it is scripted. */
  introduced = false;
  /** The user chose "Always allow edits in this chat". */
  editsAllowed = false;
  /** What the user chose for it. */
  readonly options = new DemoOptions();
  /** Ends the running turn; undefined between turns. */
  running: AbortController | undefined;
  #tools = 0;

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  /** A tool call id that is unique in this session. */
  nextToolCallId(): string {
    this.#tools += 1;
    return `demo-${this.#tools}`;
  }
}

/** The sessions of one connection. */
export class DemoSessions {
  readonly #byId = new Map<string, DemoSession>();

  create(cwd: string): DemoSession {
    const session = new DemoSession(cwd);
    this.#byId.set(session.id, session);
    return session;
  }

  find(id: string): DemoSession | undefined {
    return this.#byId.get(id);
  }

  /** The session, or -32002 that carries its id (ACP errors). */
  require(id: string): DemoSession {
    const session = this.#byId.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }
}
