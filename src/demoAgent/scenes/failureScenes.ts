import { writeSync } from 'node:fs';
import { RequestError } from '@agentclientprotocol/sdk/unstable';
import { rpcCodes } from '../../base/jsonRpc';
import type { DemoTurn } from '../demoTurn';

/** Ends the turn with a JSON-RPC error, as an agent with an unreachable model service. */
export function fail(): never {
  throw new RequestError(
    rpcCodes.internalError,
    'The demo agent failed because your message begins with "fail". Send another one.',
  );
}

/** Seconds until a used-up limit is reset. */
const LIMIT_SECONDS = 60;

/** Reports a usage limit that is used up, in the form of Claude's adapter, and ends the turn with its error. */
export async function limit(turn: DemoTurn): Promise<void> {
  const { session } = turn;
  const now = Math.floor(Date.now() / 1000);
  if (session.limitResetsAt !== undefined && session.limitResetsAt <= now) {
    session.limitResetsAt = undefined;
    await turn.usage({ status: 'allowed', rateLimitType: 'five_hour', utilization: 0 });
    return turn.streamMessage('The limit has been reset. This was only a demo of a limit.');
  }
  session.limitResetsAt ??= now + LIMIT_SECONDS;
  const resetsAt = session.limitResetsAt;
  await turn.usage({ status: 'rejected', rateLimitType: 'five_hour', utilization: 1, resetsAt });
  throw new RequestError(rpcCodes.internalError, 'The usage limit of the demo agent is used up for a minute.', {
    errorKind: 'rate_limit',
  });
}

/** Ends the process like a crash: exit code 1, a last line on stderr, no answer to the turn. */
export function crash(): never {
  // Synchronous, because the exit would discard queued output.
  writeSync(2, 'Demo agent: crashing because your message begins with "crash".\n');
  process.exit(1);
}
