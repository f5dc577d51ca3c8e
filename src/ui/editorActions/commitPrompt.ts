import { truncate } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';

/** What an agent is asked for a commit message, and what is taken from its answer. Pure. */

export interface CommitFacts {
  /** A unified diff. */
  readonly diff: string;
  /** Paths of new files that the diff does not hold. */
  readonly untracked: readonly string[];
  /** First lines of the latest commits, newest first. */
  readonly recent: readonly string[];
  /** What the user has begun to write. */
  readonly begun: string;
}

/** UTF-16 units of the diffs together, and of the diff of one file when they are more than that. */
const MOST_DIFF = 120_000;
const LEAST_FILE = 2_000;
const MOST_NAMES = 200;
/** UTF-16 units of a message; what is longer is an essay about the change. */
const MOST_MESSAGE = 10_000;

/** The prompt. It is read by the agent, not by the user, and so in one language. */
export function commitPrompt({ diff, untracked, recent, begun }: CommitFacts): string {
  const style =
    recent.length === 0
      ? 'Write a short imperative first line, at most 72 characters.'
      : `Write as these latest commits are written (language, form, prefixes, length):\n${recent.map((line) => `- ${line}`).join('\n')}`;
  const names = untracked.slice(0, MOST_NAMES);
  const left = untracked.length - names.length;
  return [
    'Write the message of a Git commit with the changes below. Answer with the message alone: no introduction, no quotation marks, no code fence. Use no tools, run nothing, change nothing.',
    style,
    'Add a body, after an empty line and wrapped at 72 characters, only where the reason is not plain from the first line.',
    ...(begun === '' ? [] : [`The author has begun with this; keep what it says:\n${begun}`]),
    ...(diff === '' ? [] : [fenced(shortDiff(diff))]),
    ...(names.length === 0
      ? []
      : [`New files:\n${names.map((name) => `- ${name}`).join('\n')}${left > 0 ? `\n- and ${left} more` : ''}`]),
  ].join('\n\n');
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${text.trimEnd()}\n${fence}`;
}

/** A diff that is too long gives each file an equal share, so that none is missing. */
export function shortDiff(diff: string): string {
  if (diff.length <= MOST_DIFF) return diff;
  const files = diff.split(/^(?=diff --git )/mu).filter((file) => file !== '');
  const share = Math.max(LEAST_FILE, Math.floor(MOST_DIFF / files.length));
  const cut = files.map((file) =>
    file.length <= share ? file : `${truncate(file, share)}\n[${file.length - share} more characters of this file]\n`,
  );
  const all = cut.join('');
  return all.length <= MOST_DIFF * 2 ? all : `${truncate(all, MOST_DIFF * 2)}\n[more files were left out]\n`;
}

/** The message in an answer: of one with a code block what is in it; without quotation marks and a leading "Commit message:". */
export function extractCommitMessage(answer: string): string {
  const fence = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?^[ \t]*\1[ \t]*$/mu.exec(answer);
  const plain = (fence?.[2] ?? answer).trim();
  const unlabelled = plain.replace(/^\**(?:suggested )?commit message:?\**:?\s*/iu, '');
  const quoted = /^(["'“`])([^"“”`]*)(["'”`])$/u.exec(unlabelled);
  // Only from where blanks begin: else a long row of them takes its square.
  const message = (quoted?.[2] ?? unlabelled).replaceAll(/(?<![ \t])[ \t]+$/gmu, '').trim();
  return truncate(escapeInvisible(message), MOST_MESSAGE);
}
