import type { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { runAgainOnTrust } from '../../workbench/runAgainOnTrust';
import type { WorkspaceCheckpoints } from '../checkpoints/workspaceCheckpoints';
import type { RestoreCheckpoint } from './restoreCheckpoint';

/** Offers to end what a crash has cut off, and again in a workspace that becomes trusted what could not be compared without Git. */
export function offerInterrupted(checkpoints: WorkspaceCheckpoints, restore: Lazy<RestoreCheckpoint>): Disposable {
  let unread: ReadonlySet<string> | undefined;
  return runAgainOnTrust(async () => {
    const found = await checkpoints.endInterrupted();
    const offered = found.filter(({ undoId }) => unread?.has(undoId) ?? true);
    unread = new Set(found.flatMap((change) => (change.unread === undefined ? [] : change.undoId)));
    // Not awaited: the user may never answer.
    if (offered.length > 0) void (await restore.load()).showInterrupted(offered);
  });
}
