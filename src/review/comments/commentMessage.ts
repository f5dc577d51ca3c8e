/** The comments on some lines of a file. */
interface LineComments {
  /** File and lines. */
  readonly place: string;
  readonly lineCount: number;
  /** The lines are those of the version before the agent's change. */
  readonly isBaseline: boolean;
  readonly quote: readonly string[];
  readonly texts: readonly string[];
}

/** One message with all comments, each below its file, lines and quoted text. In English, like all texts for agents. */
export function commentMessage(all: readonly LineComments[]): string {
  return all.map(sectionOf).join('\n\n');
}

function sectionOf({ place, lineCount, isBaseline, quote, texts }: LineComments): string {
  const omittedCount = lineCount - quote.length;
  const quoted = [...quote, ...(omittedCount > 0 ? [`… ${omittedCount} more lines`] : [])].map((line) => `> ${line}`);
  return [`${place}${isBaseline ? ' (before the change)' : ''}`, ...quoted, ...texts].join('\n');
}
