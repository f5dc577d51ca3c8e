import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readPlainFile } from '../../node/fs/overwriteFile';
import type { Git, GitCall } from '../../node/gitCommand';
import type { UserRepository } from './userRepository';

/** Bytes of a file in the user's `.git`, which may lead to a device. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The user's repository at the start of a turn. */
export interface RepositoryStart {
  readonly repository: UserRepository;
  /** The commit of HEAD; undefined in a repository without commits. */
  readonly head: string | undefined;
  /** Names of branches and tags by commit, the latest first. */
  readonly refs: ReadonlyMap<string, string>;
  readonly stashes: readonly string[];
  /** Bytes of the reflog of HEAD. */
  readonly logged: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Where git has brought the work tree since the start of a turn. */
export interface HeadHistory {
  /** Commits that HEAD has been at, the first and the current one included. */
  readonly visited: readonly string[];
  /** The commit of the start is part of the current one: by a merge, or a rebase. */
  readonly isMerge: boolean;
  /** Commits not made in this turn whose changes came into the current commit, or are being merged. */
  readonly merged: readonly string[];
  /** Changes not made in this turn that git has put into commits of this turn: merged, picked, reverted, from a mail. */
  readonly replays: readonly Replay[];
  /** Commits that were fetched. */
  readonly fetched: readonly string[];
  /** HEAD was moved by `git reset`, which may leave the files as they were. */
  readonly isReset: boolean;
}

/** The change from one commit to another. */
export interface Replay {
  readonly base: string;
  readonly commit: string;
  /** The commit after which it is named. */
  readonly from: string;
}

/** Refs whose names and contents are known; those with the latest commits. */
const MAX_REFS = 200;
/** Commits of one turn. */
const MAX_COMMITS = 1000;
/** A reflog action that makes a commit; others move HEAD to a commit that exists (git-reflog). */
const MAKES_COMMIT = /^(commit|cherry-pick|revert|am)\b|^(rebase|pull)[^(]*\((?!start|finish|abort)|: Merge made by/;

/** Makes a commit of a change that exists. */
const REPLAYS = /^(cherry-pick|revert|am)\b/;

/** Undefined where git cannot read the repository. */
export async function recordRepository(git: Git, repository: UserRepository): Promise<RepositoryStart | undefined> {
  const call = { cwd: repository.top };
  const format = '--format=%(objectname) %(refname:short)';
  const list = ['for-each-ref', format, '--sort=-committerdate', `--count=${MAX_REFS}`];
  const [head, listed, logged, stashes] = await Promise.all([
    headOf(git, call),
    git.text([...list, 'refs/heads', 'refs/remotes', 'refs/tags'], call).catch(() => undefined),
    stat(join(repository.gitDir, 'logs', 'HEAD')).catch(() => undefined),
    reflog(join(dirname(repository.objects), 'logs', 'refs', 'stash')),
  ]);
  if (listed === undefined) return undefined;
  const refs = new Map<string, string>();
  for (const line of listed.split('\n')) {
    const [commit = '', name = ''] = line.split(' ');
    if (commit !== '' && !refs.has(commit)) refs.set(commit, name);
  }
  const tips = stashes.map(({ commit }) => commit);
  return { repository, head, refs, stashes: tips, logged: logged?.size ?? 0, at: Date.now() };
}

/** Read-only. */
export async function readHistory(git: Git, start: RepositoryStart): Promise<HeadHistory> {
  const { gitDir, top } = start.repository;
  const call = { cwd: top };
  const [current, moves, merging, fetched] = await Promise.all([
    headOf(git, call),
    reflog(join(gitDir, 'logs', 'HEAD'), start.logged),
    commitsIn(join(gitDir, 'MERGE_HEAD')),
    fetchedSince(join(gitDir, 'FETCH_HEAD'), start.at),
  ]);
  const visited = [start.head, ...moves.map(({ commit }) => commit), current].filter((each) => each !== undefined);
  const made = await madeIn(git, call, { start, moves, visited: [...visited, ...merging], fetched });
  const isForeign = (commit: string | undefined): commit is string => commit !== undefined && !made.has(commit);
  const merged = new Set(merging.filter(isForeign));
  if (isForeign(current) && current !== start.head) merged.add(current);
  for (const parent of isForeign(current) ? [] : new Set([...made.values()].flat())) {
    if (!isForeign(parent) || merged.has(parent) || parent === start.head) continue;
    // The commits below an amended one were there before; another branch may have been left again.
    const isNew = !(await isAncestor(git, call, parent, start.head));
    if (isNew && (await isAncestor(git, call, parent, current))) merged.add(parent);
  }
  const isRebase = moves.some(({ action }) => /^(rebase|pull.*\((start|pick))/.test(action));
  return {
    visited: [...new Set(visited)],
    isMerge:
      merging.length > 0 ||
      isRebase ||
      (start.head !== undefined && (await isAncestor(git, call, start.head, current))),
    merged: [...merged],
    replays: await replaysIn(git, call, start, moves, made),
    fetched,
    isReset: moves.some(({ action }) => action.startsWith('reset:')),
  };
}

export async function isAncestor(git: Git, call: GitCall, commit: string, of: string | undefined): Promise<boolean> {
  if (of === undefined || commit === of) return commit === of;
  const args = ['merge-base', '--is-ancestor', commit, of];
  return (await git.exitCode(args, { ...call, accept: [0, 1] }).catch(() => 1)) === 0;
}

interface Move {
  readonly commit: string;
  /** What git has written, such as `merge upstream: Fast-forward`. */
  readonly action: string;
}

/**
 * The parents of the commits that were made since the start, by commit. A commit that was fetched, or is older, was made elsewhere. One that
 * a reflog says was made here was, even if it has been pushed and fetched.
 */
async function madeIn(
  git: Git,
  call: GitCall,
  turn: {
    readonly start: RepositoryStart;
    readonly moves: readonly Move[];
    readonly visited: readonly string[];
    readonly fetched: readonly string[];
  },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { start, moves, visited, fetched } = turn;
  const known = [start.head, ...start.refs.keys(), ...start.stashes].filter((each) => each !== undefined);
  const found = new Map<string, readonly string[]>();
  if (visited.every((commit) => known.includes(commit))) return found;
  const here = new Set(moves.filter(({ action }) => MAKES_COMMIT.test(action)).map(({ commit }) => commit));
  const elsewhere = new Set(await newCommits(git, call, fetched, known).then((lines) => lines.map(([, id]) => id)));
  for (const [time, commit, ...parents] of await newCommits(git, call, visited, known)) {
    const isOld = (Number(time) + 1) * 1000 <= start.at;
    if (here.has(commit) || (!isOld && !elsewhere.has(commit))) found.set(commit, parents);
  }
  return found;
}

/** @param made see {@link madeIn} */
async function replaysIn(
  git: Git,
  call: GitCall,
  start: RepositoryStart,
  moves: readonly Move[],
  made: ReadonlyMap<string, readonly string[]>,
): Promise<readonly Replay[]> {
  const found: Replay[] = [];
  for (const { commit, action } of moves) {
    const [base, ...merged] = made.get(commit) ?? [];
    if (base === undefined) continue;
    const isMerge = action.includes(': Merge made by') && !merged.some((each) => made.has(each));
    const isReplay = isMerge || (REPLAYS.test(action) && (await isReplayed(git, call, start, commit, made)));
    if (isReplay) found.push({ base, commit, from: merged[0] ?? commit });
  }
  return found;
}

/** Whether the change was made before the turn: git keeps the time of its author; of a revert, it names what it takes back. */
async function isReplayed(
  git: Git,
  call: GitCall,
  start: RepositoryStart,
  commit: string,
  made: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  const text = await git.text(['show', '-s', '--format=%at%n%b', commit, '--'], call).catch(() => '');
  const reverted = /^This reverts commit ([0-9a-f]{40,64})/m.exec(text)?.[1];
  if (reverted !== undefined) return !made.has(reverted);
  return (Number.parseInt(text, 10) + 1) * 1000 <= start.at;
}

type CommitLine = [time: string, commit: string, ...parents: string[]];

async function newCommits(
  git: Git,
  call: GitCall,
  tips: readonly string[],
  known: readonly string[],
): Promise<readonly CommitLine[]> {
  if (tips.length === 0) return [];
  const args = ['rev-list', '--parents', '--timestamp', '--ignore-missing', `--max-count=${MAX_COMMITS}`, '--stdin'];
  const input = [...tips, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join('');
  const out = await git.text(args, { ...call, input }).catch(() => '');
  return out.split('\n').flatMap((line): CommitLine[] => {
    const [time = '', commit, ...parents] = line.split(' ');
    return commit === undefined ? [] : [[time, commit, ...parents]];
  });
}

function headOf(git: Git, call: GitCall): Promise<string | undefined> {
  return git.text(['rev-parse', '-q', '--verify', 'HEAD'], call).catch(() => undefined);
}

/** @param from bytes; a shorter file was rewritten, and is read whole */
async function reflog(file: string, from = 0): Promise<readonly Move[]> {
  const text = await readGitFile(file);
  const lines = text.subarray(text.length < from ? 0 : from).toString();
  return Array.from(lines.matchAll(/^[0-9a-f]+ ([0-9a-f]+) [^\t\n]*\t?(.*)$/gm), ([, commit = '', action = '']) => ({
    commit,
    action,
  }));
}

/** Empty for a missing, unreadable or too large file. */
async function readGitFile(file: string): Promise<Buffer> {
  return (await readPlainFile(file, MAX_BYTES)) ?? Buffer.alloc(0);
}

async function commitsIn(file: string): Promise<readonly string[]> {
  return (await readGitFile(file))
    .toString()
    .split('\n')
    .flatMap((line) => /^[0-9a-f]{40,64}/.exec(line) ?? []);
}

async function fetchedSince(file: string, at: number): Promise<readonly string[]> {
  const written = await stat(file).catch(() => undefined);
  return written && written.mtimeMs >= at - 1000 ? commitsIn(file) : [];
}
