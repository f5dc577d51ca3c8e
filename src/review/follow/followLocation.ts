import type { DiffContent, Location, ToolContent } from '../../shared/state/contentBlocks';
import type { ToolPatch } from '../../shared/state/toolCallState';

export interface FollowLocation {
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
}

/**
 * The location of a tool call: the last one (earlier ones are often search results), with the line of that file's diff if it has none; else
 * the last diff (https://agentclientprotocol.com/protocol/tool-calls#following-the-agent).
 */
export function followLocation(patch: ToolPatch): FollowLocation | undefined {
  const diffs = (patch.content ?? []).filter(isDiff);
  const location: Location | undefined = patch.locations?.at(-1);
  const diff = location ? diffs.findLast(({ path }) => path === location.path) : diffs.at(-1);
  const path = location?.path ?? diff?.path;
  if (path === undefined) return undefined;
  const line = location?.line ?? (diff && firstChange(diff));
  return { path, ...(line !== undefined && { line }) };
}

function isDiff(content: ToolContent): content is DiffContent {
  return content.type === 'diff';
}

/** In the new text. */
function firstChange({ hunks }: DiffContent): number | undefined {
  const [hunk] = hunks;
  if (!hunk) return undefined;
  const same = hunk.lines.findIndex(({ type }) => type !== 'same');
  return hunk.newStart + Math.max(0, same);
}
