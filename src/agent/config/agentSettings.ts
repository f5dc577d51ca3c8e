import { isAbsolute } from 'node:path';
import { isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { describeValue } from '../../base/schema';
import type { SettingProblem } from '../../base/settings';
import type { Variables } from '../../base/variableSubstitution';
import { expandHome, substituteVariables } from '../../base/variableSubstitution';
import type { AgentDefinition } from './agentDefinition';
import { readAgentTools } from './agentToolSettings';
import { urlProblem, headerProblem } from './remoteAgentSettings';

/** Reads `parley.agents`: valid entries become definitions, invalid values are reported. */

export const DEMO_AGENT = 'Demo agent';
export const DEFAULT_AGENT = 'parley.defaultAgent';

const FIELDS = new Set(['type', 'command', 'args', 'env', 'cwd', 'tools', 'mcp']);
const REMOTE_FIELDS = new Set(['type', 'url', 'headers', 'tools', 'mcp']);
const LOCAL_TYPES = new Set(['stdio', 'custom']);

/**
 * The agents of the setting, in its order. An entry with an invalid value is skipped; the others stay usable.
 * @param isTrusted in an untrusted workspace no program inside the workspace is started
 */
export function readAgents(
  value: unknown,
  variables: Variables,
  isTrusted: boolean,
  problems: SettingProblem[],
): readonly AgentDefinition[] {
  if (value === undefined) return [];
  if (!isObject(value)) {
    problems.push({ path: 'parley.agents', message: t('expected an object, got {0}', describeValue(value)) });
    return [];
  }
  return Object.entries(value).flatMap(([name, entry]) => {
    const reader = new EntryReader(`parley.agents[${JSON.stringify(name)}]`, variables, isTrusted, problems);
    const definition = reader.read(name, entry);
    return definition && reader.isValid ? [definition] : [];
  });
}

/** The built-in scripted agent, run by VS Code's own Node. */
export function demoAgent(execPath: string, script: string): AgentDefinition {
  return {
    name: DEMO_AGENT,
    title: DEMO_AGENT,
    description: t('Scripted. Requires no API key and no network.'),
    command: execPath,
    args: [script],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    origin: 'builtIn',
  };
}

/**
 * An agent that plays a file of saved traffic.
 * @param name display name and key
 */
export function replayAgent(name: string, execPath: string, script: string, file: string): AgentDefinition {
  return {
    name,
    title: name,
    description: t('Replays saved traffic. Nothing is read, written or run.'),
    command: execPath,
    args: [script, file],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    origin: 'replay',
  };
}

/**
 * The agent of a new chat: the configured one; without one the last used, else the only one apart from the demo agent.
 * Undefined when the user has to select one: nothing takes the place of an agent that the setting names. A user's agent precedes a workspace's agent of the same name. A
 * workspace's agent is never selected for being the only one.
 */
export function defaultAgent(
  agents: readonly AgentDefinition[],
  requested: string,
  lastUsed: string | undefined,
): AgentDefinition | undefined {
  if (requested !== '') return findAgent(agents, requested);
  const named = agents.find((agent) => agent.name === lastUsed);
  if (named) return named;
  const own = agents.filter(({ name, workspace }) => name !== DEMO_AGENT && !workspace);
  return own.length === 1 ? own[0] : undefined;
}

/** The agent with this name, else the workspace's agent that has this name in its settings. */
export function findAgent(agents: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  return agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.workspace?.name === name);
}

/** Whether the settings say nothing about agents, not even anything invalid, and none is installed. */
export function isNothingConfigured(
  agents: readonly AgentDefinition[],
  requested: string,
  problems: readonly SettingProblem[],
): boolean {
  return requested === '' && agents.every(({ name }) => name === DEMO_AGENT) && !problems.some(isAboutAgents);
}

/** Why the settings give no agent to a new chat, as a sentence; undefined where the user only has to select one. */
export function unusableAgentReason(
  agents: readonly AgentDefinition[],
  requested: string,
  problems: readonly SettingProblem[],
): string | undefined {
  const ofAgents = problems.filter(isAboutAgents);
  if (requested === '') {
    const [first] = agents.every(({ name }) => name === DEMO_AGENT) ? ofAgents : [];
    return first && t('No agent can be used. {0}: {1}', first.path, first.message);
  }
  if (findAgent(agents, requested)) return undefined;
  const entry = `parley.agents[${JSON.stringify(requested)}]`;
  const found =
    ofAgents.find(({ path }) => path.startsWith(entry)) ?? problems.find(({ path }) => path === DEFAULT_AGENT);
  const why = found ? `${found.path}: ${found.message}` : t('no agent has this name');
  return t('The agent “{0}” cannot be used. {1}', requested, why);
}

function isAboutAgents({ path }: SettingProblem): boolean {
  return path.startsWith('parley.agents');
}

/** Reads one entry. `isValid` becomes false at the first value that makes the entry unusable. */
class EntryReader {
  isValid = true;
  readonly #inputs = new Set<string>();

  constructor(
    private readonly path: string,
    private readonly variables: Variables,
    private readonly isTrusted: boolean,
    private readonly problems: SettingProblem[],
  ) {}

