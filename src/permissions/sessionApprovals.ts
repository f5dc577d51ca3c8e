import { canonicalJson } from '../base/json';
import { t } from '../base/l10n';
import type { RuleEngine } from './ruleEngine';
import type { RuleRequest } from './rules/ruleRequest';
import { isReadOnlyKind } from './rules/ruleRequest';
import type { ShownChange } from './subject/shownFiles';

/** What would be written, and what the file contains now. */
export interface Write {
  readonly oldText?: string;
  /** The file exists, but it is too large to show, or cannot be read. */
  readonly hidesOldText?: true;
  readonly newText: string;
}

/**
 * The user's approvals for one caller in a session, besides rules. Answering the agent's permission request approves
 * for the turn, so that the same file or command needs no second request when the agent accesses it. Answering Parley's
 * own request may approve for the session.
 */
export class SessionApprovals {
  readonly #turn = new Set<string>();
  readonly #session = new Set<string>();
  #changes: readonly ShownChange[] = [];

  /** @param engine called once there is a request */
  constructor(private readonly engine: () => RuleEngine) {}

  /** Whether {@link overridingApprovalReason} needs what would be written. */
  get hasChanges(): boolean {
    return this.#changes.length > 0;
  }

  /**
   * The user approved the agent's permission request. The call of a server's tool approves nothing else: its command and files need not be
   * those of this machine.
   * @param changes that the request showed; nothing else may be written
   * @param reads all absolute names of the files that the request showed as read whole; other paths may be a part of a text
   */
  approveForTurn(request: RuleRequest, changes: readonly ShownChange[] = [], reads: readonly string[] = []): void {
    const { paths, possiblePaths = [], unclear, hasMore, isToolCall } = request;
    if (unclear !== undefined) return;
    const command = hasMore || isToolCall ? undefined : request.command;
    if (command) this.#turn.add(commandKey(this.engine(), command, request.folders));
    else for (const path of [...paths, ...possiblePaths]) this.#turn.add(callKey(request, path));
    if (!command && !isToolCall) for (const path of reads) this.#turn.add(`read ${path}`);
    this.#changes = [...this.#changes, ...changes];
  }

  /**
   * The user answered Parley's own request with "for this session".
   * @param input arguments of the tool
   */
  approveForSession(request: RuleRequest, input: unknown): void {
    for (const key of neededKeys(this.engine(), request, input)) this.#session.add(sessionKey(request, key));
  }

