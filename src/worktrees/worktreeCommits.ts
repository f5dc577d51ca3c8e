import { join } from 'node:path';
import { readRegularFile } from '../node/fs/regularFile';
import type { Git, GitCall } from '../node/gitCommand';
import type { ListedCall } from './registeredWorktrees';
import { otherHeads } from './registeredWorktrees';
import type { WorktreeRecord } from './worktreeRecord';

/** Empty on a branch without a commit. */
export function headCommit(git: Git, call: GitCall): Promise<string> {
  return git.text(['rev-parse', '--quiet', '--verify', 'HEAD'], { ...call, accept: [0, 1] });
}

/**
 * First lines of the commits that only this worktree has: its branch, its checked-out commit, its reflogs or its own references. Newest
 * first. Includes those that it was started from, if their branch is gone.
 * @param listed undefined if only the branch is left
 */
export async function ownCommits(
  git: Git,
  record: WorktreeRecord,
  listed: ListedCall | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { repository, branch } = record;
  const call = listed ?? { cwd: repository, signal };
  const name = `refs/heads/${branch}`;
  const verify = ['rev-parse', '--quiet', '--verify'];
  const tips = await Promise.all([
    git.text([...verify, name], { ...call, accept: [0, 1] }),
    listed ? headCommit(git, call) : '',
    leftCommits(git, name, call, listed),
  ]);
  const input = tips.filter((each) => each !== '').join('\n');
  if (input === '') return [];
  const heads = await otherHeads(git, record, signal);
  const others = [`--exclude=${branch}`, '--branches', '--remotes', '--tags'];
  const form = ['--format=%h %s', '--max-count=100', '--ignore-missing', '--stdin'];
  const lines = [input, ...heads.map((id) => `^${id}`), ''].join('\n');
  const out = await git.text(['log', ...form, '--not', ...others, '--'], { ...call, input: lines });
  return out === '' ? [] : out.split('\n');
}

/** Ids of commits, one a line, that a reset, checkout or rebase may have left, and that go with the worktree. */
async function leftCommits(git: Git, branch: string, call: GitCall, listed?: ListedCall): Promise<string> {
  const logs = [branch, ...(listed ? ['HEAD'] : [])].map((name) => ['reflog', 'show', '--format=%H', name, '--']);
  const own = ['for-each-ref', '--format=%(objectname)', 'refs/worktree', 'refs/bisect'];
  // The branch may have been renamed or deleted.
  const lists = [...logs, ...(listed ? [own] : [])].map((args) => git.text(args, call).catch(() => ''));
  const ids = await Promise.all([...lists, listed ? namedCommits(listed.gitDir) : '']);
  return ids.filter((each) => each !== '').join('\n');
}

/** Bytes of a log of commits. */
const MAX_LOG = 16 * 1024 * 1024;

/** In the git folder of a worktree: what HEAD had, as git does not show it on a branch without a commit, and text stashed by git itself. */
const NAMING = ['logs/HEAD', 'rebase-merge/autostash', 'rebase-apply/autostash', 'MERGE_AUTOSTASH'];

/** Ids of commits in files that git commands do not list, one a line. */
async function namedCommits(gitDir: string): Promise<string> {
  const files = NAMING.map((name) => readRegularFile(join(gitDir, name), MAX_LOG).catch(() => undefined));
  const lines = (await Promise.all(files)).flatMap((file) =>
    Buffer.isBuffer(file) ? file.toString('latin1').split('\n') : [],
  );
  // `<id>`, or `<old> <new> <who> <when>\t<what>` with zeros for none.
  const ids = lines.flatMap((line) => /^([0-9a-f]{40,64})(?: ([0-9a-f]{40,64}) |$)/.exec(line)?.slice(1) ?? []);
  return [...new Set(ids)].filter((id) => id !== undefined && !/^0+$/.test(id)).join('\n');
}
