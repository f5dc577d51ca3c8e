import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { asArray, asNumber, asString, isObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Memento } from '../../base/memento';
import type { AgentDefinition } from '../config/agentDefinition';
import type { DetectedAgent } from './findOnPath';

/**
 * An agent that the user added by "Install Agent…" or from those found on PATH. It stays as confirmed until it is
 * updated.
 */
export interface InstalledAgent {
  /** Id of the agent in the registry. */
  readonly id: string;
  readonly title: string;
  readonly from: 'registry' | 'path';
  /** From the registry's entry. */
  readonly version?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** SHA-256 of the downloaded file, in lower-case hex. */
  readonly sha256?: string;
  /** Time of installation, in milliseconds since 1970. */
  readonly at: number;
}

const KEY = 'parley.installedAgents';

/** The list of installed agents in the extension's storage; user settings stay unchanged. */
export class InstalledAgents {
  constructor(private readonly memory: Memento) {}

  /** Sorted by title. Entries of another Parley version that cannot be read are skipped, but stay stored. */
  all(): readonly InstalledAgent[] {
    return asArray(this.memory.get(KEY))
      .flatMap((entry) => readInstalledAgent(entry) ?? [])
      .toSorted((a, b) => a.title.localeCompare(b.title));
  }

  find(id: string): InstalledAgent | undefined {
    return this.all().find((agent) => agent.id === id);
  }

  async save(agent: InstalledAgent): Promise<void> {
    await this.memory.update(KEY, [...this.#without(agent.id), agent]);
  }

  async remove(id: string): Promise<void> {
    await this.memory.update(KEY, this.#without(id));
  }

  #without(id: string): readonly unknown[] {
    return asArray(this.memory.get(KEY)).filter((entry) => !isObject(entry) || entry['id'] !== id);
  }
}

export function toDefinition(agent: InstalledAgent): AgentDefinition {
  const { id, title, from, version, command, args, env } = agent;
  const description =
    from === 'registry' ? t('{0} from the ACP Registry', version ?? '').trim() : [command, ...args].join(' ');
  return { name: id, title, description, command, args, env, origin: from };
}

/** Agents found on this machine that are not in the list, or whose listed program no longer exists. */
export function withoutInstalled(
  found: readonly DetectedAgent[],
  installed: readonly InstalledAgent[],
): readonly DetectedAgent[] {
  const usable = installed.filter(({ command }) => !isAbsolute(command) || existsSync(command));
  return found.filter(({ id }) => !usable.some((agent) => agent.id === id));
}

function readInstalledAgent(entry: unknown): InstalledAgent | undefined {
  if (!isObject(entry)) return undefined;
  const { id, title, from, command, args, env } = entry;
  // The id is also the name of a folder that will be removed.
  if (typeof id !== 'string' || !/^[a-z][a-z0-9-]*$/.test(id)) return undefined;
  if (typeof title !== 'string' || typeof command !== 'string') return undefined;
  if (from !== 'registry' && from !== 'path') return undefined;
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) return undefined;
  if (!isObject(env) || !Object.values(env).every((value) => typeof value === 'string')) return undefined;
  const more = omitUndefined({ version: asString(entry['version']), sha256: asString(entry['sha256']) });
  return { id, title, from, command, args, env: env as InstalledAgent['env'], at: asNumber(entry['at']) ?? 0, ...more };
}
