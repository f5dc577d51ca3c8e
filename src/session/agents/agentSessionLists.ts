import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorMessage, ParleyError } from '../../base/errors';
import { Emitter } from '../../base/event';
import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Memento } from '../../base/memento';
import { foldCase } from '../../base/pathText';
import type { AgentRef } from '../../shared/state/sessionState';
import type { SessionHandle } from '../sessionHandle';
import type { AgentPool } from './agentPool';
import { capabilitiesOf } from './sessionCapabilities';
import type { SharedAgent } from './sharedAgent';
import type { ListedSession, SessionLists } from './storedSessionLists';
import { readLists, storeLists } from './storedSessionLists';

type Change = (list: readonly ListedSession[]) => readonly ListedSession[];

/** Maximum pages of a list: an agent could send pages endlessly. */
const MAX_PAGES = 100;

/** The agents' session lists (ACP: `session/list`); the last response stays until the next, also in later windows. */
export class AgentSessionLists implements Disposable {
  readonly #lists: SessionLists;
  readonly #running = new Map<SharedAgent, Promise<void>>();
  /** Changes since the request was sent, which its response may not reflect yet. */
  readonly #since = new Map<SharedAgent, Change[]>();
  readonly #onDidChange = new Emitter<void>();

  readonly onDidChange = this.#onDidChange.event;

  /** @param memory keeps the lists for windows in which the agents do not run */
  constructor(
    private readonly agents: AgentPool,
    private readonly log: Logger,
    private readonly memory?: Memento,
  ) {
    this.#lists = readLists(memory);
  }

  all(): readonly ListedSession[] {
    // Stored lists may be of agents that are not configured any more.
    const isKnown = (name: string): boolean =>
      this.agents.definition(name) !== undefined || this.agents.get(name) !== undefined;
    return Array.from(this.#lists).flatMap(([name, list]) => (list && isKnown(name) ? list : []));
  }

  /** The agents that do not run and may have more sessions. */
  listNotRunning(): readonly AgentRef[] {
    return this.agents
      .names()
      .filter((name) => !this.agents.get(name)?.isAlive && this.#mayList(name))
      .map((name) => this.agents.refOf(name));
  }

  /**
   * Starts an agent and lists its sessions.
   * @throws ParleyError or RpcError when it does not start, lists no sessions or requires sign-in
   */
  async start(agentName: string, where: SessionHandle): Promise<void> {
    await this.agents.ready();
    const link = this.agents.acquire(agentName);
    await link.connection.start();
    await this.#load(link, where);
    if (!this.#mayList(agentName))
      throw new ParleyError('notFound', t('{0} does not list its sessions', link.definition.title));
  }

  /** Lists the sessions of the workspace folders again where supported. Never rejects. */
  async refresh(link: SharedAgent, where: SessionHandle): Promise<void> {
    try {
      await this.#load(link, where);
    } catch (error) {
      this.log.info('session', `Failed to list the sessions of ${link.definition.title}: ${errorMessage(error)}`);
    }
  }

  /** Concurrent calls share one request. */
  async #load(link: SharedAgent, { cwd, folders }: SessionHandle): Promise<void> {
    if (!capabilitiesOf(link).list) {
      if (link.connection.state.status === 'ready') this.#set(link.definition.name, undefined);
      return;
    }
    const running = this.#running.get(link) ?? this.#refresh(link, folders.length > 0 ? folders : [cwd]);
    this.#running.set(link, running);
    await running;
  }

  drop(agentName: string, agentSessionId: string): void {
    this.#change(agentName, (list) => list.filter(({ id }) => id !== agentSessionId));
  }

  /** Applies a change that the agent has confirmed. */
  patch(agentName: string, agentSessionId: string, patch: Partial<Pick<ListedSession, 'title' | 'archived'>>): void {
    this.#change(agentName, (list) =>
      list.map((one) => (one.id === agentSessionId ? Object.assign({}, one, patch) : one)),
    );
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #change(agentName: string, change: Change): void {
    for (const [link, since] of this.#since) if (link.definition.name === agentName) since.push(change);
    this.#set(agentName, change(this.#lists.get(agentName) ?? []));
  }

  /** False if the agent is known not to support `session/list`. */
  #mayList(agentName: string): boolean {
    return !this.#lists.has(agentName) || this.#lists.get(agentName) !== undefined;
  }

  #set(agentName: string, list: readonly ListedSession[] | undefined): void {
    if (list === undefined && !this.#mayList(agentName)) return;
    this.#lists.set(agentName, list);
    storeLists(this.memory, this.#lists);
    this.#onDidChange.fire();
  }

  async #refresh(link: SharedAgent, folders: readonly string[]): Promise<void> {
    const { name } = link.definition;
    const since: Change[] = [];
    this.#since.set(link, since);
    try {
      const listed = await sessionsIn(link, folders);
      this.#set(
        name,
        since.reduce((list, change) => change(list), listed),
      );
    } finally {
      this.#running.delete(link);
      this.#since.delete(link);
    }
  }
}

