import type { Checkpoint } from '../../../src/review/checkpoints/checkpoint';

/** A checkpoint without files. */
export const emptyCheckpoint: Checkpoint = {
  id: 'x',
  sessionId: 's',
  ledger: 'l',
  at: 1,
  roots: [],
  copies: {},
  unsaved: {},
  leftOut: 0,
  notes: [],
};
