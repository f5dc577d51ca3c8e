import { RequestError } from '@agentclientprotocol/sdk';
import { writeSync } from 'node:fs';
import { rpcCodes } from '../../base/jsonRpc';

/** Ends the turn with a JSON-RPC error, as an agent with an unreachable model service. */
export function fail(): never {
  throw new RequestError(
    rpcCodes.internalError,
    'The demo agent failed because your message begins with "fail". Send another one.',
  );
}

/** Ends the process like a crash: exit code 1, a last line on stderr, no answer to the turn. */
export function crash(): never {
  // Synchronous, because the exit would discard queued output.
  writeSync(2, 'Demo agent: crashing because your message begins with "crash".\n');
  process.exit(1);
}
