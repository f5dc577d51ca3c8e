import type { AgentConnection } from '../../agent/connection/agentConnection';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentSession } from '../../shared/state/sessionState';

/** Only what the agent advertised (https://agentclientprotocol.com/protocol/session-setup). */
export interface SessionCapabilities {
  readonly load: boolean;
  readonly resume: boolean;
  readonly list: boolean;
  readonly close: boolean;
  readonly delete: boolean;
  readonly fork: boolean;
  readonly archive: boolean;
  readonly title: boolean;
  readonly status: boolean;
  readonly additionalDirectories: boolean;
  /** Takes instructions for a session in addition to its own. */
  readonly systemPrompt: boolean;
  /** `agentInfo.name` of a running agent. */
  readonly program?: string;
}

/** Parses `agentCapabilities`. A marker is an object; some agents send `true`. */
function readCapabilities(capabilities: JsonObject): SessionCapabilities {
  const session = isObject(capabilities['sessionCapabilities']) ? capabilities['sessionCapabilities'] : {};
  const has = (name: string): boolean => isObject(session[name]) || session[name] === true;
  return {
    load: capabilities['loadSession'] === true,
    resume: has('resume'),
    list: has('list'),
    close: has('close'),
    delete: has('delete'),
    fork: has('fork'),
    archive: has('archive'),
    title: has('title'),
    status: has('status'),
    additionalDirectories: has('additionalDirectories'),
    systemPrompt: has('systemPrompt'),
  };
}

const none = readCapabilities({});

/** The members of `SharedAgent` that capabilities need. */
type Link = { readonly connection: AgentConnection } | undefined;

/** Nothing while the agent does not run. */
export function capabilitiesOf(link: Link): SessionCapabilities {
  return link ? capabilitiesIn(link.connection.state) : none;
}

function capabilitiesIn(state: AgentState): SessionCapabilities {
  if (state.status !== 'ready') return none;
  const { capabilities, agentInfo } = state.info;
  return { ...readCapabilities(capabilities), ...(agentInfo && { program: agentInfo.name }) };
}

/** Remembers what the session can do while the agent does not run: a fork must be resumed first. */
export function withCapabilities({ canFork: _canFork, ...session }: AgentSession, link: Link): AgentSession {
  const { fork, load, resume, program } = capabilitiesOf(link);
  return { ...session, ...(fork && (load || resume) && { canFork: true }), ...(program !== undefined && { program }) };
}
