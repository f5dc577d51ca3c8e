import { commandTargets } from './commandTargets';
import { hostTargets } from './hostTargets';
import { subjectTarget } from './subjectTarget';
import type { Target } from './target';
import { wireTargets } from './wireTargets';

/** Targets that need neither a process nor a browser. */
export const pureTargets: readonly Target[] = [...wireTargets, ...hostTargets, ...commandTargets, subjectTarget];
