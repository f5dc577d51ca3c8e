import { toFenced, truncate } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';
import { isInside } from '../../node/fs/realPaths';

/** Builds the prompt for a commit message, and reads the answer. Pure. */

interface CommitFacts {
  /** A unified diff. */
  readonly diff: string;
  /** Paths of new files, which the diff does not include. */
  readonly untracked: readonly string[];
  /** Subjects of the latest commits, newest first. */
  readonly recent: readonly string[];
  /** The current text of the message box. */
  readonly typedBefore: string;
}

/** Maximum UTF-16 units of all diffs together; then also the limit for the diff of one file. */
const MAX_DIFF = 120_000;
const MIN_FILE_CHARS = 2_000;
const MAX_NAMES = 200;
/** Maximum UTF-16 units of a commit message. */
const MAX_MESSAGE = 10_000;
/** UTF-16 units of an answer in which a code block is looked for. */
const MAX_ANSWER = 2 * MAX_MESSAGE;

/**
 * The repository's folder if it is in the workspace, else the workspace folder that is in the repository: an agent must not read the
 * instructions of a folder that is not open. Undefined for a repository elsewhere.
 * @param folders of the workspace
 */
export function repositoryFolder(root: string, folders: readonly string[]): string | undefined {
  if (folders.some((folder) => isInside(folder, root))) return root;
  return folders.find((folder) => isInside(root, folder));
}

/** In English only: agents read it, not users. */
export function commitPrompt({ diff, untracked, recent, typedBefore }: CommitFacts): string {
  const style =
    recent.length === 0
      ? 'Write a short imperative first line, at most 72 characters.'
      : `Write as these latest commits are written (language, form, prefixes, length):\n${recent.map((line) => `- ${line}`).join('\n')}`;
  const names = untracked.slice(0, MAX_NAMES);
  const left = untracked.length - names.length;
  return [
    'Write the message of a Git commit with the changes below. Answer with the message alone: no introduction, no quotation marks, no code fence. Use no tools, run nothing, change nothing.',
    style,
    'Add a body, after an empty line and wrapped at 72 characters, only where the reason is not plain from the first line.',
    ...(typedBefore === '' ? [] : [`The author has begun with this; keep what it says:\n${typedBefore}`]),
    ...(diff === '' ? [] : [toFenced(shortDiff(diff).trimEnd(), 'diff')]),
    ...(names.length === 0
      ? []
      : [`New files:\n${names.map((name) => `- ${name}`).join('\n')}${left > 0 ? `\n- and ${left} more` : ''}`]),
  ].join('\n\n');
}

/** Gives each file an equal share of a too long diff, so that none is missing. */
export function shortDiff(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff;
  const files = diff.split(/^(?=diff --git )/mu).filter((file) => file !== '');
  const share = Math.max(MIN_FILE_CHARS, Math.floor(MAX_DIFF / files.length));
  const cut = files.map((file) =>
    file.length <= share ? file : `${truncate(file, share)}\n[${file.length - share} more characters of this file]\n`,
  );
  const all = cut.join('');
  return all.length <= MAX_DIFF * 2 ? all : `${truncate(all, MAX_DIFF * 2)}\n[more files were left out]\n`;
}

/**
 * The message in an answer: the content of its code block, if any; without quotation marks and a leading "Commit
 * message:".
 */
export function extractCommitMessage(answer: string): string {
  const fence = /^[ \t]*(([`~])\2{2,})(?!\2)[^\r\n`]*\r?\n([\s\S]*?)\r?\n?^[ \t]*\1[ \t]*$/mu.exec(
    answer.slice(0, MAX_ANSWER),
  );
  const plain = (fence?.[3] ?? answer).trim();
  const unlabelled = plain.replace(/^\**(?:suggested )?commit message:?\**:?\s*/iu, '');
  const quoted = /^(["'“`])([^"“”`]*)(["'”`])$/u.exec(unlabelled);
  // Match only at the start of blanks, because a long row of blanks would take quadratic time.
  const message = (quoted?.[2] ?? unlabelled).replaceAll(/(?<![ \t])[ \t]+$/gmu, '').trim();
  return truncate(escapeInvisible(message), MAX_MESSAGE);
}