  /** Why a request without a matching protection or rule is already approved; undefined when it is not. */
  approvalReason(request: RuleRequest, input: unknown): string | undefined {
    const keys = neededKeys(this.engine(), request, input);
    if (keys.length > 0 && keys.every((key) => this.#session.has(sessionKey(request, key))))
      return t('you allowed this action for this session');
    return keys.length > 0 && keys.every((key) => this.#turn.has(key)) ? APPROVED : undefined;
  }

  /**
   * As {@link approvalReason}, for a request that a protection or rule asks about: only the approval of the agent's own
   * request about the same subject counts, because it had the same reason. An approved change may be written once.
   * @param isAgreed the agent has requested permission for exactly this tool call
   * @param write for a request to write one file
   */
  overridingApprovalReason(request: RuleRequest, isAgreed: boolean, write?: Write): string | undefined {
    const { tool, paths, command, kind } = request;
    if (tool !== undefined)
      return isAgreed && paths.length > 0 && paths.every((path) => this.#turn.has(callKey(request, path)))
        ? APPROVED
        : undefined;
    if (!command && !isReadOnlyKind(kind)) return write && this.#useChange(paths, write);
    const keys = neededKeys(this.engine(), request);
    return keys.length > 0 && keys.every((key) => this.#turn.has(key)) ? APPROVED : undefined;
  }

  #useChange(paths: readonly string[], write: Write): string | undefined {
    const used = this.#changes.find(
      (change) => paths.length > 0 && paths.every((path) => change.paths.includes(path)) && isWriteOf(change, write),
    );
    if (!used) return undefined;
    this.#changes = this.#changes.filter((change) => change !== used);
    return APPROVED;
  }

  endTurn(): void {
    this.#turn.clear();
    this.#changes = [];
  }
}

/**
 * Whether a write makes exactly the change that was shown. A diff hides equal lines of its two texts, so that its old text
 * must be what the file contains, or occur there once.
 */
function isWriteOf(change: ShownChange, write: Write): boolean {
  if (write.hidesOldText) return false;
  const oldText = withPlainLineEnds(change.oldText);
  const newText = withPlainLineEnds(change.newText);
  const current = withPlainLineEnds(write.oldText ?? '');
  const written = withPlainLineEnds(write.newText);
  if (oldText === current) return newText === written;
  const at = oldText === '' ? -1 : current.indexOf(oldText);
  if (at < 0 || current.includes(oldText, at + 1)) return false;
  return current.slice(0, at) + newText + current.slice(at + oldText.length) === written;
}

/** Agents show the lines of a file with "\r\n" in either form. */
function withPlainLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Callers with stored approvals, the agent first; the oldest others are asked again. */
const MAX_CALLERS = 100;

/** The approvals of each caller in a session; the session's agent is "". */
export class CallerApprovals {
  readonly #callers: Map<string, SessionApprovals>;

  /** @param engine called once there is a request */
  constructor(private readonly engine: () => RuleEngine) {
    this.#callers = new Map([['', new SessionApprovals(engine)]]);
  }

  of(caller = ''): SessionApprovals {
    const approvals = this.#callers.get(caller) ?? new SessionApprovals(this.engine);
    this.#callers.set(caller, approvals);
    const [, oldest] = this.#callers.keys();
    if (this.#callers.size > MAX_CALLERS && oldest !== undefined) this.#callers.delete(oldest);
    return approvals;
  }
}

const APPROVED = t('you approved this action in this turn');

/** The approval of a file that a tool call named: another request about that file does not count for the call. */
function callKey({ argsHash = '' }: RuleRequest, path: string): string {
  return `call ${argsHash} ${path}`;
}

/** The agent may be started anew with another definition during a session. */
function sessionKey({ agentIdentity = '' }: RuleRequest, key: string): string {
  return `${agentIdentity} ${key}`;
}

/** The required approvals: each file with its kind of access, the command with its folder, or the tool with all its arguments. */
function neededKeys(engine: RuleEngine, request: RuleRequest, input?: unknown): readonly string[] {
  const { kind, paths, command, tool, folders, subject = '' } = request;
  if (command) return [commandKey(engine, command, folders)];
  const use = isReadOnlyKind(kind) ? 'read' : 'write';
  const files = paths.map((path) => `${use} ${path}`);
  if (tool === undefined) return files;
  const name = `tool ${tool} ${subject} ${canonicalJson(input ?? {})}`;
  return files.length === 0 ? [name] : files.map((file) => `${name} ${file}`);
}

function commandKey(
  engine: RuleEngine,
  command: NonNullable<RuleRequest['command']>,
  folders: RuleRequest['folders'],
): string {
  const { commands, redirects, problem } = engine.readCommand(command);
  const [only, ...more] = commands;
  const { argv } = command;
  // "npm test" as a line equals the program with one argument, but not a line for a shell that the agent names: `zsh -lc`.
  const isOfShell = argv !== undefined && canonicalJson(argv) !== canonicalJson(only);
  const isPlain = only && !isOfShell && more.length === 0 && redirects.length === 0 && problem === undefined;
  const what = isPlain ? canonicalJson(only) : `line ${command.line ?? canonicalJson(command.argv)}`;
  const variables = engine.relevantVariables(command);
  const where = command.cwd ?? folders[0] ?? '';
  // As JSON, so that no text of a command can imitate another folder.
  return `command ${canonicalJson([what, where, variables ?? {}])}`;
}
