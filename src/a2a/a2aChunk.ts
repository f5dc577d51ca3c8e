/**
 * A2A without its commands and settings: a separate chunk (`dist/lib/a2a.js`) with the A2A SDK, loaded when the
 * gateway starts or an A2A agent is first needed. The chunk has its own copies of `base` modules: `instanceof` does not
 * recognize errors of the other chunk.
 */
import '../loadTranslations';

export { AgentServers, PinnedCards } from './agents/a2aAgentServers';
export { Gateway } from './gateway/a2aGateway';
export { CallTargets } from './gateway/callTargets';
