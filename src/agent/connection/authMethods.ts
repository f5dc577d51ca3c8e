import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { ClientFeature } from '../clientFeature';
import type { AgentDefinition } from '../config/agentDefinition';

/** A sign-in command that needs a terminal with user input. */
export interface TerminalLaunch {
  /** The agent's key in `parley.agents`. */
  readonly agent: string;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd?: string;
}

/** A sign-in method of the agent. */
export type AuthMethod = { readonly id: string; readonly name: string; readonly description?: string } & (
  | { readonly type: 'agent' }
  | { readonly type: 'terminal'; readonly launch: TerminalLaunch }
  /** A type unknown to this client: shown, never tried (ACP: authentication). */
  | { readonly type: 'unsupported'; readonly wireType: string }
);

/** Advertises sign-in in a terminal; the second marker is the older form, which agents still read. */
export function terminalAuthFeature(): ClientFeature {
  return { capabilities: { auth: { terminal: true }, _meta: { 'terminal-auth': true } }, handlers: [] };
}

/** Each is a button. */
const MAX_METHODS = 100;

/**
 * The `authMethods` of an agent. Methods without an id of their own are skipped: no request could name them. Of several
 * with one id, the first usable one counts.
 * @param canUseTerminal false where no terminal is available: methods that need one become unsupported
 */
export function readAuthMethods(
  methods: readonly JsonObject[],
  definition: AgentDefinition,
  canUseTerminal = true,
): readonly AuthMethod[] {
  const read = new Map<string, AuthMethod>();
  for (const method of methods) {
    const id = asString(method['id']);
    if (id === undefined || read.size >= MAX_METHODS) continue;
    const earlier = read.get(id);
    if (earlier && earlier.type !== 'unsupported') continue;
    const name = asString(method['name'])?.trim() || id;
    const description = asString(method['description'])?.trim() || undefined;
    const kind = kindOf(method, name, definition);
    const isUnsupported = kind.type === 'terminal' && !canUseTerminal;
    const usable: Kind = isUnsupported ? { type: 'unsupported', wireType: 'terminal' } : kind;
    if (!earlier || usable.type !== 'unsupported')
      read.set(id, { id, name, ...omitUndefined({ description }), ...usable });
  }
  return [...read.values()];
}

type Kind =
  | { type: 'agent' }
  | { type: 'terminal'; launch: TerminalLaunch }
  | { type: 'unsupported'; wireType: string };

function kindOf(method: JsonObject, name: string, definition: AgentDefinition): Kind {
  const meta = asObject(method['_meta']) ?? {};
  const older = asObject(meta['terminal-auth']);
  const command = asString(older?.['command']);
  if (older && command) return { type: 'terminal', launch: olderLaunch(definition, older, command, name) };
  const type = asString(method['type']) ?? (meta['type'] === 'terminal' ? 'terminal' : 'agent');
  if (type === 'agent') return { type };
  if (type !== 'terminal') return { type: 'unsupported', wireType: type };
  return { type, launch: sameCommand(definition, 'type' in method ? method : meta, name) };
}

/** The agent's own command plus the method's arguments and variables (ACP: authentication, terminal). */
function sameCommand(definition: AgentDefinition, method: JsonObject, name: string): TerminalLaunch {
  return {
    agent: definition.name,
    title: `${definition.title}: ${name}`,
    command: definition.command,
    args: [...definition.args, ...readStrings(method['args'])],
    env: { ...definition.env, ...readVariables(method['env']) },
    ...omitUndefined({ cwd: definition.cwd }),
  };
}

function olderLaunch(definition: AgentDefinition, meta: JsonObject, command: string, name: string): TerminalLaunch {
  const title = asString(meta['label']) ?? name;
  const args = readStrings(meta['args']);
  return { agent: definition.name, title, command, args, env: readVariables(meta['env']) };
}

function readStrings(value: unknown): string[] {
  return asArray(value).filter((item) => typeof item === 'string');
}

function readVariables(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => asString(pair[1]) !== undefined),
  );
}

/** The account name, from `auth/status` or the older notification of some agents. Shown to the user, never logged. */
export function accountName(status: unknown): string | undefined {
  const fields = asObject(status);
  const accounts = asArray(fields?.['accounts']).filter(isObject);
  const account = accounts.find(({ active }) => active === true) ?? accounts[0] ?? asObject(fields?.['authStatus']);
  return asString(account?.['label']);
}
