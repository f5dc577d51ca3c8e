import { t } from '../../base/l10n';
import type { WorkspaceCheckpoints } from './workspaceCheckpoints';

interface Notice {
  readonly severity: 'info' | 'warning';
  readonly title: string;
  readonly text: string;
}

/**
 * Creates a function to call when the next checkpoint of a session is done.
 * @returns a notice about a failed or incomplete checkpoint; undefined if the user already knows
 */
export function checkpointNotice(checkpoints: WorkspaceCheckpoints, sessionId: string): () => Notice | undefined {
  const before = { coverage: checkpoints.coverage(sessionId), failure: checkpoints.failure };
  return () => {
    const { failure } = checkpoints;
    if (failure !== undefined) {
      if (failure === before.failure) return undefined;
      return { severity: 'warning', title: t('This message has no checkpoint'), text: failure };
    }
    const [coverage, notes] = [checkpoints.coverage(sessionId), checkpoints.notes(sessionId)];
    if (coverage === before.coverage || coverage !== 'touched' || notes.length === 0) return undefined;
    const title = t('Checkpoints and review cover only files reported by the agent');
    return { severity: 'info', title, text: `${notes.join('. ')}.` };
  };
}