  read(name: string, entry: unknown): AgentDefinition | undefined {
    if (name.trim() === '') return this.#fail('', t('an agent needs a name'));
    if (name === DEMO_AGENT) return this.#fail('', t('this name is reserved for the built-in agent; use another name'));
    if (!isObject(entry)) return this.#fail('', t('expected an object, got {0}', describeValue(entry)));
    const { type } = entry;
    if (type === 'http' || type === 'ws') return this.#remote(name, type, entry);
    if (!this.#isLocal(entry)) return undefined;
    this.#nameUnknownFields(entry, FIELDS);
    const command = this.#command(entry['command']);
    const args = this.#args(entry['args']);
    const env = this.#env(entry['env']);
    const cwd = entry['cwd'] === undefined ? undefined : this.#cwd(entry['cwd']);
    if (command === undefined) return undefined;
    const description = [command, ...args].join(' ');
    const inputs = this.#inputs.size > 0 ? { inputs: [...this.#inputs] } : {};
    const more = { ...inputs, ...(cwd !== undefined && { cwd }), ...this.#tools(entry) };
    return { name, title: name, description, command, args, env, ...more };
  }

  #remote(name: string, type: 'http' | 'ws', entry: JsonObject): AgentDefinition | undefined {
    this.#nameUnknownFields(entry, REMOTE_FIELDS);
    const url = this.#text('.url', entry['url']);
    const problem = url === undefined ? undefined : urlProblem(type, url);
    if (problem !== undefined) this.#fail('.url', problem);
    const headers = this.#headers(entry['headers']);
    if (url === undefined) return undefined;
    const inputs = this.#inputs.size > 0 ? { inputs: [...this.#inputs] } : {};
    const remote = { type, url, headers };
    return {
      name,
      title: name,
      description: url,
      command: '',
      args: [],
      env: {},
      ...inputs,
      remote,
      ...this.#tools(entry),
    };
  }

  #tools(entry: JsonObject): Pick<AgentDefinition, 'tools'> {
    const tools = readAgentTools(entry, (field, message) => this.#warn(field, message));
    return tools ? { tools } : {};
  }

  #headers(value: unknown): Record<string, string> {
    if (value === undefined) return {};
    if (!isObject(value)) {
      this.#fail('.headers', t('expected an object of strings, got {0}', describeValue(value)));
      return {};
    }
    const headers = Object.entries(value).map(([name, given]) => {
      const field = `.headers[${JSON.stringify(name)}]`;
      const text = this.#text(field, given, this.#inputs) ?? '';
      const problem = headerProblem(name, text);
      if (problem !== undefined) this.#fail(field, problem);
      return [name, text];
    });
    return Object.fromEntries(headers) as Record<string, string>;
  }

  #isLocal(entry: JsonObject): boolean {
    const { type } = entry;
    if (type === undefined && 'url' in entry) {
      this.#fail('.type', t('expected "http" or "ws" when "url" is set'));
      return false;
    }
    if (type === undefined || (typeof type === 'string' && LOCAL_TYPES.has(type))) return true;
    this.#fail('.type', t('expected "stdio", "http", "ws" or no value, got {0}', describeValue(type)));
    return false;
  }

  #nameUnknownFields(entry: JsonObject, knownFields: ReadonlySet<string>): void {
    for (const field of Object.keys(entry).filter((key) => !knownFields.has(key))) {
      this.#warn(`.${field}`, t('unknown field, ignored by this version of Parley'));
    }
  }

  #command(value: unknown): string | undefined {
    const command = this.#text('.command', value);
    if (command === undefined) return undefined;
    if (command.trim() === '') return this.#fail('.command', t('expected a command, got an empty string'));
    if (!/[\\/]/.test(command) || isAbsolute(command)) return command;
    return this.#fail(
      '.command',
      t('expected an absolute path or a name found on PATH, got {0}', describeValue(command)),
    );
  }

  #args(value: unknown): string[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#fail('.args', t('expected a list of strings, got {0}', describeValue(value)));
      return [];
    }
    return value.map((arg, index) => this.#text(`.args[${index}]`, arg) ?? '');
  }

  #env(value: unknown): Record<string, string> {
    if (value === undefined) return {};
    if (!isObject(value)) {
      this.#fail('.env', t('expected an object of strings, got {0}', describeValue(value)));
      return {};
    }
    const variables = Object.entries(value).map(([name, text]) => {
      if (name === '' || /[=\0]/.test(name))
        this.#fail('.env', t('{0} is not a valid variable name', describeValue(name)));
      return [name, this.#text(`.env[${JSON.stringify(name)}]`, text, this.#inputs) ?? ''];
    });
    return Object.fromEntries(variables) as Record<string, string>;
  }

  #cwd(value: unknown): string | undefined {
    const cwd = this.#text('.cwd', value);
    if (cwd === undefined || isAbsolute(cwd)) return cwd;
    return this.#fail(
      '.cwd',
      t('expected an absolute path (${workspaceFolder}/… or ${userHome}/…), got {0}', describeValue(cwd)),
    );
  }

  /**
   * Collects the names of secrets in `inputs`.
   * @param inputs absent where no secret is allowed
   */
  #text(field: string, value: unknown, inputs?: Set<string>): string | undefined {
    if (typeof value !== 'string') return this.#fail(field, t('expected a string, got {0}', describeValue(value)));
    if (value.includes('\0')) return this.#fail(field, t('a NUL character is not allowed'));
    if (!this.isTrusted && field !== '.cwd' && value.includes('${workspaceFolder}')) {
      return this.#fail(field, t('uses ${workspaceFolder}; the agent cannot start until you trust this workspace'));
    }
    const resolved = substituteVariables(value, this.variables, inputs);
    if (!('value' in resolved)) return this.#fail(field, resolved.problem);
    return expandHome(resolved.value, field, this.variables);
  }

  #fail(field: string, message: string): undefined {
    this.isValid = false;
    this.#warn(field, message);
  }

  #warn(field: string, message: string): void {
    this.problems.push({ path: this.path + field, message });
  }
}
