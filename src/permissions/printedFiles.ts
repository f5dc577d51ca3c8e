import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mapLimited } from '../base/async';
import { exists } from '../node/fs/realPaths';
import type { Git } from '../node/gitCommand';
import { globalExcludes } from '../node/gitCommand';
import { withoutFilters } from '../node/gitFilters';
import { isBareRepository } from './rules/bareRepository';
import type { GitQuery } from './rules/gitQueries';
import { CHANGES, gitQueries } from './rules/gitQueries';
import type { RuleRequest } from './rules/ruleRequest';

/** Milliseconds for all calls of one request; beyond, the user decides. */
const DEADLINE_MS = 5_000;
/** Maximum number of calls for one request. */
const MAX_QUERIES = 20;
/** Maximum number of names for one request. */
const MAX_NAMES = 10_000;
const AT_ONCE = 4;
/** Settings that select which commits and files are printed. None of them runs a program. */
const SELECTING =
  '^(log\\.(diffmerges|follow|showroot)|diff\\.(ignoresubmodules|renames|renamelimit|submodule)|grep\\.[a-z]+|submodule\\.recurse|commit\\.verbose|stash\\.showpatch)$';
const REPLACED = ['for-each-ref', '--count=1', 'refs/replace'];
/** Settings for programs that convert files before git searches and prints them. */
const CONVERTERS = '^diff\\..*\\.textconv$';
/** Names are from the top folder. */
const FIXED = [['diff.relative', 'false']];

/**
 * Adds the files whose content a command prints from a git repository, as git itself tells.
 * @param request completed by `withRealPaths`
 * @returns The same request if the command prints nothing, or git cannot run.
 */
export async function withPrintedFiles(request: RuleRequest, git: Git): Promise<RuleRequest> {
  const all = gitQueries(request);
  const queries = all === 'unknown' ? all : all.filter(({ cwd }) => existsSync(cwd));
  if (queries.length === 0 || !(await git.available())) return request;
  if (queries === 'unknown' || queries.length > MAX_QUERIES) return { ...request, printed: 'unknown' };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answers = await mapLimited(queries, AT_ONCE, (query) => namesOf(git, query, signal));
  const known = answers.flatMap((names) => names ?? []);
  const isKnown = known.length <= MAX_NAMES && answers.every((names) => names !== undefined);
  return { ...request, printed: isKnown ? known : 'unknown' };
}

/** Undefined if git cannot tell. */
async function namesOf(
  git: Git,
  query: GitQuery,
  signal: AbortSignal,
): Promise<Exclude<RuleRequest['printed'], 'unknown'>> {
  const { cwd, args, objects, isMadeBefore, isSearch, setting } = query;
  const top = topFolder(cwd);
  // Outside of repositories, only "git diff" compares files.
  if (top === undefined && args[0] !== 'diff') return [];
  // Whoever wrote its files may have chosen its settings.
  if (top !== undefined && isBareRepository(top, exists)) return undefined;
  try {
    // The calls do without replaced objects, unlike the command.
    if (top !== undefined && (await git.text(REPLACED, { cwd, signal })) !== '') return undefined;
    if (isSearch && (await git.configuration(cwd, CONVERTERS)).size > 0) return undefined;
    if (objects) {
      const types = await git.text(args, { cwd, signal, input: objects.join('\n') });
      return /^(?:blob|tree)$/m.test(types) || (isMadeBefore && / missing$/m.test(types)) ? undefined : [];
    }
    const settings = await git.configuration(cwd, SELECTING);
    if (setting !== undefined && isOff(settings.get(setting))) return [];
    const excludes = args.includes('--exclude-standard') ? await globalExcludes(git, cwd) : undefined;
    const given = [...settings, ...(excludes === undefined ? [] : [['core.excludesFile', excludes]]), ...FIXED];
    const options = given.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const filters = await withoutFilters(git, { cwd, signal });
    const fields = await git.fields([...filters, ...options, ...args], {
      cwd,
      signal,
      hasPlainPaths: true,
      accept: [0, 1],
    });
    const names = args.includes(CHANGES) ? changedNames(fields) : fields.flatMap(withoutRevision);
    const files = names.map((name) => ({ name, path: join(top ?? cwd, name) }));
    const showsSubmodules = args.includes('--submodule=diff') || settings.get('diff.submodule') === 'diff';
    return showsSubmodules && files.some(({ path }) => isFolder(path)) ? undefined : files;
  } catch {
    return undefined;
  }
}

/** `M`, a name; or `R086` and two names. Commits may be separated by an empty field. */
function changedNames(fields: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at < fields.length; at++) {
    const status = fields[at] ?? '';
    if (status === '') continue;
    const count = /^[RC]\d+$/.test(status) ? 2 : 1;
    names.push(...fields.slice(at + 1, at + 1 + count));
    at += count;
  }
  return names;
}

/** `git grep` names a file of a commit as `HEAD:.env`. */
function withoutRevision(name: string): readonly string[] {
  return name.includes(':') ? [name, name.slice(name.indexOf(':') + 1)] : [name];
}

/** The top folder of a repository, also of a bare one. */
function topFolder(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (exists(join(at, '.git')) || isBareRepository(at, exists)) return at;
    if (dirname(at) === at) return undefined;
  }
}

function isOff(value = 'false'): boolean {
  return /^(?:false|no|off|0+|)$/i.test(value);
}

/** A submodule, whose own files git may print. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
