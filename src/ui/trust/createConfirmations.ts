import type { DisposableStore } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';
import { Approvals } from './workspaceApprovals';
import { ConfirmAgent } from './confirmAgent';
import { ConfirmServer } from './confirmServer';
import { ReadOnlyDocuments } from '../../workbench/readOnlyDocuments';

/** What stands before everything that a workspace defines. */
export interface Confirm {
  readonly approvals: Approvals;
  readonly agents: ConfirmAgent;
  readonly servers: ConfirmServer;
}

/** @param folder where agents without a folder of their own run: absolute */
export function mountConfirm(store: DisposableStore, memory: Memento, folder: () => string): Confirm {
  const approvals = new Approvals(memory);
  const documents = store.add(new ReadOnlyDocuments());
  return {
    approvals,
    agents: new ConfirmAgent({ approvals, documents, folder }),
    servers: new ConfirmServer({ approvals, documents }),
  };
}
