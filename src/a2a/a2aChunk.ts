/**
 * All of A2A but its commands and settings: a chunk of its own (`dist/lib/a2a.js`) with the A2A SDK in it, read when the gateway is
 * started or an A2A agent is first needed. It has copies of what it uses of `base`: nothing may rely on the class of an error that
 * crosses over.
 */
import '../loadTranslations';

export { AgentServers } from './agents/a2aAgentServers';
export { Gateway } from './gateway/a2aGateway';
