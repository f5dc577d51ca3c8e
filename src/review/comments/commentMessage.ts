/** The comments on some lines of a file. */
interface LineComments {
  /** Relative to the folder of the session, or absolute. */
  readonly path: string;
  /** 1-based, inclusive. */
  readonly first: number;
  readonly last: number;
  /** The lines are those of the version before the agent's change. */
  readonly isBaseline: boolean;
  readonly quote: readonly string[];
  readonly texts: readonly string[];
}

/** One message with all comments, each below its file, lines and quoted text. In English, like all texts for agents. */
export function commentMessage(all: readonly LineComments[]): string {
  return all.map(sectionOf).join('\n\n');
}

function sectionOf({ path, first, last, isBaseline, quote, texts }: LineComments): string {
  const location = `${path}:${first === last ? first : `${first}-${last}`}${isBaseline ? ' (before the change)' : ''}`;
  const omittedCount = last - first + 1 - quote.length;
  const quoted = [...quote, ...(omittedCount > 0 ? [`… ${omittedCount} more lines`] : [])].map((line) => `> ${line}`);
  return [location, ...quoted, ...texts].join('\n');
}
