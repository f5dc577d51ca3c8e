import type { Mention } from '../../shared/state/attachments';
import { indexPath, normalQuery, scoreOf } from './pathSearch';

/** Matches in the same step of this many points are equally good: what is closer to the user then comes first. */
const STEP = 100;

/**
 * Joins the groups of mentions, the one with the best match first, because Enter takes the first mention. Equally good groups, and all
 * without a query, keep their order.
 */
export function joinGroups(groups: readonly (readonly Mention[])[], query: string): readonly Mention[] {
  const normalized = normalQuery(query);
  if (normalized === '') return groups.flat();
  const ranked = groups.map((mentions) => ({
    mentions,
    rank: Math.max(...mentions.map((one) => rankOf(one, normalized))),
  }));
  return ranked.toSorted((one, other) => other.rank - one.rank).flatMap(({ mentions }) => mentions);
}

function rankOf({ gives, label }: Mention, query: string): number {
  const isPath = typeof gives === 'object' && (gives.kind === 'file' || gives.kind === 'folder');
  const score = scoreOf(indexPath('', isPath ? gives.label : label, false), query);
  return score === undefined ? -1 : Math.floor(score / STEP);
}
