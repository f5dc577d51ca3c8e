import { t } from '../../../base/l10n';
import type { Effect, IrreversibleUse } from '../program';
import { informs } from '../program';

/** Effects that programs of several subjects have. */

export const INFRASTRUCTURE: Effect = {
  why: 'sends',
  unless: informs(String.raw`(?:fmt|validate|lint|template|build|synth)(?: |$)`),
};
export const DELETES_DATA: IrreversibleUse = {
  words: [/\b(?:drop|truncate|delete\s+from|flushall|flushdb|dropDatabase)\b/i],
  why: t('deletes data from a database'),
};
export const DELETES_REMOTE: IrreversibleUse = {
  words: [/(?:^| )(?:\S*delete\S*|\S*destroy\S*|\S*remove\S*|rm|rb|terminate-\S*|purge)(?= |$)/],
  why: t('deletes remote resources'),
};
export const ENDS_OTHERS: IrreversibleUse = { why: t('ends other programs') };
export const CHANGES_MACHINE: Effect = { why: 'changesMachine' };
export const RUNS_INPUT: IrreversibleUse = { words: [/^$/], why: t('runs the output of another command') };
export const CHANGES_OWNERS: IrreversibleUse = {
  words: [/(?:^| )(?:-[a-z]*R[a-z]*|--recursive|\/t)(?= |$)/i],
  why: t('changes permissions or ownership of everything in a folder'),
};
export const SENDS_ALWAYS: Effect = { why: 'sends', unless: informs(String.raw`(?:package|check)(?: |$)`) };
export const CHANGES_CLUSTER: IrreversibleUse = {
  words: [/(?:^| )(?:delete|uninstall|drain|replace|rollback)(?= |$)/],
  why: t('deletes or replaces cluster resources'),
};
