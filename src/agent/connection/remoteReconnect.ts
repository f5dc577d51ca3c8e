import { delay } from '../../base/async';
import { errorMessage, isCancellation } from '../../base/errors';
import type { ConnectionOptions } from './agentLaunch';

/** Milliseconds before each attempt to reconnect; after the last attempt the agent counts as ended. */
const RECONNECT_DELAYS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

/** What {@link reconnectRemote} needs of the remote agent. */
interface ReconnectTarget<Line> {
  readonly stopped: AbortSignal;
  connect(): Promise<Line>;
  /** Before each attempt; counts from 1. */
  onWillAttempt(attempt: number): void;
  /** All attempts have failed. */
  onDidGiveUp(reason: string): void;
}

/**
 * Opens the lost connection to a remote agent again (I5). Undefined when the agent was stopped or all attempts have failed.
 * @param reason why the connection was lost
 */
export async function reconnectRemote<Line>(
  { definition, log, reconnectDelays = RECONNECT_DELAYS }: ConnectionOptions,
  reason: string,
  target: ReconnectTarget<Line>,
): Promise<Line | undefined> {
  let why = reason;
  for (const [index, ms] of reconnectDelays.entries()) {
    log.warn('agent', `Scheduled a reconnect to ${definition.title} in ${ms} ms: ${why}`);
    target.onWillAttempt(index + 1);
    try {
      await delay(ms, target.stopped);
      return await target.connect();
    } catch (error) {
      if (target.stopped.aborted || isCancellation(error)) return undefined;
      why = errorMessage(error);
    }
  }
  target.onDidGiveUp(why);
  return undefined;
}
