/**
 * The A2A SDK: a chunk of its own (`dist/lib/a2a.js`), read when the gateway is started or an A2A agent is first needed.
 * Only libraries belong here: code of ours in two chunks would be two copies.
 */
export {
  AgentCard,
  A2A_VERSION_HEADER,
  AGENT_CARD_PATH,
  Extensions,
  Role,
  TaskState,
  canonicalizeAgentCard,
  formatSSEEvent,
  parseSseStream,
} from '@a2a-js/sdk';
export {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
export { RequestMalformedError } from '@a2a-js/sdk/errors';
export {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server';
