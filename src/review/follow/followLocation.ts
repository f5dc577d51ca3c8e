import type { ToolPatch } from '../../shared/state/sessionActions';
import type { DiffContent, Location, ToolContent } from '../../shared/state/contentBlocks';

/** Where the agent is at work. */
export interface FollowPlace {
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
}

/**
 * The place that an announcement or update of a tool call reports: its last location (the first ones are often all that a search
 * found), with the line of the diff of that file where the location has none; else the last diff. ACP: tool calls, "Following the
 * agent".
 */
export function placeOf(patch: Pick<ToolPatch, 'locations' | 'content'>): FollowPlace | undefined {
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

/** The first line that differs, in the new text. */
function firstChange({ hunks }: DiffContent): number | undefined {
  const [hunk] = hunks;
  if (!hunk) return undefined;
  const same = hunk.lines.findIndex(({ type }) => type !== 'same');
  return hunk.newStart + Math.max(0, same);
}
