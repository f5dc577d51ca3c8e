import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { asArray, asNumber, asString, isObject, omitUndefined } from '../../base/json';
import type { Memento } from '../../base/memento';
import { t } from '../../base/l10n';
import type { AgentDefinition } from '../config/agentDefinition';
import type { DetectedAgent } from './findOnPath';

/** An agent that the user added by "Install Agent…" or from those found on PATH. It stays as it was confirmed until it is updated. */
export interface InstalledAgent {
  /** As in the registry. */
  readonly id: string;
  readonly title: string;
  readonly from: 'registry' | 'path';
  /** Of the registry's entry. */
  readonly version?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Of the downloaded file, lower-case hex. */
  readonly sha256?: string;
  /** When it was installed, in milliseconds since 1970. */
  readonly at: number;
}

const KEY = 'parley.installedAgents';

/** The list of installed agents in the extension's storage; the settings of the user are not touched. */
export class InstalledAgents {
  readonly #memory: Memento;

  constructor(memory: Memento) {
    this.#memory = memory;
  }

  /** Sorted by title. What another version of Parley wrote and this one does not understand is left out, and kept. */
  all(): readonly InstalledAgent[] {
    return asArray(this.#memory.get(KEY))
      .flatMap((entry) => read(entry) ?? [])
      .toSorted((a, b) => a.title.localeCompare(b.title));
  }

  find(id: string): InstalledAgent | undefined {
    return this.all().find((agent) => agent.id === id);
  }

  async put(agent: InstalledAgent): Promise<void> {
    await this.#memory.update(KEY, [...this.#without(agent.id), agent]);
  }

  async remove(id: string): Promise<void> {
    await this.#memory.update(KEY, this.#without(id));
  }

  #without(id: string): readonly unknown[] {
    return asArray(this.#memory.get(KEY)).filter((entry) => !isObject(entry) || entry['id'] !== id);
  }
}

/** How to start it. */
export function toDefinition(agent: InstalledAgent): AgentDefinition {
  const { id, title, from, version, command, args, env } = agent;
  const description =
    from === 'registry' ? t('{0} from the ACP Registry', version ?? '').trim() : [command, ...args].join(' ');
  return { name: id, title, description, command, args, env, origin: from };
}

/** Found on this machine and not in the list yet, or in it with a program that is gone. */
export function notYetInstalled(
  found: readonly DetectedAgent[],
  installed: readonly InstalledAgent[],
): readonly DetectedAgent[] {
  const usable = installed.filter(({ command }) => !isAbsolute(command) || existsSync(command));
  return found.filter(({ id }) => !usable.some((agent) => agent.id === id));
}

function read(entry: unknown): InstalledAgent | undefined {
  if (!isObject(entry)) return undefined;
  const { id, title, from, command, args, env } = entry;
  // The id is also the name of a folder that is removed.
  if (typeof id !== 'string' || !/^[a-z][a-z0-9-]*$/.test(id)) return undefined;
  if (typeof title !== 'string' || typeof command !== 'string') return undefined;
  if (from !== 'registry' && from !== 'path') return undefined;
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) return undefined;
  if (!isObject(env) || !Object.values(env).every((value) => typeof value === 'string')) return undefined;
  const more = omitUndefined({ version: asString(entry['version']), sha256: asString(entry['sha256']) });
  return { id, title, from, command, args, env: env as InstalledAgent['env'], at: asNumber(entry['at']) ?? 0, ...more };
}
