import type { DisposableStore } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';
import { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { ConfirmAgent } from './confirmAgent';
import { ConfirmServer } from './confirmServer';
import { WorkspaceApprovals } from './workspaceApprovals';

/** Confirmations for everything that a workspace defines. */
export interface Confirmations {
  readonly approvals: WorkspaceApprovals;
  readonly agents: ConfirmAgent;
  readonly servers: ConfirmServer;
}

/** @param folder absolute default working folder of agents */
export function createConfirmations(store: DisposableStore, memory: Memento, folder: () => string): Confirmations {
  const approvals = new WorkspaceApprovals(memory);
  const documents = store.add(new ReadOnlyDocuments('parley-text'));
  return {
    approvals,
    agents: new ConfirmAgent(approvals, folder, documents),
    servers: new ConfirmServer(approvals, documents),
  };
}
