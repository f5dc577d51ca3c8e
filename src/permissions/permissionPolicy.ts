import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { assertDefined } from '../base/assert';
import type { Lazy } from '../base/lazy';
import { globMatches } from '../node/fs/globMatches';
import { exists, innermostFolder, realPathNames, namesBelow } from '../node/fs/realPaths';
import type { Git } from '../node/gitCommand';
import type { AuditLog } from './auditLog';
import type { EditApprovalMemory } from './editApprovalMemory';
import type { RuleStore } from './rememberedRules';
import type { RuleEngine } from './ruleEngine';
import { TOO_MUCH } from './rules/decisionOutcome';
import type { Disk } from './rules/disk';
import type { Rule, SourcedRule } from './rules/permissionRule';
import type { Decision, RuleRequest, ShellKind } from './rules/ruleRequest';
import { commandFolder } from './rules/ruleRequest';

/** The permission policy of a window, for all sessions. */
export interface PermissionPolicy {
  /** The rules of the settings; `allow` rules of a workspace are ignored. */
  rules(): { readonly user: readonly Rule[]; readonly workspace: readonly Rule[] };
  readonly remembered: RuleStore;
  readonly audit?: AuditLog;
  readonly editApprovals?: EditApprovalMemory;
  /** Tells which files a command prints from a repository; without it, none. */
  readonly git?: Git;
  /** Loaded before an agent starts, so that its requests are decided in wire order (I3). */
  readonly engine: Lazy<RuleEngine>;
}

/** @throws AssertionError before the engine is loaded */
export function loadedEngine({ engine }: PermissionPolicy): RuleEngine {
  return assertDefined(engine.value, 'the loaded rule engine');
}

/** The shell syntax of command lines on this machine. */
export const DEFAULT_SHELL: ShellKind = process.platform === 'win32' ? 'powershell' : 'posix';

/** All rules that apply in a session. */
export function effectiveRules(policy: PermissionPolicy, sessionId: string): readonly SourcedRule[] {
  const { user, workspace } = policy.rules();
  return [
    ...user.map((rule): SourcedRule => ({ rule, source: 'user' })),
    ...workspace.map((rule): SourcedRule => ({ rule, source: 'workspace' })),
    ...policy.remembered.list(sessionId).map(({ rule }): SourcedRule => ({ rule, source: 'remembered' })),
  ];
}

/** Decides about a request completed by {@link withRealPaths}. */
export function decideByPolicy(policy: PermissionPolicy, sessionId: string, request: RuleRequest): Decision {
  // Cache: several rules check the same words.
  const cache = new Map<string, readonly string[]>();
  let left = MAX_NAMES;
  const namesOf = (path: string): readonly string[] => {
    const cached = cache.get(path);
    if (cached) return cached;
    left -= path.split(/[\\/]/).length;
    const names = left < 0 ? [path] : realPathNames(path, request.folders);
    cache.set(path, names);
    return names;
  };
  const rules = effectiveRules(policy, sessionId);
  // Approvals for the agent do not count for other callers.
  const isOtherCaller = request.caller !== undefined;
  const applicable = rules.filter(
    ({ rule, source }) => !(isOtherCaller && source === 'remembered' && rule.decision === 'allow'),
  );
  const disk: Disk = {
    namesOf,
    below: (folder, what) => namesBelow(folder, what, request.folders),
    hasContent,
    exists,
  };
  const decision = loadedEngine(policy).decide(request, applicable, disk);
  if ((left >= 0 && request.hasUnresolved !== true) || decision.decision === 'deny') return decision;
  return { ...decision, decision: 'ask', by: 'protection', reason: TOO_MUCH, unclear: TOO_MUCH };
}

/** True for a file that cannot be looked at. */
function hasContent(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    return true;
  }
}

/** Maximum number of names in the paths of one request: each is looked up on disk, synchronously (I3). */
const MAX_NAMES = 30_000;

/** Maximum number of files of one request: the others are not looked up, and the request asks. */
const MAX_PATHS = 1_000;

/** The paths with at most {@link MAX_NAMES} names in all: rules and protections look at each. */
function firstPaths(paths: readonly string[]): string[] {
  let left = MAX_NAMES;
  return paths.filter((path) => (left -= path.split(/[\\/]/).length) >= 0);
}

/** Adds all names of the request's files and folders, and the real folder of its command. */
export function withRealPaths(request: RuleRequest): RuleRequest {
  const all = (paths: readonly string[]): string[] => [
    ...new Set(paths.flatMap((path) => realPathNames(path, request.folders))),
  ];
  const named = [...new Set(request.paths)];
  const allGiven = request.possiblePaths ?? [];
  const [paths, given] = [firstPaths(named), firstPaths(allGiven)];
  const isCut = paths.length < named.length || given.length < allGiven.length;
  const unresolved = paths.splice(MAX_PATHS);
  // The text of an edit has many stars, and names no files.
  const hasPatterns = given.length > 0 && (request.kind !== 'edit' || request.tool !== undefined);
  const matches = hasPatterns ? globMatches([...paths, ...given].slice(0, MAX_PATHS), request.folders) : [];
  const possible = [...given, ...(matches ?? [])];
  const cwd = commandFolder(request);
  const subfolders = subfoldersOf(request);
  const command = request.command && {
    ...request.command,
    ...(cwd !== undefined && { cwd: realPathNames(cwd, request.folders).at(-1) ?? cwd }),
  };
  return {
    ...request,
    ...(command && { command }),
    paths: [...all(paths), ...unresolved],
    ...(request.possiblePaths && { possiblePaths: all(possible.slice(0, MAX_PATHS)) }),
    ...((isCut || unresolved.length > 0 || possible.length > MAX_PATHS || !matches) && {
      hasUnresolved: true as const,
    }),
    folders: all(request.folders),
    ...(subfolders && { subfolders }),
  };
}

/** Links below the workspace folder are not resolved: the agent could replace them. */
function subfoldersOf({ cwd, folders }: RuleRequest): readonly string[] | undefined {
  if (cwd === undefined) return undefined;
  const around = innermostFolder(folders, cwd);
  if (around === undefined || around === cwd) return undefined;
  const subfolder = relative(around, cwd);
  return subfolder === '' ? undefined : realPathNames(around, folders).map((name) => join(name, subfolder));
}
