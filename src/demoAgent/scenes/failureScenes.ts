import { RequestError } from '@agentclientprotocol/sdk';
import { writeSync } from 'node:fs';
import { rpcCodes } from '../../base/jsonRpc';

/** Ends the turn with a JSON-RPC error, as an agent does whose model server cannot be reached. */
export function fail(): never {
  throw new RequestError(
    rpcCodes.internalError,
    'The demo agent failed because your message contains the word "fail". Leave the word out and send it again.',
  );
}

/** Ends the process as a crash would: exit code 1, a last line on stderr, the turn without an answer. */
export function crash(): never {
  // Written at once: what is only queued is lost by the exit.
  writeSync(2, 'Demo agent: crashing because your message contains the word "crash".\n');
  process.exit(1);
}
