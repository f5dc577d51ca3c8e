import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';

/** The bundled fake agent, relative to any bundled test in `out/test`. */
export function fakeAgentPath(from = __dirname): string {
  const path = join(from, 'fakeAgent', 'main.js');
  if (existsSync(path)) return path;
  if (dirname(from) === from) throw new Error('The fake agent is not built: run "node esbuild.mjs --tests"');
  return fakeAgentPath(dirname(from));
}

/** How to start the fake agent; `env` contains the switches of README.md. */
export function fakeAgent(env: Record<string, string> = {}): AgentDefinition {
  return {
    name: 'fake',
    title: 'Fake',
    description: 'Scriptable agent for tests',
    command: process.execPath,
    args: [fakeAgentPath()],
    // In an extension host, process.execPath is Electron.
    env: { ELECTRON_RUN_AS_NODE: '1', ...env },
  };
}
