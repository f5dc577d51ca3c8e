import { systemClock } from '../../../src/base/clock';
import { StoreClock } from '../../../src/node/fs/storeClock';
import { CheckpointData } from '../../../src/review/checkpoints/checkpointData';
import type { CheckpointOwner } from '../../../src/review/checkpoints/checkpointOwner';
import type { CheckpointStore } from '../../../src/review/checkpoints/checkpointStore';
import type { WorkspaceSnapshots } from '../../../src/review/git/workspaceSnapshots';
import type { BlobStore } from '../../../src/review/storage/blobStore';
import type { ReviewScopes } from '../../../src/review/tracking/reviewScope';

export function checkpointData(
  store: CheckpointStore,
  blobs: BlobStore,
  snapshots: WorkspaceSnapshots,
  now = Date.now,
): CheckpointData {
  return new CheckpointData(store, blobs, snapshots, new StoreClock(undefined, { ...systemClock, now }));
}

/** A review without agents and other windows, in which no checkpoint is too old or too large. */
export function checkpointOwner(scopes: ReviewScopes, others: Partial<CheckpointOwner> = {}): CheckpointOwner {
  return {
    scopes,
    busyReason: () => undefined,
    settle: async () => undefined,
    recordRestore: async () => undefined,
    recordUndo: async () => undefined,
    recordLeft: async () => undefined,
    checkpointLimits: () => ({ maxAgeDays: 30, maxSizeMB: 1024 }),
    isOpen: () => false,
    storedReview: async () => '',
    reportPostponed: () => undefined,
    ...others,
  };
}
