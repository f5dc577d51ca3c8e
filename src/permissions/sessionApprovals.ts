import { t } from '../base/l10n';
import { toolCommand, toolCwd } from '../shared/text/toolInput';
import { canonicalJson } from '../base/json';
import type { RuleRequest } from './rules/ruleRequest';
import { isReadOnlyKind } from './rules/ruleRequest';
import type { RuleEngine } from './ruleEngine';

/**
 * The user's approvals for one caller in a session, besides rules. Answering the agent's permission request approves
 * for the turn, so that the same file or command needs no second request when the agent accesses it. Answering Parley's
 * own request may approve for the session.
 */
export class SessionApprovals {
  readonly #turn = new Set<string>();
  readonly #session = new Set<string>();
  readonly #engine: () => RuleEngine;

  /** @param engine called once there is a request */
  constructor(engine: () => RuleEngine) {
    this.#engine = engine;
  }

  /** The user approved the agent's permission request. */
  approveForTurn(request: RuleRequest): void {
    for (const key of grantedKeys(this.#engine(), request)) this.#turn.add(key);
  }

  /**
   * The user answered Parley's own request with "for this session".
   * @param input arguments of the tool
   */
  approveForSession(request: RuleRequest, input: unknown): void {
    for (const key of grantedKeys(this.#engine(), request, input)) this.#session.add(key);
  }

  /** Why a request without a matching protection or rule is already approved; undefined when it is not. */
  approvalReason(request: RuleRequest, input: unknown): string | undefined {
    const keys = neededKeys(this.#engine(), request, input);
    if (keys.length > 0 && keys.every((key) => this.#session.has(key)))
      return t('you allowed this action for this session');
    return keys.length > 0 && keys.every((key) => this.#turn.has(key)) ? APPROVED : undefined;
  }

  /**
   * As {@link approvalReason}, for a request that a protection or rule asks about: only the approval of the agent's own
   * request about the same subject counts, because it had the same reason. Approved content may be written once.
   * @param isAgreed the agent has requested permission for exactly this tool call
   */
  overridingApprovalReason({ tool, ...request }: RuleRequest, isAgreed: boolean): string | undefined {
    if (tool !== undefined && !isAgreed) return undefined;
    const keys = neededKeys(this.#engine(), request);
    if (keys.length === 0 || !keys.every((key) => this.#turn.has(key))) return undefined;
    for (const key of keys) if (key.startsWith('write ')) this.#turn.delete(key);
    return APPROVED;
  }

  endTurn(): void {
    this.#turn.clear();
  }
}

/** Callers with stored approvals, the agent first; the oldest others are asked again. */
const MAX_CALLERS = 100;

/** The approvals of each caller in a session; the session's agent is "". */
export class CallerApprovals {
  readonly #engine: () => RuleEngine;
  readonly #callers: Map<string, SessionApprovals>;

  /** @param engine called once there is a request */
  constructor(engine: () => RuleEngine) {
    this.#engine = engine;
    this.#callers = new Map([['', new SessionApprovals(engine)]]);
  }

  of(caller = ''): SessionApprovals {
    const approvals = this.#callers.get(caller) ?? new SessionApprovals(this.#engine);
    this.#callers.set(caller, approvals);
    const [, oldest] = this.#callers.keys();
    if (this.#callers.size > MAX_CALLERS && oldest !== undefined) this.#callers.delete(oldest);
    return approvals;
  }
}

const APPROVED = t('you approved this action in this turn');

/** The required approvals: each file with its kind of access, the command with its folder, or the tool with both. */
function neededKeys(engine: RuleEngine, request: RuleRequest, input?: unknown): readonly string[] {
  const { kind, paths, command, tool, folders } = request;
  if (command) return [commandKey(engine, command, folders)];
  const use = isReadOnlyKind(kind) ? 'read' : 'write';
  const files = paths.map((path) => `${use} ${path}`);
  if (tool === undefined) return files;
  // A tool of another server may run a command in its arguments.
  const run = toolCommand(input);
  const name = `tool ${tool}${run ? ` runs ${canonicalJson([run, toolCwd(input) ?? ''])}` : ''}`;
  return files.length === 0 ? [name] : files.map((file) => `${name} ${file}`);
}

/**
 * Approval to write a file includes reading it, never the reverse: the user has not approved changing a file by
 * approving a read.
 */
function grantedKeys(engine: RuleEngine, request: RuleRequest, input?: unknown): readonly string[] {
  return [...neededKeys(engine, request, input), ...neededKeys(engine, { ...request, kind: 'read' }, input)];
}

function commandKey(
  engine: RuleEngine,
  command: NonNullable<RuleRequest['command']>,
  folders: RuleRequest['folders'],
): string {
  const { commands, redirects, problem } = engine.readCommand(command);
  const [only, ...more] = commands;
  // "npm test" as a line equals the program with one argument.
  const isPlain = only && more.length === 0 && redirects.length === 0 && problem === undefined;
  const what = isPlain ? canonicalJson(only) : `line ${command.line ?? canonicalJson(command.argv)}`;
  const variables = engine.relevantVariables(command);
  const where = command.cwd ?? folders[0] ?? '';
  // As JSON, so that no text of a command can imitate another folder.
  return `command ${canonicalJson([what, where, variables ?? {}])}`;
}
