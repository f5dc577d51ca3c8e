import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';
import type { LineRange } from '../../shared/state/attachments';

/** Builds the messages of "Fix with Agent" and "Explain with Agent" about problems. Pure. */

/** A diagnostic, as far as the agent needs it. */
export interface PromptProblem {
  /** 1-based, inclusive. */
  readonly lines: LineRange;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly message: string;
  /** The source of the diagnostic: a compiler, a linter. */
  readonly source?: string;
  readonly code?: string;
  /** Related locations: `src/a.ts:4: first declared here`. */
  readonly related?: readonly string[];
}

/** The requested action. */
export type ProblemRequest = 'fix' | 'explain';

/** Maximum number of problems in one message; a broken file may have hundreds. */
const MAX_PROBLEMS = 20;
const MAX_RELATED = 5;
/** Maximum UTF-16 units of a problem's text: some type errors fill pages. */
const MAX_PROBLEM_TEXT = 2_000;
/** Number of context lines around a problem. */
const CONTEXT_LINES = 3;
/** Maximum number of separate ranges of one file; beyond it the whole file is attached. */
const MAX_PLACES = 5;

/**
 * The message about problems of one file.
 * @param path for display
 */
export function problemPrompt(request: ProblemRequest, path: string, problems: readonly PromptProblem[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const left = problems.length - shown.length;
  const lines = shown.map(problemLine);
  if (left > 0) lines.push(t('- and {0} more', left));
  return [headingOf(request, path, problems.length), '', ...lines].join('\n');
}

function headingOf(request: ProblemRequest, path: string, count: number): string {
  if (request === 'fix') {
    return count === 1 ? t('Fix this problem in {0}:', path) : t('Fix these {0} problems in {1}:', count, path);
  }
  return count === 1
    ? t('Explain this problem in {0} and how to fix it. Do not change anything yet.', path)
    : t('Explain these {0} problems in {1} and how to fix them. Do not change anything yet.', count, path);
}

function problemLine({ lines, severity, message, source, code, related = [] }: PromptProblem): string {
  const by = [source, code].filter(Boolean).join(' ');
  const text = indent(truncate(escapeInvisible(message.trim()), MAX_PROBLEM_TEXT));
  const first = `- ${t('line {0}', lines.first)}: ${severity}: ${text}${by === '' ? '' : ` (${escapeInvisible(by)})`}`;
  return [
    first,
    ...related.slice(0, MAX_RELATED).map((one) => `  - ${indent(truncate(escapeInvisible(one), MAX_PROBLEM_TEXT))}`),
  ].join('\n');
}

/** Indents further lines, so that they stay within the list item. */
function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/**
 * The lines to attach: those of the problems with context, merged where they touch. Undefined when the whole file is
 * the better attachment.
 * @param lineCount lines of the file
 */
export function contextLines(problems: readonly PromptProblem[], lineCount: number): readonly LineRange[] | undefined {
  const ranges = problems
    .map(({ lines }) => ({
      first: Math.max(1, lines.first - CONTEXT_LINES),
      last: Math.min(lineCount, lines.last + CONTEXT_LINES),
    }))
    .toSorted((a, b) => a.first - b.first);
  const joined: LineRange[] = [];
  for (const range of ranges) {
    const before = joined.at(-1);
    if (before && range.first <= before.last + 1) {
      joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
    } else joined.push(range);
  }
  return joined.length > MAX_PLACES ? undefined : joined;
}
