import type { AgentConnection } from '../../agent/connection/agentConnection';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';

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
}

/** Parses `agentCapabilities`. A marker is an object; some agents send `true`. */
export function readCapabilities(capabilities: JsonObject): SessionCapabilities {
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
  };
}

const none = readCapabilities({});

/** Nothing while the agent does not run. */
export function capabilitiesOf(
  link: { readonly connection: Pick<AgentConnection, 'state'> } | undefined,
): SessionCapabilities {
  return link ? capabilitiesIn(link.connection.state) : none;
}

export function capabilitiesIn(state: AgentState): SessionCapabilities {
  return state.status === 'ready' ? readCapabilities(state.info.capabilities) : none;
}
