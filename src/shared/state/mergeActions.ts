import type { Action } from './sessionActions';

/**
 * Reduces the number of actions without changing their effect: consecutive text of a message, consecutive output of a
 * terminal or a tool call, and consecutive updates of a tool call without a new status are joined. For posting to the page and for writing to disk.
 * @param ends receives, for each result, the index of its last action in `actions`
 */
export function mergeActions(actions: readonly Action[], ends: number[] = []): Action[] {
  const merged: Action[] = [];
  let run: Action[] = [];
  for (const [index, action] of actions.entries()) {
    if (run.length > 0 && !continues(run[0] as Action, action)) {
      merged.push(joinActions(run));
      ends.push(index - 1);
      run = [];
    }
    run.push(action);
  }
  if (run.length > 0) ends.push(actions.length - 1);
  if (run.length > 0) merged.push(joinActions(run));
  return merged;
}

function continues(first: Action, next: Action): boolean {
  if (first.type === 'subagentActed')
    return next.type === first.type && next.entry === first.entry && continues(first.action, next.action);
  if (first.type === 'terminalOutput') return next.type === 'terminalOutput' && next.terminalId === first.terminalId;
  if (first.type === 'toolOutputAppended') return next.type === first.type && next.entry === first.entry;
  // The status and the time of its change depend on each other.
  if (first.type === 'toolChanged')
    return next.type === first.type && next.entry === first.entry && next.patch.status === undefined;
  if (first.type !== 'textAppended' || next.type !== 'textAppended') return false;
  return next.role === first.role && next.messageId === first.messageId && first.text !== '' && next.text !== '';
}

function joinActions(run: readonly Action[]): Action {
  const [first] = run;
  if (first?.type === 'subagentActed')
    return { ...first, action: joinActions(run.map((a) => (a as typeof first).action)) };
  if (first?.type === 'textAppended') return { ...first, text: run.map((a) => (a as typeof first).text).join('') };
  if (first?.type === 'toolOutputAppended')
    return { ...first, text: run.map((a) => (a as typeof first).text).join('') };
  if (first?.type === 'terminalOutput') return { ...first, data: run.map((a) => (a as typeof first).data).join('') };
  if (first?.type === 'toolChanged')
    return { ...first, patch: Object.assign({}, ...run.map((a) => (a as typeof first).patch)) as typeof first.patch };
  return first as Action;
}
