import { t } from '../base/l10n';
import { DisposableStore } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { AuditEntry } from '../permissions/auditLog';
import { auditSilent } from '../permissions/auditRecords';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import { loadedEngine } from '../permissions/permissionPolicy';
import type { RuleRequest } from '../permissions/rules/ruleRequest';
import { leadingTool, mayNameTool } from '../permissions/rules/toolNames';
import { toRuleRequest } from '../permissions/toolCallRequest';
import { entriesFrom, entryAt } from '../shared/state/entryPages';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';
import { terminalOf } from '../shared/state/terminalState';
import type { PermissionEntry, ToolEntry } from '../shared/state/toolCallState';
import { commandText } from '../shared/text/toolInput';
import { childCallId, stateOf, wrapForSubagent } from './entryIndex';
import type { LiveSession } from './liveSession';

const EDITS: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/**
 * Marks finished calls that changed something or ran a command although the agent asked nothing and did not use Parley, and records whether
 * the agent asks before edits. Calls of a turn are checked at its end, calls of background work when they finish.
 */
export class UnaskedCalls implements Disposable {
  readonly #store = new DisposableStore();
  /** What Parley did or allowed since the last message; undefined before the first one in this window, as in a replay of the history. */
  #allowedCalls: AuditEntry[] | undefined;
  /** The same for the message before: its background work may still run. */
  #allowedBefore: readonly AuditEntry[] = [];

  constructor(
    private readonly session: LiveSession,
    private readonly policy: PermissionPolicy,
  ) {
    this.#store.add(session.onDidDispatch(({ action }) => this.#apply(action)));
    const onDidDecide = policy.audit?.onDidDecide;
    if (!onDidDecide) return;
    this.#store.add(
      onDidDecide((entry) => {
        if (entry.session === session.id && entry.decision === 'allowed') this.#allowedCalls?.push(entry);
      }),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }

  #apply(action: Action): void {
    const allowed = this.#allowedCalls;
    if (action.type === 'promptSent') {
      this.#allowedBefore = allowed ?? [];
      this.#allowedCalls = [];
      return;
    }
    if (!allowed) return;
    if (action.type === 'turnEnded') this.#checkTurn(allowed);
    else this.#checkLate(action, [...this.#allowedBefore, ...allowed]);
  }

  #checkTurn(allowed: readonly AuditEntry[]): void {
    const { state } = this.session;
    const first = state.turns.at(-1)?.entry ?? state.entries.count;
    const permissions = permissionsFrom(state, first);
    const unasked = this.#findUnasked(threadsFrom(state, first), permissions, allowed);
    const hasAskedToEdit = permissions.some(
      ({ isOwn, tool }) => isOwn !== true && isEdit(entryAt(state.entries, tool)),
    );
    this.#recordEditApprovals(hasAskedToEdit, unasked);
    this.#mark(unasked);
  }

  /** Checks a call that finishes outside its turn. */
  #checkLate(action: Action, allowed: readonly AuditEntry[]): void {
    const { state } = this.session;
    const finished = findFinishedCall(state, action);
    if (!finished) return;
    const root = finished.path[0] ?? finished.entry;
    if (state.turn.status === 'running' && root >= state.turn.firstEntry) return;
    const first = state.turns.findLast(({ entry }) => entry <= root)?.entry ?? 0;
    const thread = { path: finished.path, calls: [[finished.entry, finished.call] as const] };
    const unasked = this.#findUnasked([thread], permissionsFrom(state, first), allowed);
    this.#recordEditApprovals(false, unasked);
    this.#mark(unasked);
  }

  #findUnasked(
    threads: readonly Thread[],
    permissions: readonly PermissionEntry[],
    allowed: readonly AuditEntry[],
  ): UnaskedThread[] {
    const { state } = this.session;
    const requester = this.session.userRequests.requester();
    const askedEntries = new Set(permissions.map(({ tool }) => tool));
    // Questions about calls of child sessions are entries of the session itself, with copies of the calls.
    const askedIds = new Set(permissions.flatMap(({ tool }) => toolCallId(entryAt(state.entries, tool)) ?? []));
    return threads.map(({ path, calls }) => ({
      path,
      calls: calls.flatMap(([entry, call]) => {
        const isAsked =
          path.length === 0
            ? askedEntries.has(entry)
            : askedIds.has(childCallId(stateOf(state, path).id, call.toolCallId));
        if (!mayBeUnasked(call) || isAsked || usesOurTerminal(state, call)) return [];
        const request = toRuleRequest(loadedEngine(this.policy), call, call.title || t('Tool call'), requester);
        const isCounted = isChange(request) && !isAllowed(request, allowed) && !isAlwaysAllowed(state, call);
        return isCounted ? [{ entry, call, request }] : [];
      }),
    }));
  }

  #mark(unasked: readonly UnaskedThread[]): void {
    for (const { path, calls } of unasked) {
      if (calls.length === 0) continue;
      const marked = { type: 'toolsUnasked', entries: calls.map(({ entry }) => entry) } as const;
      this.session.dispatch(wrapForSubagent(marked, path));
      for (const { call, request } of calls) this.#log(call, request);
    }
  }

  /** Records whether the agent asks before edits; nothing if it edited nothing. */
  #recordEditApprovals(hasAsked: boolean, unasked: readonly UnaskedThread[]): void {
    const { agent } = this.session.userRequests.requester();
    if (unasked.some(({ calls }) => calls.some(({ request }) => EDITS.has(request.kind)))) {
      this.policy.editApprovals?.record(agent, false);
    } else if (hasAsked) this.policy.editApprovals?.record(agent, true);
  }

  #log(call: ToolEntry, request: RuleRequest): void {
    const now = Date.now();
    const reason = 'ran without asking';
    const decision = { decision: 'allow', by: 'agent', reason } as const;
    const decided = { request, decision, input: call.rawInput, at: now };
    this.policy.audit?.append(auditSilent(this.session.id, decided, 'agent', reason, now));
  }
}

