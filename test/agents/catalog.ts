import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { claudeAgent } from './claude';
import { clineAgent } from './cline';
import { codexAgent, codexZedAgent } from './codex';
import { copilotAgent } from './copilot';
import { geminiAgent } from './gemini';
import { opencodeAgent } from './opencode';
import { agentsFolder } from './places';
import { qwenAgent } from './qwen';

/** What a script can make the agent do (script.ts). */
export type Deed = 'read' | 'write' | 'edit' | 'shell';

/** An option of a permission request: its id and its label. */
export type NamedOption = readonly [optionId: string, name: string];

/** Agent-specific behavior that the probe (probe.ts) verifies. */
export interface Quirks {
  /** Operations that require permission. The commands of the scenarios are `touch …` and, for shellRead, `echo …`. */
  readonly asks: readonly (Deed | 'echo')[];
  /** Options of the permission request before the agent writes a file. */
  readonly options: Readonly<
    Record<'allow_once' | 'reject_once', NamedOption> & Partial<Record<'allow_always', NamedOption>>
  >;
  /** Operations that the agent performs through the client instead of directly. */
  readonly byClient: readonly ('read' | 'write')[];
  /** Stop reason of a turn whose only permission request was rejected. */
  readonly rejectEnds: 'end_turn' | 'cancelled';
  /** Whether "always" suppresses the second request of the same kind. */
  readonly remembers: boolean;
  /** Ignores MCP servers declared by the client. */
  readonly ignoresServers?: true;
  /** Requires empty text instead of an error when it reads a missing file before writing it. */
  readonly missingFileIsEmpty?: true;
  /** Whether the process exits at the end of its input. */
  readonly endsAtEof: boolean;
  /** Condition to wait for before a session of an earlier process can be opened. */
  readonly beforeReopen?: () => Promise<void>;
  /** Session methods that the probe tries. */
  readonly sessions: readonly ('list' | 'load' | 'resume' | 'fork')[];
}

/** A real agent that the tests use. */
export interface TestAgent {
  readonly name: string;
  readonly title: string;
  readonly quirks: Quirks;
  /** Installs the agent if missing. Requires the npm registry. */
  readonly install: () => Promise<void>;
  /** How to start the agent with the scripted model at `modelUrl`; all its files are stored under `home`. */
  readonly definition: (modelUrl: string, home: string) => Promise<AgentDefinition>;
}

const ALL_SESSIONS = ['list', 'load', 'resume', 'fork'] as const;

export const AGENTS: readonly TestAgent[] = [
  agent('opencode', 'opencode', opencodeAgent, {
    asks: ['write', 'edit', 'shell', 'echo'],
    options: {
      allow_once: ['once', 'Allow once'],
      allow_always: ['always', 'Always allow'],
      reject_once: ['reject', 'Reject'],
    },
    byClient: ['write'],
    rejectEnds: 'end_turn',
    remembers: true,
    endsAtEof: true,
    sessions: ALL_SESSIONS,
  }),
  agent('claude', 'Claude', claudeAgent, {
    asks: ['write', 'edit', 'shell'],
    options: {
      allow_once: ['allow-once', 'Yes'],
      allow_always: ['allow-with-updates', 'Yes, allow all edits during this session'],
      reject_once: ['reject', 'No'],
    },
    byClient: [],
    rejectEnds: 'end_turn',
    remembers: true,
    endsAtEof: true,
    sessions: ALL_SESSIONS,
  }),
  agent('codex', 'Codex', codexAgent, {
    asks: ['write', 'edit', 'shell'],
    options: {
      allow_once: ['allow_once', 'Yes, proceed'],
      allow_always: ['allow_for_session', "Yes, and don't ask again for these files"],
      reject_once: ['cancel', 'No, and tell Codex what to do differently'],
    },
    byClient: [],
    rejectEnds: 'cancelled',
    // Applies only to the file of the request.
    remembers: false,
    endsAtEof: true,
    sessions: ALL_SESSIONS,
  }),
  agent('codexzed', 'Codex (Zed)', codexZedAgent, {
    asks: ['write', 'edit', 'shell'],
    options: {
      allow_once: ['approved', 'Yes'],
      reject_once: ['abort', 'No, provide feedback'],
    },
    byClient: [],
    rejectEnds: 'cancelled',
    remembers: false,
    endsAtEof: false,
    sessions: ['list', 'load', 'resume'],
  }),
  agent('gemini', 'Gemini CLI', geminiAgent, {
    asks: ['write', 'edit', 'shell'],
    options: {
      allow_once: ['proceed_once', 'Allow'],
      allow_always: ['proceed_always', 'Allow for this session'],
      reject_once: ['cancel', 'Reject'],
    },
    byClient: ['read', 'write'],
    rejectEnds: 'end_turn',
    remembers: true,
    missingFileIsEmpty: true,
    // The session file is named by the minute, and a process started within the same minute truncates it.
    beforeReopen: nextMinute,
    endsAtEof: true,
    sessions: ['load'],
  }),
  agent('qwen', 'Qwen Code', qwenAgent, {
    asks: ['write', 'edit', 'shell'],
    options: {
      allow_once: ['proceed_once', 'Allow'],
      allow_always: ['proceed_always', 'Allow All Edits'],
      reject_once: ['cancel', 'Reject'],
    },
    byClient: ['read', 'write'],
    rejectEnds: 'end_turn',
    remembers: true,
    endsAtEof: true,
    sessions: ['list', 'load', 'resume'],
  }),
  agent('copilot', 'Copilot CLI', copilotAgent, {
    asks: ['write', 'edit', 'shell', 'echo'],
    options: {
      allow_once: ['allow_once', 'Allow once'],
      allow_always: ['allow_always', 'Always allow'],
      reject_once: ['reject_once', 'Deny'],
    },
    byClient: [],
    rejectEnds: 'end_turn',
    remembers: true,
    endsAtEof: true,
    sessions: ['list', 'load'],
  }),
  agent('cline', 'Cline', clineAgent, {
    asks: ['read', 'write', 'edit', 'shell', 'echo'],
    options: {
      allow_once: ['allow_once', 'Allow once'],
      allow_always: ['allow_always', 'Allow always'],
      reject_once: ['reject_once', 'Reject'],
    },
    byClient: [],
    rejectEnds: 'end_turn',
    remembers: false,
    ignoresServers: true,
    endsAtEof: true,
    sessions: ['load'],
  }),
];

/**
 * Returns the agent of that name.
 * @throws An error that lists the known names.
 */
export function testAgent(name: string): TestAgent {
  const found = AGENTS.find((candidate) => candidate.name === name);
  if (found === undefined)
    throw new Error(`There is no agent "${name}"; there are ${AGENTS.map((known) => known.name).join(', ')}.`);
  return found;
}

function agent(name: string, title: string, definition: TestAgent['definition'], quirks: Quirks): TestAgent {
  return { name, title, definition, quirks, install: () => install(name) };
}

async function nextMinute(): Promise<void> {
  const minute = 60_000;
  await delay(minute - (Date.now() % minute) + 1000);
}

/** Installs in a separate process, with the script that also works without a build. */
async function install(name: string): Promise<void> {
  const child = spawn('node', [join(agentsFolder(), 'install.mjs'), name], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} could not be installed: ${said.trim()}`);
}
