/** The parts of the A2A SDK in use. */
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
