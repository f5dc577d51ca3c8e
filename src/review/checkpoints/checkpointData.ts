import type { StoreClock } from '../../node/fs/storeClock';
import type { WorkspaceSnapshots } from '../git/workspaceSnapshots';
import type { BlobStore } from '../storage/blobStore';
import type { CheckpointStore } from './checkpointStore';

/** What checkpoints consist of: their list, the contents of files, and git trees. */
export class CheckpointData {
  /** @param clock by which checkpoints age */
  constructor(
    readonly store: CheckpointStore,
    readonly blobs: BlobStore,
    readonly snapshots: WorkspaceSnapshots,
    readonly clock: StoreClock,
  ) {}

  /** The folders of all checkpoints with a tree. */
  folders(): ReadonlySet<string> {
    return new Set(this.store.all().flatMap((each) => each.roots.map(({ folder }) => folder)));
  }

  /** Bytes on disk. */
  async size(): Promise<number> {
    const sizes = await Promise.all(
      [...this.folders()].map((folder) => this.snapshots.shadowRepository(folder).size()),
    );
    return sizes.reduce((sum, size) => sum + size, await this.blobs.size());
  }
}
