import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { omitUndefined } from '../../base/json';
import type { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Memento } from '../../base/memento';
import type { Env } from '../../node/process/processEnvironment';
import type { AgentDefinition } from '../config/agentDefinition';
import type { AgentRegistry, RegistrySnapshot } from './agentRegistry';
import type { ArchiveLimits } from './archive/archiveLimits';
import type { DistributionChoice } from './distribution';
import { platformName } from './distribution';
import type { DetectedAgent } from './findOnPath';
import { detectAgents, findOnPath, knownFoldersEnvironment, searchEnvironment } from './findOnPath';
import type { InstalledAgent } from './installedAgents';
import { InstalledAgents, withoutInstalled, toDefinition } from './installedAgents';
import type { InstallPlan } from './installPlan';
import { restoreReplaced } from './interruptedInstall';
import { checkNodeVersion } from './nodeVersionCheck';
import type { RegistryAgent } from './registryAgent';
import type { RegistryItem } from './registryListing';
import type { DownloadOptions } from './verifiedDownload';

/** The computer for which agents are installed; this one by default. */
export interface InstallTarget {
  /** Like `process.platform` and `process.arch`. */
  readonly platform?: readonly [system: string, machine: string];
  /** The environment in which programs are searched. */
  environment?(): Promise<Env>;
  readonly limits?: ArchiveLimits;
}

/** The content of "Install Agent…". */
export interface RegistryListing {
  readonly offers: readonly RegistryItem[];
  readonly view: RegistrySnapshot;
}

/** Agents that the user added: from the registry, or found on this machine. */
export class AgentInstalls implements Disposable {
  readonly #installed: InstalledAgents;
  readonly #onDidChange = new Emitter<void>();
  #found: readonly DetectedAgent[] = [];
  /** The list as of the last event. */
  #reported: string;

  /** Something was installed, updated, removed or found. */
  readonly onDidChange: Event<void> = this.#onDidChange.event;

  /**
   * @param memory the extension's storage, which all windows share
   * @param folder absolute; binaries are unpacked here
   */
  constructor(
    private readonly registry: Lazy<AgentRegistry>,
    memory: Memento,
    private readonly folder: string,
    private readonly log: Logger,
    private readonly target: InstallTarget = {},
  ) {
    this.#installed = new InstalledAgents(memory);
    for (const { id, version } of this.listInstalled())
      if (version !== undefined) restoreReplaced(this.#home(id), version);
    this.#reported = JSON.stringify(this.listInstalled());
  }

  /** Fires when another window has changed the list: the storage itself has no event. */
  recheck(): void {
    if (JSON.stringify(this.listInstalled()) !== this.#reported) this.#fire();
  }

  listInstalled(): readonly InstalledAgent[] {
    return this.#installed.all();
  }

  definitions(): readonly AgentDefinition[] {
    return this.listInstalled().map(toDefinition);
  }

  /** Agents found by {@link detect} that the user has not added. */
  found(): readonly DetectedAgent[] {
    return withoutInstalled(this.#found, this.listInstalled());
  }

  /**
   * Searches PATH for agents, without running them.
   * @param isRequested whether the user requested this: then the login shell may be run for its PATH, as before the start of
   * an agent
   */
  async detect(isRequested = false): Promise<void> {
    const found = detectAgents(
      isRequested || this.target.environment ? await this.#environment() : knownFoldersEnvironment(),
    );
    if (JSON.stringify(found) === JSON.stringify(this.#found)) return;
    this.#found = found;
    this.#fire();
  }

  /**
   * The agents of the registry with their possible actions.
   * @throws ParleyError when they cannot be loaded
   */
  async listing(signal?: AbortSignal): Promise<RegistryListing> {
    const registry = await this.registry.load();
    const { listRegistryItems } = await import('./registryListing');
    const [view, has] = await Promise.all([registry.load(signal), this.#runners()]);
    return { view, offers: listRegistryItems(view.agents, this.listInstalled(), this.#platform, has) };
  }

  /** @throws ParleyError with the reason when the agent cannot be installed here */
  async plan(agent: RegistryAgent, choice: DistributionChoice): Promise<InstallPlan> {
    const { planInstall } = await import('./installPlan');
    return planInstall(agent, choice, join(this.#home(agent.id), agent.version), await this.#runners());
  }

  /**
   * Executes a plan that the user confirmed. Does not run the agent.
   * @throws ParleyError, CanceledError
   */
  async install({ agent, choice, launch }: InstallPlan, options: DownloadOptions = {}): Promise<InstalledAgent> {
    const { log } = this;
    const { limits } = this.target;
    let sha256: string | undefined;
    if (choice.kind === 'binary') {
      const previous = this.#installed.find(agent.id)?.version;
      const target = { ...options, home: this.#home(agent.id), version: agent.version, log };
      const { installBinary } = await import('./installBinary');
      sha256 = await installBinary(choice.from, { ...target, ...omitUndefined({ previous, limits }) });
    }
    const { id, name: title, version } = agent;
    const installed: InstalledAgent = {
      id,
      title,
      from: 'registry',
      version,
      ...launch,
      at: Date.now(),
      ...omitUndefined({ sha256 }),
    };
    await this.#installed.save(installed);
    log.info('agent', `Installed ${title} ${version}: ${launch.command}`);
    this.#fire();
    return installed;
  }

  /** A problem of this machine's Node version for an agent just installed; runs `node --version`. */
  async warning({ command, args }: InstalledAgent): Promise<string | undefined> {
    return command === 'npx' ? checkNodeVersion(command, args, await this.#environment()) : undefined;
  }

  /** Adds an agent found on this machine; the user has confirmed it. */
  async add({ id, title, path, args }: DetectedAgent): Promise<InstalledAgent> {
    const installed: InstalledAgent = { id, title, from: 'path', command: path, args, env: {}, at: Date.now() };
    await this.#installed.save(installed);
    this.#fire();
    return installed;
  }

  /** Removes the agent from the list, and its unpacked files. A package stays in the cache of npx or uvx. */
  async remove(id: string): Promise<void> {
    await this.#installed.remove(id);
    this.#fire();
    await rm(this.#home(id), { recursive: true, force: true });
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #fire(): void {
    this.#reported = JSON.stringify(this.listInstalled());
    this.#onDidChange.fire();
  }

  /** @param id checked by the parser: contains no separators */
  #home(id: string): string {
    return join(this.folder, id);
  }

  get #platform(): string | undefined {
    const [system, machine] = this.target.platform ?? [process.platform, process.arch];
    return platformName(system, machine);
  }

  #environment(): Promise<Env> {
    return this.target.environment?.() ?? searchEnvironment(this.log);
  }

  async #runners(): Promise<(program: 'npx' | 'uvx') => boolean> {
    const env = await this.#environment();
    return (program) => findOnPath(program, env) !== undefined;
  }
}
