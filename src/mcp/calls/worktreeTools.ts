import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolResult } from '../../session/toolServer';
import type { RegisteredServer } from '../contract/toolServerRegistry';
import type { Tool } from '../contract/toolServerTypes';
import { ToolError } from '../contract/toolServerTypes';

/** The parts of a `ToolCall`. */
interface WorktreeCall {
  readonly session: SessionHandle;
  readonly registered: Pick<RegisteredServer, 'name' | 'origin'>;
  readonly tool: Pick<Tool, 'name' | 'annotations'>;
}

/** Servers that do not work on files of the window. */
const WITHOUT_FILES: ReadonlySet<string> = new Set(['user', 'ide']);

/** The branch of the session's worktree, for tools that work on the window's folders instead. */
function branchOf({ session, registered }: WorktreeCall): string | undefined {
  const isAboutFiles = registered.origin === 'builtIn' && !WITHOUT_FILES.has(registered.name);
  return isAboutFiles ? session.state.branch : undefined;
}

/** @throws ToolError for a tool that would change the main folder, which a session in a worktree must not change */
export function refuseOutsideWorktree(call: WorktreeCall): void {
  const branch = branchOf(call);
  if (branch === undefined || call.tool.annotations.readOnlyHint === true) return;
  throw new ToolError(
    `This session works in the git worktree ${branch}. ${call.tool.name} works in the main folder of the editor only.`,
    'Change the files of the worktree with your own tools.',
  );
}

/** Adds a note to the result: the tool has used the main folder, not the worktree. */
export function withWorktreeNote(call: WorktreeCall, result: ToolResult): ToolResult {
  const branch = branchOf(call);
  if (branch === undefined) return result;
  const note = `This is about the main folder of the editor, not about the git worktree ${branch} of this session.`;
  return { ...result, text: `${note}\n${result.text}` };
}