/** The sessions of all folders, each once. One list after the other: an agent may keep a single cursor. */
async function sessionsIn(link: SharedAgent, folders: readonly string[]): Promise<readonly ListedSession[]> {
  const names = await Promise.all(folders.map(folderNames));
  const found = new Map<string, ListedSession>();
  for (const cwd of folders) for (const session of await pages(link, cwd, names)) found.set(session.id, session);
  return [...found.values()];
}

/** All pages. Cursors are passed back unchanged; a repeated one ends the list. */
async function pages(link: SharedAgent, cwd: string, folders: readonly FolderNames[]): Promise<ListedSession[]> {
  const found = new Map<string, ListedSession>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  const archived = capabilitiesOf(link).archive ? { archived: 'include' } : {};
  do {
    const params = { cwd, ...archived, ...(cursor !== undefined && { cursor }) };
    // Each page needs the cursor of the previous one.
    const page = asObject(await link.connection.request('session/list', params));
    for (const value of asArray(page?.['sessions'])) {
      const session = toListed(link.definition.name, value, cwd, folders);
      if (session) found.set(session.id, session);
    }
    if (cursor !== undefined) seen.add(cursor);
    cursor = asString(page?.['nextCursor']);
  } while (cursor !== undefined && !seen.has(cursor) && seen.size < MAX_PAGES);
  return Array.from(found.values());
}

/** Our name of a folder, and those that an agent may report: as requested, or with links resolved. */
interface FolderNames {
  readonly cwd: string;
  readonly names: ReadonlySet<string>;
}

/** Reported paths are only compared as strings: they may be on hanging mounts or other computers. */
async function folderNames(cwd: string): Promise<FolderNames> {
  const real = await realpath(cwd).catch(() => cwd);
  return { cwd, names: new Set([cwd, real].map((folder) => resolve(folder))) };
}

/** Our name of a reported folder; undefined outside these folders, since some agents list the sessions of all. */
function ownName(reported: string, folders: readonly FolderNames[]): string | undefined {
  const plain = resolve(reported);
  for (const { cwd, names } of folders) {
    for (const name of names) {
      if (comparable(name) === comparable(plain)) return cwd;
      if (comparable(plain).startsWith(comparable(join(name, sep)))) return join(cwd, relative(name, plain));
    }
  }
  return undefined;
}

function comparable(folder: string): string {
  return process.platform === 'linux' ? folder : foldCase(folder);
}

function toListed(
  agentName: string,
  value: unknown,
  requested: string,
  folders: readonly FolderNames[],
): ListedSession | undefined {
  if (!isObject(value)) return undefined;
  const id = asString(value['sessionId']);
  const reported = asString(value['cwd']) ?? requested;
  const cwd = isAbsolute(reported) ? ownName(reported, folders) : undefined;
  if (id === undefined || cwd === undefined) return undefined;
  const at = Date.parse(asString(value['updatedAt']) ?? '');
  const updatedAt = Number.isNaN(at) ? undefined : at;
  const title = asString(value['title']);
  return { agentName, id, cwd, archived: value['archived'] === true, ...omitUndefined({ title, updatedAt }) };
}
