import { randomUUID } from 'node:crypto';
import { entryAt } from '../../shared/state/entryPages';
import type { ToolContent } from '../../shared/state/contentBlocks';
import type { PermissionOption } from '../../shared/state/toolCallState';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { UiSession } from '../uiTypes';
import type { PendingPermissionRequest } from '../pendingRequests';
import { answerRequest } from '../pendingRequests';

/** The git worktree that a session works in. */
export type WorktreeOf = (session: Pick<UiSession, 'cwd'>) => Pick<WorktreeRecord, 'path' | 'race'> | undefined;

/**
 * The pending requests of the same race that ask exactly the same, each for its own worktree: title, input, diffs, reasons and options.
 * @returns with the request itself; empty when no other attempt asks the same
 */
export function sameRequests(
  request: PendingPermissionRequest,
  pending: readonly PendingPermissionRequest[],
  worktreeOf: WorktreeOf,
): readonly PendingPermissionRequest[] {
  const race = worktreeOf(request.session)?.race?.id;
  if (race === undefined) return [];
  // Random, so that an agent cannot write it itself to imitate its folder.
  const mark = randomUUID();
  const content = requestContent(request, worktreeOf, mark);
  const same = pending.filter(
    (other) =>
      worktreeOf(other.session)?.race?.id === race &&
      content !== undefined &&
      requestContent(other, worktreeOf, mark) === content,
  );
  return new Set(same.map(({ session }) => session)).size > 1 ? same : [];
}

/**
 * Answers requests with the option at the same place. False when none is pending any more.
 * @param option of `request`, whose options all `requests` have
 */
export function answerSame(
  request: PendingPermissionRequest,
  requests: readonly PendingPermissionRequest[],
  option: PermissionOption,
): boolean {
  // Not by name and kind, which several options may share.
  const place = request.permission.options.findIndex(({ optionId }) => optionId === option.optionId);
  const answered = requests.map((each) => {
    const own = each.permission.options[place];
    return own !== undefined && answerRequest(each, own);
  });
  return answered.includes(true);
}

/** Everything that the user decides about. Undefined when a part is no longer known. */
function requestContent(
  { session, permission }: PendingPermissionRequest,
  worktreeOf: WorktreeOf,
  mark: string,
): string | undefined {
  const { title, options, isOwn, showsInput, why, destructive } = permission;
  const tool = permission.about ?? entryAt(session.state.entries, permission.tool);
  const path = worktreeOf(session)?.path;
  if (tool?.kind !== 'tool' || path === undefined) return undefined;
  const diffs = tool.content.map((part) => (part.type === 'diff' ? session.diff(part.diffId) : ''));
  if (diffs.includes(undefined)) return undefined;
  const all = {
    title,
    options: options.map(({ name, kind }) => [name, kind]),
    reasons: [isOwn, showsInput, why, destructive],
    tool: [tool.title, tool.name, tool.tool, tool.rawInput, tool.locations],
    content: tool.content.map(withoutId),
    diffs,
  };
  return JSON.stringify(all, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(path, mark) : value,
  );
}

/** Ids differ in each session. */
function withoutId(part: ToolContent): unknown {
  if (part.type === 'terminal') return part.type;
  return part.type === 'diff' ? [part.type, part.path, part.isNew] : part;
}
