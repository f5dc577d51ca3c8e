import type { AgentState } from '../../agent/connection/agentLaunch';
import { isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { AgentLink } from './agentPool';

/** What an agent can do with sessions besides opening new ones. What it did not advertise it cannot do (ACP: session setup). */
export interface SessionAbilities {
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

/** Reads `agentCapabilities`. A marker is an object; some agents say `true`. */
export function readAbilities(capabilities: JsonObject): SessionAbilities {
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

const none = readAbilities({});

/** What the agent of this link can do; nothing while it does not run. */
export function abilitiesOf(link: Pick<AgentLink, 'connection'> | undefined): SessionAbilities {
  return link ? abilitiesIn(link.connection.state) : none;
}

export function abilitiesIn(state: AgentState): SessionAbilities {
  return state.status === 'ready' ? readAbilities(state.info.capabilities) : none;
}