/** Calls of the turn in the session, and in each child session that it started. */
interface Thread {
  /** Entries of the child sessions, the outermost first. */
  readonly path: readonly number[];
  readonly calls: readonly (readonly [number, ToolEntry])[];
}

interface UnaskedThread {
  readonly path: readonly number[];
  readonly calls: readonly { readonly entry: number; readonly call: ToolEntry; readonly request: RuleRequest }[];
}

/** The call that an action finishes, also in a child session. */
function findFinishedCall(
  state: SessionState,
  action: Action,
  path: readonly number[] = [],
): { readonly path: readonly number[]; readonly entry: number; readonly call: ToolEntry } | undefined {
  if (action.type === 'subagentActed') return findFinishedCall(state, action.action, [...path, action.entry]);
  if ((action.type !== 'toolStarted' && action.type !== 'toolChanged') || action.patch.status !== 'done')
    return undefined;
  const { entries } = stateOf(state, path);
  const entry = action.type === 'toolChanged' ? action.entry : entries.count - 1;
  const call = entryAt(entries, entry);
  return call?.kind === 'tool' ? { path, entry, call } : undefined;
}

function threadsFrom(state: SessionState, first: number, path: readonly number[] = []): Thread[] {
  const children = Array.from(entriesFrom(state.entries, first)).flatMap(([index, entry]) =>
    entry.kind === 'subagent' ? threadsFrom(entry.child, 0, [...path, index]) : [],
  );
  return [{ path, calls: callsFrom(state, first) }, ...children];
}

function toolCallId(entry: ReturnType<typeof entryAt>): string | undefined {
  return entry?.kind === 'tool' ? entry.toolCallId : undefined;
}

function callsFrom(state: SessionState, first: number): (readonly [number, ToolEntry])[] {
  return Array.from(entriesFrom(state.entries, first)).flatMap(([index, entry]) =>
    entry.kind === 'tool' ? [[index, entry] as const] : [],
  );
}

function permissionsFrom(state: SessionState, first: number): PermissionEntry[] {
  return Array.from(entriesFrom(state.entries, first)).flatMap(([, entry]) =>
    entry.kind === 'permission' ? [entry] : [],
  );
}

/** Excludes calls of other kinds and tools of MCP servers, both without a diff, and calls that Parley created. */
function mayBeUnasked(call: ToolEntry): boolean {
  const { tool, status, toolCallId, title, name, unasked } = call;
  if (status !== 'done' || unasked === true || toolCallId.startsWith('parley-')) return false;
  if (isEdit(call)) return true;
  if (tool === 'other') return ![title, name ?? ''].some((text) => leadingTool(text) !== undefined);
  return tool === 'execute';
}

function isChange({ kind }: RuleRequest): boolean {
  return EDITS.has(kind) || kind === 'execute';
}

function isEdit(entry: ReturnType<typeof entryAt>): boolean {
  if (entry?.kind !== 'tool') return false;
  return EDITS.has(entry.tool) || entry.content.some(({ type }) => type === 'diff');
}

function usesOurTerminal({ terminals }: SessionState, { content }: ToolEntry): boolean {
  return content.some((item) => {
    const terminal = item.type === 'terminal' ? terminalOf(terminals, item.terminalId) : undefined;
    return terminal !== undefined && terminal.foreign !== true;
  });
}

/** Whether Parley ran the call for the agent, or a rule or the user allowed the same call under another id. */
function isAllowed({ kind, command, paths, called = [] }: RuleRequest, allowed: readonly AuditEntry[]): boolean {
  const text = command && ('line' in command ? command.line : command.argv && commandText({ argv: command.argv }));
  const ofKind = allowed.filter((entry) => entry.kind === kind || (EDITS.has(entry.kind) && EDITS.has(kind)));
  if (allowed.some(({ tool }) => tool !== undefined && mayNameTool(tool, called))) return true;
  if (text !== undefined) return ofKind.some((entry) => entry.command === text);
  const done = new Set(ofKind.flatMap((entry) => entry.paths ?? []));
  return paths.length > 0 && paths.every((path) => done.has(path));
}

/** The user has told the agent in this session that it need not ask for calls of this kind. */
function isAlwaysAllowed(state: SessionState, { tool }: ToolEntry): boolean {
  return permissionsFrom(state, 0).some(({ outcome, options, isOwn, tool: entry }) => {
    if (isOwn === true || outcome?.type !== 'selected') return false;
    const option = options.find(({ optionId }) => optionId === outcome.optionId);
    const about = entryAt(state.entries, entry);
    return option?.kind === 'allow_always' && about?.kind === 'tool' && about.tool === tool;
  });
}
