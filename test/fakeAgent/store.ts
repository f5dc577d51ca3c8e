import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './wire';

/** A session of the fake agent. With `FAKE_STORE` it outlives the process. */
export interface FakeSession {
  readonly sessionId: string;
  readonly cwd: string;
  additionalDirectories: readonly string[];
  /** The servers of the last declaration. */
  mcpServers: readonly Json[];
  title?: string;
  updatedAt: string;
  archived: boolean;
  /** All updates, for the history replay. */
  readonly updates: Json[];
  /** True in this process from `session/new`, `load`, `resume` or `fork` until `close`. */
  live: boolean;
}

/** The sessions of the agent: those of this process, and with a folder also those of earlier processes. */
export class SessionStore {
  readonly #folder = process.env['FAKE_STORE'];
  readonly #said = process.env['FAKE_SAID'];
  readonly #sessions = new Map<string, FakeSession>();
  #count = 0;

  constructor() {
    if (!this.#folder) return;
    mkdirSync(this.#folder, { recursive: true });
    for (const file of readdirSync(this.#folder)) {
      const session = JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as FakeSession;
      this.#sessions.set(session.sessionId, { ...session, live: false });
    }
  }

  create(params: Json, from?: FakeSession): FakeSession {
    const session: FakeSession = {
      sessionId: `fake-${process.pid}-${++this.#count}`,
      cwd: String(params['cwd']),
      additionalDirectories: (params['additionalDirectories'] ?? []) as string[],
      mcpServers: (params['mcpServers'] ?? []) as Json[],
      updatedAt: new Date().toISOString(),
      archived: false,
      updates: structuredClone(from?.updates ?? []),
      live: true,
    };
    this.#sessions.set(session.sessionId, session);
    return session;
  }

  get(id: unknown): FakeSession | undefined {
    return this.#sessions.get(String(id));
  }

  remove(session: FakeSession): void {
    this.#sessions.delete(session.sessionId);
    if (this.#folder) rmSync(this.#file(session), { force: true });
  }

  /** In order of creation. */
  all(): FakeSession[] {
    return Array.from(this.#sessions.values());
  }

  /** Stores one sent update for a replay. */
  record(session: FakeSession, update: Json): void {
    if (this.#said) appendFileSync(this.#said, `${JSON.stringify([session.sessionId, update])}\n`);
    session.updates.push(update);
    session.updatedAt = new Date().toISOString();
  }

  save(session: FakeSession): void {
    if (this.#folder && this.#sessions.has(session.sessionId))
      writeFileSync(this.#file(session), JSON.stringify(session));
  }

  #file(session: FakeSession): string {
    return join(this.#folder ?? '', `${session.sessionId}.json`);
  }
}

/** The prompts of a session's history. */
export function promptsOf(session: FakeSession): string[] {
  return session.updates
    .filter((update) => update['sessionUpdate'] === 'user_message_chunk')
    .map((update) => (update['content'] as { text: string }).text);
}
